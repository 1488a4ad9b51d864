import type { CardSummary } from "../../../../tickets/card-summary.ts";
import type { Column } from "./order.ts";

const quickFilters = ["all", "tokens", "agent", "overdue"] as const;
export type QuickFilter = (typeof quickFilters)[number];

/** Which cards a board shows, as written in the address, so that a view is a link. An empty member does not filter. */
export interface Filter {
  quick: QuickFilter;
  assignee: string;
  priority: string;
  token: string;
  due: string;
  repository: string;
  run: string;
  text: string;
  state: string;
}

const names = ["assignee", "priority", "token", "due", "repository", "run", "text", "state"] as const;
export type FilterName = (typeof names)[number];

export function filterIn(query: URLSearchParams): Filter {
  const quick = quickFilters.find((name) => name === query.get("quick")) ?? "all";
  const rest = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""])) as Record<FilterName, string>;
  return { quick, ...rest };
}

/** The query for the address and for calls, with the reader's day. Empty members are left out. */
export function queryOf(filter: Filter): Record<string, string | undefined> {
  return Object.fromEntries(
    (["quick", ...names] as const).map((name) => [
      name,
      filter[name] === "" || filter[name] === "all" ? undefined : filter[name],
    ]),
  );
}

export function activeNames(filter: Filter): FilterName[] {
  return names.filter((name) => filter[name] !== "");
}

export function isFiltering(filter: Filter): boolean {
  return filter.quick !== "all" || activeNames(filter).length > 0;
}

/** Whether a card that was just loaded matches the filter. The server decides by the same rules for whole pages. */
export function matches(filter: Filter, card: CardSummary, column: Pick<Column, "category">, today: string): boolean {
  const overdue = card.dueAt !== null && card.dueAt < today && column.category !== "done";
  return (
    (card.archivedAt !== null) === (filter.state === "archived") &&
    card.deletedAt === null &&
    matchesQuick(filter.quick, card, overdue) &&
    (filter.assignee === "" || filter.assignee === (card.assignee?.id ?? "none")) &&
    (filter.priority === "" || filter.priority.split(",").includes(card.priority)) &&
    (filter.token === "" || (card.author.kind === "token" && card.author.id === filter.token)) &&
    matchesDue(filter.due, card.dueAt, overdue, today) &&
    (filter.repository === "" || filter.repository === card.repositoryId) &&
    (filter.run === "" || (filter.run === "yes") === (card.run !== null)) &&
    card.title.toLowerCase().includes(filter.text.toLowerCase())
  );
}

function matchesQuick(quick: QuickFilter, card: CardSummary, overdue: boolean): boolean {
  if (quick === "tokens") return card.author.kind === "token";
  if (quick === "agent") return card.assignee?.kind === "agent";
  return quick === "all" || overdue;
}

function matchesDue(due: string, dueAt: string | null, overdue: boolean, today: string): boolean {
  if (due === "overdue") return overdue;
  if (due === "none") return dueAt === null;
  if (due === "set") return dueAt !== null;
  if (due === "week") return dueAt !== null && dueAt >= today && dueAt < dayAfter(today, 7);
  return true;
}

/** The reader's calendar day, without a time zone. */
export function todayOf(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
