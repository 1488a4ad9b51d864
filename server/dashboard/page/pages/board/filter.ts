import type { CardSummary } from "../../../../tickets/card-summary.ts";
import { type Filter, type FilterName, filterNames, type QuickFilter } from "../../../board-filter.ts";
import type { Column } from "./order.ts";

export function activeNames(filter: Filter): FilterName[] {
  return filterNames.filter((name) => filter[name] !== "");
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
