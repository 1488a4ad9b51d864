import { limits } from "../../../openapi/schema/limits.ts";
import { Refusal } from "../../core/context.ts";
import { requireName } from "../../core/names.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Row, Value } from "../../core/store.ts";
import { indexText } from "../../envelope/index-envelope.ts";
import { type Addresses, AddressRefused } from "../addresses/addresses.ts";
import { type MessageType, messageTypes } from "../messages/message-types.ts";
import { headersAbout } from "../messages/sealed-columns.ts";
import {
  type KindOf,
  type OptionKind,
  type OptionName,
  optionNames,
  optionOf,
  type SettableByKind,
  type ShownOptions,
  type SubscriberOption,
} from "./subscriber-options.ts";

/** Options to be set. Those that are absent stay as they are; null takes a value away; lists are replaced. */
export type GivenOptions = { [Name in OptionName]?: SettableByKind[KindOf<Name>] | undefined };

export interface OptionTools {
  sealing: Sealing;
  addresses: Addresses;
}

interface Place {
  subscriberId: string;
  column: string;
}

/** What the given options are stored as, by column. Throws a {@link Refusal}, `invalid_input`, when one is not valid. */
export async function columnsOf(
  subscriberId: string,
  given: GivenOptions,
  tools: OptionTools,
): Promise<Record<string, Value>> {
  const columns: Record<string, Value> = {};
  for (const name of optionNames) {
    const value = given[name];
    if (value === undefined) continue;
    const { kind, column } = optionOf(name);
    Object.assign(columns, await storedBy[kind](value as never, { subscriberId, column }, tools));
  }
  return columns;
}

type Stored = Record<string, Value>;

const storedBy: {
  [Kind in OptionKind]: (given: SettableByKind[Kind], place: Place, tools: OptionTools) => Stored | Promise<Stored>;
} = {
  address: async (url, { column }, { addresses }) => ({ [column]: (await requireAddress(addresses, url)).href }),
  text: (text, { column }) => ({ [column]: text === null ? null : requireName(text) }),
  choices: (types, { column }) => ({ [column]: JSON.stringify(typesOf(types)) }),
  texts: (types, { column }) => ({ [column]: listToJson(requireReportTypes(types)) }),
  headers: (headers, { column, subscriberId }, { sealing }) => ({
    [column]: headers === null ? null : listToJson(Object.keys(headers)),
    headers: headers === null ? null : sealing.seal(JSON.stringify(headers), headersAbout(subscriberId)),
  }),
  integer: (number, { column }) => ({ [column]: number }),
};

/** Looked up when it is set, so that a typing error is found by whoever made it. */
async function requireAddress(addresses: Addresses, text: string): Promise<URL> {
  if (text.length > limits.urlMax) {
    throw new Refusal("invalid_input", `the address must have at most ${limits.urlMax} characters`);
  }
  try {
    return (await addresses.resolve(text)).url;
  } catch (error) {
    if (error instanceof AddressRefused) throw new Refusal("invalid_input", error.message);
    throw error;
  }
}

/** Each type once; an empty list stands for reports. */
function typesOf(given: readonly MessageType[]): MessageType[] {
  return given.length === 0 ? [messageTypes[0]] : [...new Set(given)];
}

/** Each type once, cut as the index cuts the type of an envelope, with which it is compared. */
function requireReportTypes(given: readonly string[]): string[] {
  const reportTypes = [...new Set(given.map((type) => indexText(type)))];
  if (reportTypes.length > limits.reportTypesMax) {
    throw new Refusal("invalid_input", `a subscriber names at most ${limits.reportTypesMax} types of reports`);
  }
  return reportTypes;
}

function listToJson(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** A list as a column of a subscriber holds it: JSON, or null when it is empty. */
export function listOf(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

/** Every option of a subscriber as it is shown, from its row. */
export function shownOptions(row: Row): ShownOptions {
  const shown = optionNames.map((name) => [name, shownBy(optionOf(name), row)]);
  return Object.fromEntries(shown) as ShownOptions;
}

function shownBy({ kind, column }: SubscriberOption, row: Row): Value | string[] {
  const value = row[column] ?? null;
  const isList = kind === "choices" || kind === "texts" || kind === "headers";
  return isList ? listOf(value as string | null) : value;
}

/**
 * The options whose columns are among these, as the audit log says them: of an address only the origin, because its path
 * and query are often secrets themselves.
 */
export function auditedOptions(columns: Row): Record<string, unknown> {
  const audited: Record<string, unknown> = {};
  for (const name of optionNames) {
    const option = optionOf(name);
    if (!(option.column in columns)) continue;
    const shown = shownBy(option, columns);
    audited[name] = option.kind === "address" ? new URL(shown as string).origin : shown;
  }
  return audited;
}
