import { type MessageType, messageTypes } from "../messages/message-types.ts";

/**
 * What can be set of a subscriber. Each option is declared here once: its column, how pages call and explain it, and its
 * flag. Insert, update, the bodies of the page's calls, forms, lists, flags and documents derive from this table. It
 * runs in browsers too, so it imports nothing of the server.
 */
export const subscriberOptions = {
  url: {
    kind: "address",
    column: "url",
    label: "Address",
    help: "https, and public, unless the server was started with --webhook-allow for it. It is looked up when you save.",
    flag: { name: "url", placeholder: "U", about: "https address that is sent to" },
    listed: true,
  },
  name: {
    kind: "text",
    column: "name",
    label: "Name",
    help: "For people. Empty: its host.",
  },
  types: {
    kind: "choices",
    column: "event_types",
    choices: messageTypes,
    label: "Told of",
    flag: { name: "type", about: `what it is told of; repeat for several (${messageTypes[0]} when added)` },
    listed: true,
  },
  reportTypes: {
    kind: "texts",
    column: "report_types",
    label: "Only reports of these types",
    help: "As the report says, with commas between them: crash, error. Empty: all.",
    flag: {
      name: "report-type",
      placeholder: "T",
      about: "only reports of this type, as the report says; repeat for several",
      none: { name: "all-report-types", about: "reports of every type" },
    },
  },
  headers: {
    kind: "headers",
    column: "header_names",
    label: "Own headers",
    help: "Name: value, one a line. Values are never shown again.",
    flag: {
      name: "header-file",
      placeholder: "F",
      about: "file of further headers that are sent along, a Name: value a line",
      none: { name: "no-headers", about: "no further headers" },
    },
    fact: true,
  },
} as const satisfies Record<string, SubscriberOption>;

export type SubscriberOption = {
  /** Of the table `subscriber`. */
  column: string;
  label: string;
  /** Stands below its field in a form. */
  help?: string;
  /** Absent: the command line does not know the option. */
  flag?: OptionFlag;
  /** Lists of the command line have a column for it. */
  listed?: true;
  /** The page of a subscriber names it with its value, where it has one. */
  fact?: true;
} & (
  | { kind: "address" | "text" | "texts" | "headers" }
  | { kind: "choices"; choices: readonly MessageType[] }
  | { kind: "integer"; min: number; max: number }
);

export interface OptionFlag {
  name: string;
  /** Stands for the value in the help; the choices do where it is absent. */
  placeholder?: string;
  about: string;
  /** The flag that takes the value away again. */
  none?: { name: string; about: string };
}

export type OptionKind = SubscriberOption["kind"];
export type OptionName = keyof typeof subscriberOptions;
export type KindOf<Name extends OptionName> = (typeof subscriberOptions)[Name]["kind"];

/** What an option can be set to; null takes its value away. Headers: values by name. */
export interface SettableByKind {
  address: string;
  text: string | null;
  choices: readonly MessageType[];
  texts: readonly string[];
  headers: Record<string, string> | null;
  integer: number | null;
}

/** How an option is shown. Of headers only the names: their values may be secrets. */
interface ShownByKind {
  address: string;
  text: string | null;
  choices: string[];
  texts: string[];
  headers: string[];
  integer: number | null;
}

export type ShownOptions = { [Name in OptionName]: ShownByKind[KindOf<Name>] };

/** Options that the command line knows. */
export type FlaggedOption = {
  [Name in OptionName]: (typeof subscriberOptions)[Name] extends { flag: OptionFlag } ? Name : never;
}[OptionName];

export const optionNames = Object.keys(subscriberOptions) as OptionName[];

export function optionOf(name: OptionName): SubscriberOption {
  return subscriberOptions[name];
}
