import { expect, test } from "bun:test";
import { KeyTable } from "./key-table.ts";

const random = () => Math.floor(Math.random() * 2 ** 53);

/** The distance of two places on a circle whose length is 1. */
function apart(one: number, other: number): number {
  const distance = Math.abs(one - other);
  return Math.min(distance, 1 - distance);
}

test("every number is found by its hash, and none by another hash", () => {
  const table = new KeyTable(1_000);
  const rows = Array.from({ length: 50_000 }, (_, i) => ({ hash: random(), number: 1_001 + i }));
  for (const { hash, number } of rows) table.add(hash, number);
  for (const { hash, number } of rows) expect(table.find(hash)).toContain(number);
  for (let i = 0; i < 1_000; i++) expect(table.find(random())).toBeUndefined();
});

test("rows that share a hash are all found", () => {
  const table = new KeyTable(0);
  for (let number = 1; number <= 2_000; number++) table.add(5, number);
  expect(table.find(5)).toHaveLength(2_000);
  expect(table.find(6)).toBeUndefined();
});

test("the highest hashes go on at the first slots", () => {
  const table = new KeyTable(0);
  for (let i = 0; i < 200; i++) table.add(2 ** 53 - 1 - i, i + 1);
  for (let i = 0; i < 200; i++) expect(table.find(2 ** 53 - 1 - i)).toEqual([i + 1]);
});

test("a removed row is found no more, those behind it are, also after the table has grown", () => {
  const table = new KeyTable(0);
  const hashes = Array.from({ length: 400 }, (_, i) => 7_000 + i);
  for (const [i, hash] of hashes.entries()) table.add(hash, i + 1);
  for (let i = 0; i < 400; i += 2) table.remove(7_000 + i, i + 1);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 400; i++) expect(table.find(7_000 + i)).toEqual(i % 2 === 0 ? undefined : [i + 1]);
    for (let i = 0; i < 5_000; i++) table.add(random(), 1_000 + i);
  }
});

test("going through the slots gives every row once, nearly in the order of the hashes", () => {
  const table = new KeyTable(0);
  const hashes = Array.from({ length: 10_000 }, random);
  for (const [i, hash] of hashes.entries()) table.add(hash, i + 1);
  table.remove(hashes[0] as number, 1);
  const rows: { hash: number; number: number }[] = [];
  for (let from = 0; from < table.slots; from += 100) rows.push(...table.between(from, from + 100));
  expect(rows.map(({ number }) => number).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 9_999 }, (_, i) => i + 2),
  );
  let backwards = 0;
  for (const [i, { hash }] of rows.entries()) if (hash < (rows[i - 1]?.hash ?? 0)) backwards++;
  expect(backwards).toBeLessThan(rows.length / 2);
  // The highest hashes may have gone on at the first slots, beside the lowest ones.
  const farthest = Math.max(...rows.map(({ hash }, i) => apart(hash / 2 ** 53, i / rows.length)));
  expect(farthest).toBeLessThan(0.05);
});
