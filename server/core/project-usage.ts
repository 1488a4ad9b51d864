import type { Sql } from "./store.ts";

/**
 * A text that reads what projects keep, from `usage`: a table on SQLite. On PostgreSQL changes of one project come from
 * several processes at once, so each is a row of its own first, and a view adds them up.
 */
export function withProjectUsage(text: (usage: string) => string): Sql {
  return { sqlite: text("project_usage"), postgres: text("project_usage_now") };
}
