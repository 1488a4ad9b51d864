import { expect, test } from "bun:test";
import { idMaker } from "./ids.ts";

test("ids rise within a millisecond and when the clock steps back", () => {
  let now = 1_800_000_000_000;
  const newId = idMaker(() => now);
  const ids: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    if (i === 10_000) now -= 60_000;
    ids.push(newId());
  }
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids rise also when others in the process make ids of other times", () => {
  const newId = idMaker(() => 1_800_000_000_000);
  const ids = Array.from({ length: 1_000 }, (_, i) => {
    Bun.randomUUIDv7("hex", 1_800_000_000_000 + i);
    return newId();
  });
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  // Their time does not run away from the clock.
  const time = Number.parseInt((ids.at(-1) ?? "").replace("-", "").slice(0, 12), 16);
  expect(time - 1_800_000_000_000).toBeWithin(0, 3);
});
