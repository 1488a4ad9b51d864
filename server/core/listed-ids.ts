import type { Sql } from "./store.ts";

/**
 * A text that names the rows of many ids with one parameter: `$1` is {@link listOf} the ids.
 * `withListedIds((isListed) => "select … from event where id " + isListed)`
 */
export function withListedIds(text: (isListed: string) => string): Sql {
  return {
    sqlite: text("in (select value from json_each($1))"),
    postgres: text("= any(array(select json_array_elements_text(cast(cast($1 as text) as json))))"),
  };
}

export function listOf(ids: readonly string[]): string {
  return JSON.stringify(ids);
}
