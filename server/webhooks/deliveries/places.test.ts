import { beforeEach, describe, expect, test } from "bun:test";
import { Places } from "./places.ts";

let now: number;
let places: Places;
beforeEach(() => {
  now = 0;
  places = new Places(() => now);
});

/**
 * Takes as many places as these subscribers get in turn when all have much waiting; the returned function gives them
 * back.
 */
function fill(ids: readonly string[], underWay: ReadonlyMap<string, number> = new Map()) {
  const budget = places.budget();
  const counts = new Map(underWay);
  const giveBack: (() => void)[] = [];
  for (let turn = 0; turn < 8; turn++) {
    for (const id of ids) {
      if ((counts.get(id) ?? 0) !== turn || !budget.take(id, turn)) continue;
      counts.set(id, turn + 1);
      giveBack.push(places.take(id));
    }
  }
  const end = () => {
    for (const give of giveBack.splice(0)) give();
  };
  return { counts, end };
}

const ids = (count: number, name = "s") => Array.from({ length: count }, (_, n) => `${name}${n}`);
const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

function answering(count: number, milliseconds: number, name: string) {
  const some = ids(count, name);
  for (let from = 0; from < some.length; from += 8) {
    const { end } = fill(some.slice(from, from + 8));
    now += milliseconds;
    end();
  }
  return some;
}

test("few busy subscribers have their eight each", () => {
  expect(
    fill(ids(6))
      .counts.values()
      .every((count) => count === 8),
  ).toBe(true);
});

test("however many are busy, 64 are under way at most", () => {
  const fast = answering(100, 5, "fast");
  expect(sum(fill(fast).counts)).toBe(64);
  expect(places.free).toBe(0);
});

describe("nine that hang", () => {
  test("leave places to one that nobody knows yet, also when they came first", () => {
    expect(sum(fill(ids(9)).counts)).toBe(48);
    expect(fill(["healthy"]).counts.get("healthy")).toBe(2);
  });

  test("are given 32 places from then on, and whoever answers fast has eight", () => {
    const slow = answering(9, 14_000, "slow");
    const [healthy = ""] = answering(1, 5, "healthy");
    for (let n = 0; n < 5; n++) {
      const { counts, end } = fill([...slow, healthy]);
      expect(sum(counts)).toBe(32 + 8);
      expect(counts.get(healthy)).toBe(8);
      now += 14_000;
      // The healthy subscriber answered long ago; here only its former speed matters.
      end();
      answering(1, 5, "healthy");
    }
  });

  test("are known to hang after a second, without an answer", () => {
    const { counts } = fill(ids(5));
    expect(sum(counts)).toBe(40);
    now += 999;
    expect(places.budget().take("s0", 1)).toBe(true);
    now += 1;
    expect(places.budget().take("s0", 1)).toBe(false);
    expect(places.budget().take("other", 0)).toBe(true);
  });
});

test("forty that hang, and that nobody knows, leave places to those that answer fast", () => {
  const healthy = answering(4, 5, "healthy");
  expect(sum(fill(ids(40)).counts)).toBe(56);
  expect([...fill(healthy).counts.values()]).toEqual([2, 2, 2, 2]);
});

test("one that answers fast again is treated as before", () => {
  answering(1, 14_000, "slow");
  const others = fill(ids(4, "other"));
  expect(sum(others.counts)).toBe(32);
  expect(sum(fill(["slow0"]).counts)).toBe(8);
  now += 10;
  others.end();
});

test("a budget that is asked again has given nothing", () => {
  const [first, second] = [places.budget(), places.budget()];
  for (const budget of [first, second]) {
    let given = 0;
    for (let n = 0; n < 100; n++) if (budget.take(`s${n}`, 0)) given++;
    expect(given).toBe(56);
  }
});
