import { readFileSync } from "node:fs";
import type { GivenOptions } from "../webhooks/subscribers/option-values.ts";
import { parseOwnHeaders } from "../webhooks/subscribers/own-headers.ts";
import {
  type OptionFlag,
  optionNames,
  optionOf,
  type SubscriberOption,
} from "../webhooks/subscribers/subscriber-options.ts";
import {
  checked,
  choice,
  flag,
  integer,
  many,
  type OptionSpec,
  parsed,
  required,
  text,
  UsageError,
} from "./options.ts";

type Specs = Record<string, OptionSpec<unknown>>;

const flagged = optionNames.flatMap((name) => {
  const option = optionOf(name);
  return option.flag ? [{ name, option, flag: option.flag }] : [];
});

/** The flags of a new subscriber: an address must be given. */
export const addFlags: Specs = Object.fromEntries(
  flagged.map(({ option, flag }) => {
    const spec = specOf(option, flag);
    return [flag.name, option.kind === "address" ? required(spec) : spec];
  }),
);

/** The flags of a change, with those that take a value away. */
export const updateFlags: Specs = Object.fromEntries(
  flagged.flatMap(({ option, flag: { none, ...named } }): [string, OptionSpec<unknown>][] => [
    [named.name, specOf(option, named)],
    ...(none ? [[none.name, flag(none.about)] as [string, OptionSpec<unknown>]] : []),
  ]),
);

function specOf(option: SubscriberOption, { placeholder = "", about }: OptionFlag): OptionSpec<unknown> {
  switch (option.kind) {
    case "address":
      return checked(placeholder, about, requireUrl);
    case "text":
      return text(placeholder, about);
    case "choices":
      return many(choice(option.choices, about));
    case "texts":
      return many(text(placeholder, about));
    case "headers":
      return parsed(placeholder, about, readHeaders);
    case "integer":
      return integer(placeholder, about, option);
  }
}

/** The options that the flags give. */
export function givenBy(flags: Record<string, unknown>): GivenOptions {
  const given = flagged.map(({ name, option, flag: { name: flag, none } }) => {
    const value = flags[flag];
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined;
    if (!none || flags[none.name] !== true) return [name, isGiven ? value : undefined];
    if (isGiven) throw new UsageError(`give either --${flag} or --${none.name}`);
    return [name, option.kind === "texts" ? [] : null];
  });
  return Object.fromEntries(given) as GivenOptions;
}

/** Whether it may be sent to is another question. */
function requireUrl(given: string): string {
  if (!URL.canParse(given)) throw new Error("must be a URL such as https://example.com/hook");
  return given;
}

function readHeaders(path: string): Record<string, string> {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read the file (${(error as { code?: string }).code})`);
  }
  return parseOwnHeaders(content);
}
