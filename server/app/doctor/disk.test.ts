import { Database } from "bun:sqlite";
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reader } from "../../core/store.ts";
import { forecast, syncTimes } from "./disk.ts";

const folder = mkdtempSync(join(tmpdir(), "intake-disk-"));
afterAll(() => rmSync(folder, { recursive: true }));

const day = 86_400_000;
const now = Date.now();
let db: Database;
let reader: Reader;
beforeEach(() => {
  db = new Database(":memory:", { strict: true });
  db.run("create table event (stored_bytes real, received_at real)");
  db.run("create table ticket (created_at real)");
  const all = async (sql: unknown, params: readonly unknown[] = []) =>
    db.query(sql as string).all(...(params as number[])) as never[];
  reader = { engine: "sqlite", all, one: async (sql, params) => (await all(sql, params))[0] };
});
const stored = (bytes: number, daysAgo: number) =>
  db.run("insert into event values (?, ?)", [bytes, now - daysAgo * day]);
const look = (retentionDays = 90) => forecast(reader, { bytes: free, keptFree: 0, now, retentionDays });
const free = 10_000_000_000;

test("nothing stored is nothing to fear", async () => {
  expect(await look()).toMatchObject({ code: "ok" });
});

test("a disk that lasts for ten days is warned of, one that lasts for a month is not", async () => {
  for (let daysAgo = 0.5; daysAgo < 7; daysAgo++) stored(free / 10, daysAgo);
  expect(await look()).toMatchObject({
    code: "disk_forecast",
    severity: "warning",
    text: expect.stringMatching(/ (9|10|11) days;/),
  });
  db.run("update event set stored_bytes = stored_bytes / 3");
  expect(await look()).toMatchObject({ code: "ok" });
});

test("what is about to be too old makes room for what comes", async () => {
  for (let daysAgo = 0.5; daysAgo < 90; daysAgo++) stored(free / 10, daysAgo);
  expect(await look(90)).toMatchObject({ code: "ok", text: "no more is stored than is deleted by its age" });
});

test("an installation of two days is judged by these two", async () => {
  stored(free / 10, 1.99);
  stored(free / 10, 0.5);
  expect(await look()).toMatchObject({ code: "disk_forecast", text: expect.stringMatching(/ (9|10) days;/) });
});

test("syncs are measured, and leave no file", () => {
  expect(syncTimes(folder)).toMatchObject({
    text: expect.stringMatching(/^a sync takes [\d.]+ ms, at most [\d.]+ ms of \d+/),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test("where nothing can be written, nothing is measured", () => {
  expect(syncTimes(join(folder, "absent"))).toEqual({
    code: "ok",
    severity: "ok",
    ok: true,
    text: "not measured (ENOENT)",
  });
});
