import { isDay, isUuid } from "../../openapi/check.ts";
import { priorities } from "../../openapi/schema/ticket-fields.ts";
import { Refusal } from "../core/context.ts";
import type { Value } from "../core/store.ts";

const quickFilters = ["all", "tokens", "agent", "overdue"] as const;
type QuickFilter = (typeof quickFilters)[number];

/** Which cards of a board are shown. */
export interface CardFilter {
  quick: QuickFilter;
  /** The reader's day, `YYYY-MM-DD`. */
  today: string;
  /** The id of a member, or `none` for cards without an assignee. */
  assignee: string | null;
  priorities: string | null;
  token: string | null;
  due: "overdue" | "week" | "set" | "none" | null;
  repository: string | null;
  run: boolean | null;
  text: string | null;
  /** Leaves out cards that came into a column of the category done before this time; epoch milliseconds. */
  doneSince: number | null;
  archived: boolean;
}

/** Reads the filter from a query string. An unknown value is refused: a page must not show other cards than it says. */
export function readFilter(query: URLSearchParams, now: number): CardFilter {
  return {
    quick: choiceOf(query, "quick", quickFilters) ?? "all",
    today: dayOf(query) ?? new Date(now).toISOString().slice(0, 10),
    assignee: query.get("assignee") === "none" ? "none" : idOf(query, "assignee"),
    priorities: prioritiesOf(query),
    token: idOf(query, "token"),
    due: choiceOf(query, "due", ["overdue", "week", "set", "none"]),
    repository: idOf(query, "repository"),
    run: { yes: true, no: false, "": null }[choiceOf(query, "run", ["yes", "no"]) ?? ""] ?? null,
    text: query.get("text")?.slice(0, 200) || null,
    doneSince: doneSinceOf(query, now),
    archived: choiceOf(query, "state", ["live", "archived"]) === "archived",
  };
}

/**
 * The filter as one SQL condition on `t` and `c`. The text is always the same, and its parameters begin with $1.
 * The quick filter has a condition of its own, because the cards of each quick filter are counted.
 */
export const filterCondition = `(cast($1 as text) is null or t.assignee_id = $1 or ($1 = 'none' and t.assignee_id is null))
  and (cast($2 as text) is null or $2 like '%' || t.priority || '%')
  and (cast($3 as text) is null or t.token_id = $3)
  and (cast($4 as text) is null or t.due_at >= $4)
  and (cast($5 as text) is null or t.due_at < $5)
  and ($6 = 0 or t.due_at is null)
  and ($7 = 0 or c.category <> 'done')
  and (cast($8 as text) is null or t.repository_id = $8)
  and (cast($9 as integer) is null or $9 = (case when exists (select 1 from agent_run where ticket_id = t.id) then 1 else 0 end))
  and (cast($10 as text) is null or lower(t.title) like $10 escape '\\')
  and (cast($11 as double precision) is null or c.category <> 'done' or coalesce(t.moved_at, t.created_at) >= $11)`;

/** $12 is the name of the quick filter, $13 the day. */
export const quickConditions = {
  tokens: "t.token_id is not null",
  agent: "t.assignee_id = (select id from member where role = 'agent')",
  overdue: "(t.due_at < $13 and c.category <> 'done')",
} as const satisfies Record<Exclude<QuickFilter, "all">, string>;

export const quickCondition = `($12 = 'all' or ($12 = 'tokens' and ${quickConditions.tokens})
  or ($12 = 'agent' and ${quickConditions.agent}) or ($12 = 'overdue' and ${quickConditions.overdue}))`;

export function filterParams(filter: CardFilter): Value[] {
  const { due, today } = filter;
  return [
    filter.assignee,
    filter.priorities,
    filter.token,
    due === "week" ? today : due === "set" ? "" : null,
    due === "week" ? weekAfter(today) : due === "overdue" ? today : null,
    due === "none" ? 1 : 0,
    due === "overdue" ? 1 : 0,
    filter.repository,
    filter.run === null ? null : filter.run ? 1 : 0,
    filter.text === null ? null : `%${filter.text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`,
    filter.doneSince,
    filter.quick,
    today,
  ];
}

/** Whether the filter leaves any cards out. */
export function isFiltering({ quick, today: _, archived: __, ...rest }: CardFilter): boolean {
  return quick !== "all" || Object.values(rest).some((value) => value !== null);
}

function weekAfter(day: string): string {
  return new Date(Date.parse(day) + 7 * 86_400_000).toISOString().slice(0, 10);
}

function choiceOf<const C extends string>(query: URLSearchParams, name: string, choices: readonly C[]): C | null {
  const value = query.get(name);
  if (!value) return null;
  const found = choices.find((choice) => choice === value);
  if (!found) throw new Refusal("invalid_input", `${name} must be one of ${choices.join(", ")}`);
  return found;
}

function idOf(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  if (!value) return null;
  if (!isUuid(value)) throw new Refusal("invalid_input", `${name} must be a UUID`);
  return value.toLowerCase();
}

function dayOf(query: URLSearchParams): string | undefined {
  const value = query.get("today");
  if (!value) return undefined;
  if (!isDay(value) || value.startsWith("0000"))
    throw new Refusal("invalid_input", "today must be a day that exists, written YYYY-MM-DD");
  return value;
}

function doneSinceOf(query: URLSearchParams, now: number): number | null {
  const days = query.get("doneDays");
  if (!days) return null;
  if (!/^\d{1,3}$/.test(days) || Number(days) < 1 || Number(days) > 365) {
    throw new Refusal("invalid_input", "doneDays must be a number from 1 to 365");
  }
  // Rounded to the minute, so that pages that ask at about the same time send the same query.
  return Math.floor(now / 60_000) * 60_000 - Number(days) * 86_400_000;
}

function prioritiesOf(query: URLSearchParams): string | null {
  const value = query.get("priority");
  if (!value) return null;
  const names = value.split(",");
  if (!names.every((name) => (priorities as readonly string[]).includes(name))) {
    throw new Refusal("invalid_input", `priority must be out of ${priorities.join(", ")}`);
  }
  return names.join(",");
}
