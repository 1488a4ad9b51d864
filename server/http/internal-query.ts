import { longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { PageInput } from "../core/page.ts";

const textMax = 200;

/** Reads `cursor` and `limit`, which name a page of a list, from the query. */
export function pageIn(query: URLSearchParams): PageInput {
  const limit = query.get("limit") ?? String(limits.pageDefault);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > limits.pageMax) {
    throw new Refusal("invalid_input", `limit must be a number from 1 to ${limits.pageMax}.`);
  }
  return { cursor: query.get("cursor") ?? undefined, limit: Number(limit) };
}

/** Reads a query parameter that is one of `words`; undefined when it is absent or empty. */
export function wordIn<const Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = query.get(name) || undefined;
  const word = words.find((one) => one === value);
  if (value !== undefined && word === undefined) {
    throw new Refusal("invalid_input", `${name} must be one of ${words.join(", ")}.`);
  }
  return word;
}

/** Reads a query parameter with a text to search for, trimmed; undefined when it is blank. */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)?.trim();
  if (text && longerThan(text, textMax)) {
    throw new Refusal("invalid_input", `${name} must have at most ${textMax} characters.`);
  }
  return text || undefined;
}
