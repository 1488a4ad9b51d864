import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CardSummary } from "../../../../tickets/card-summary.ts";
import { exampleCard } from "./example-card.ts";
import {
  type Column,
  type Columns,
  merged,
  moved,
  neighbour,
  placeOf,
  stepTarget,
  withCard,
  withoutCard,
} from "./order.ts";

function card(id: string, columnId: string, position: number): CardSummary {
  return exampleCard({ id, title: id, columnId, position });
}

function column(id: string, names: string, next: string | null = null): Column {
  const cards = [...names].map((name, i) => card(name, id, i + 1));
  const count = cards.length;
  return { id, name: id, category: "todo", limit: null, count, total: count, cards, next };
}

const board = (): Columns => [column("x", "abc"), column("y", ""), column("z", "de")];
const namesIn = (columns: Columns) => columns.map(({ cards }) => cards.map(({ id }) => id).join(""));

describe("a card takes its place", () => {
  test("where its position says, equal positions by id", () => {
    const between = withCard(board(), card("n", "x", 1.5));
    expect(namesIn(between)).toEqual(["anbc", "", "de"]);
    expect(namesIn(withCard(board(), card("0", "x", 1)))).toEqual(["0abc", "", "de"]);
    expect(namesIn(withCard(board(), card("z", "x", 1)))).toEqual(["azbc", "", "de"]);
  });

  test("once, also when it comes from another column, and leaves the columns it has nothing to do with alone", () => {
    const before = board();
    const after = withCard(before, card("d", "x", 9));
    expect(namesIn(after)).toEqual(["abcd", "", "e"]);
    expect(after[1]).toBe(before[1] as Column);
    expect(withoutCard(before, "nobody")).toEqual(before);
  });

  test("not at the end of what was loaded while more follows: it may belong further down", () => {
    const columns = [column("x", "abc", "next")];
    expect(namesIn(withCard(columns, card("n", "x", 9)))).toEqual(["abc"]);
    expect(namesIn(withCard(columns, card("n", "x", 2.5)))).toEqual(["abnc"]);
  });
});

describe("a move", () => {
  test("says who stands above and below, and counts", () => {
    const intent = moved(board(), "a", { columnId: "z", index: 1 });
    expect(intent && namesIn(intent.columns)).toEqual(["bc", "", "dae"]);
    expect(intent).toMatchObject({ after: "d", before: "e" });
    expect(intent?.columns.map(({ count, total }) => [count, total])).toEqual([
      [2, 2],
      [0, 0],
      [3, 3],
    ]);
    expect(moved(board(), "c", { columnId: "y", index: 5 })).toMatchObject({ after: null, before: null });
    expect(moved(board(), "c", { columnId: "x", index: 0 })).toMatchObject({ after: null, before: "a" });
  });

  test("to where it stands is none", () => {
    expect(moved(board(), "b", { columnId: "x", index: 1 })).toBeUndefined();
    expect(moved(board(), "c", { columnId: "x", index: 99 })).toBeUndefined();
    expect(moved(board(), "nobody", { columnId: "x", index: 0 })).toBeUndefined();
  });

  test("ends at the wanted index, loses no card, and agrees with what `withCard` makes of its position", () => {
    const ids = fc.constantFrom("a", "b", "c", "d", "e");
    const targets = fc.record({ columnId: fc.constantFrom("x", "y", "z"), index: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(fc.tuple(ids, targets), { maxLength: 30 }), (moves) => {
        let columns = board();
        for (const [id, target] of moves) {
          const intent = moved(columns, id, target);
          if (!intent) continue;
          columns = intent.columns;
          const place = placeOf(columns, id);
          const others = (place?.column.cards.length ?? 0) - 1;
          expect([place?.columnId, place?.index]).toEqual([target.columnId, Math.min(target.index, others)]);
          expect(namesIn(withCard(columns, intent.card))).toEqual(namesIn(columns));
        }
        expect([...namesIn(columns).join("")].sort().join("")).toBe("abcde");
      }),
    );
  });
});

describe("the keyboard", () => {
  test("steps a card up, down and sideways, and stops at the edges", () => {
    expect(stepTarget(board(), "b", "up")).toEqual({ columnId: "x", index: 0 });
    expect(stepTarget(board(), "b", "down")).toEqual({ columnId: "x", index: 2 });
    expect(stepTarget(board(), "b", "right")).toEqual({ columnId: "y", index: 0 });
    expect(stepTarget(board(), "a", "up")).toBeUndefined();
    expect(stepTarget(board(), "c", "down")).toBeUndefined();
    expect(stepTarget(board(), "a", "left")).toBeUndefined();
    expect(stepTarget(board(), "e", "right")).toBeUndefined();
  });

  test("leads the focus over empty columns, to the last card where the column is shorter", () => {
    expect(neighbour(board(), undefined, "down")?.id).toBe("a");
    expect(neighbour(board(), "c", "right")?.id).toBe("e");
    expect(neighbour(board(), "e", "left")?.id).toBe("b");
    expect(neighbour(board(), "a", "up")).toBeUndefined();
  });
});

describe("after a look at the whole board", () => {
  test("cards that were loaded beyond its first ones stay", () => {
    const old = column("x", "abcdef", "further");
    const fresh = { ...column("x", "ab", "first"), cards: [card("b", "x", 1), card("a", "x", 2)] };
    expect(namesIn([merged(fresh, old)])).toEqual(["bacdef"]);
    expect(merged(fresh, old).next).toBe("further");
  });

  test("a column that was loaded as a whole replaces the former one", () => {
    expect(namesIn([merged(column("x", "ab"), column("x", "abcdef", "further"))])).toEqual(["ab"]);
    expect(merged(column("x", "ab", "first"), undefined).next).toBe("first");
  });
});
