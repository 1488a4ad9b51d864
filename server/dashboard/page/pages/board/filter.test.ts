import { describe, expect, test } from "bun:test";
import type { CardSummary } from "../../../../tickets/card-summary.ts";
import { type Filter, filterIn, queryOf } from "../../../board-filter.ts";
import { exampleCard } from "./example-card.ts";
import { isFiltering, matches, todayOf } from "./filter.ts";

const none = filterIn(new URLSearchParams());
const card = exampleCard({
  priority: "high",
  dueAt: "2026-11-20",
  title: "Unit tests fail",
  assignee: { id: "m1", name: "M", kind: "member", removed: false },
  author: { kind: "token", id: "t1", name: "CI" },
});
const today = "2026-11-21";
const fits = (filter: Partial<Filter>, change: Partial<CardSummary> = {}, category: "todo" | "done" = "todo") =>
  matches({ ...none, ...filter }, { ...card, ...change }, { category }, today);

test("a view is a link: what the address says is what is filtered, and back", () => {
  const query = "quick=overdue&assignee=none&priority=high%2Clow&due=week&text=a+b&state=archived";
  const filter = filterIn(new URLSearchParams(query));
  expect(filter).toMatchObject({ quick: "overdue", assignee: "none", priority: "high,low", text: "a b" });
  const back = Object.entries(queryOf(filter)).filter(([, value]) => value !== undefined) as [string, string][];
  expect(new URLSearchParams(back).toString()).toBe(query);
  expect(isFiltering(filter)).toBe(true);
  expect(isFiltering(none)).toBe(false);
  expect(filterIn(new URLSearchParams("quick=everything")).quick).toBe("all");
});

describe("a card that was just heard of", () => {
  test("is judged as the server judges it", () => {
    expect(fits({})).toBe(true);
    expect(fits({ quick: "tokens" })).toBe(true);
    expect(fits({ quick: "tokens" }, { author: { kind: "member", id: "m1", name: "M" } })).toBe(false);
    expect(fits({ quick: "agent" })).toBe(false);
    expect(fits({ quick: "overdue" })).toBe(true);
    expect(fits({ quick: "overdue" }, {}, "done")).toBe(false);
    expect(fits({ quick: "overdue" }, { dueAt: today })).toBe(false);
    expect(fits({ assignee: "m1" })).toBe(true);
    expect(fits({ assignee: "none" })).toBe(false);
    expect(fits({ assignee: "none" }, { assignee: null })).toBe(true);
    expect(fits({ priority: "low,high" })).toBe(true);
    expect(fits({ priority: "low" })).toBe(false);
    expect(fits({ token: "t1" })).toBe(true);
    expect(fits({ token: "t2" })).toBe(false);
    expect(fits({ run: "yes" })).toBe(false);
    expect(fits({ repository: "r1" })).toBe(false);
    expect(fits({ repository: "r1" }, { repositoryId: "r1" })).toBe(true);
    expect(fits({ text: "TESTS" })).toBe(true);
    expect(fits({ text: "tests pass" })).toBe(false);
  });

  test("by its due day", () => {
    expect(fits({ due: "overdue" })).toBe(true);
    expect(fits({ due: "week" })).toBe(false);
    expect(fits({ due: "week" }, { dueAt: "2026-11-27" })).toBe(true);
    expect(fits({ due: "week" }, { dueAt: "2026-11-28" })).toBe(false);
    expect(fits({ due: "none" }, { dueAt: null })).toBe(true);
    expect(fits({ due: "set" }, { dueAt: null })).toBe(false);
  });

  test("that was put away shows among the archived ones only", () => {
    const archivedAt = "2026-11-02T00:00:00.000Z";
    expect(fits({}, { archivedAt })).toBe(false);
    expect(fits({ state: "archived" }, { archivedAt })).toBe(true);
    expect(fits({ state: "archived" })).toBe(false);
    expect(fits({}, { deletedAt: archivedAt })).toBe(false);
  });
});

test("the day is the reader's", () => {
  expect(todayOf(new Date(2026, 0, 5, 0, 30).getTime())).toBe("2026-01-05");
});
