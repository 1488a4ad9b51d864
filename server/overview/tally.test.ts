import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { cutoffBy } from "../core/cutoff.ts";
import { StoreUnavailable } from "../core/store.ts";
import { rangeIn, spanIn } from "../core/time-range.ts";
import { barsOf } from "./bars.ts";
import { readCounts } from "./counts.ts";
import { latencyLabel, latencyQuantile } from "./latency.ts";
import { projectStorage } from "./storage.ts";
import { Tally } from "./tally.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

const minute = 60_000;
const hour = 60 * minute;
const noon = Date.parse("2026-11-21T12:00:00Z");

const at = (time: { now: number }, store = installation.ctx.store) =>
  new Tally({ store, now: () => time.now, cutoff: cutoffBy(() => time.now) });
const counted = (projectId: string, since: number, until: number) =>
  readCounts(installation.ctx.store, projectId, { since, until }, until);

test("counts come to their bars, in short ones and in hours", async () => {
  const time = { now: noon };
  const tally = at(time);
  for (const [minutes, count] of [
    [0, 2],
    [4, 1],
    [5, 1],
    [61, 7],
  ] as const) {
    time.now = noon + minutes * minute;
    for (let i = 0; i < count; i++) tally.count("bars", "report", "error");
    await tally.flush();
  }
  const short = await counted("bars", noon, noon + 65 * minute);
  expect(short.bar).toBe(5 * minute);
  expect(short.labels("report").get("error")).toEqual([3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
  const long = await counted("bars", noon - 100 * hour, noon + 2 * hour);
  expect(long.bar).toBe(hour);
  expect(long.bars("report").slice(-3)).toEqual([0, 4, 7]);
  expect(long.total("report")).toBe(11);
});

test("what storage refuses waits, and is counted once", async () => {
  const { store } = installation.ctx;
  let refuse = true;
  const refusing = Object.create(store, {
    writeDerived: {
      value: (...given: Parameters<typeof store.writeDerived>) =>
        refuse ? Promise.reject(new StoreUnavailable("full")) : store.writeDerived(...given),
    },
  }) as typeof store;
  const tally = at({ now: noon }, refusing);
  tally.count("refused", "repeat");
  await tally.flush();
  tally.count("refused", "repeat");
  expect((await counted("refused", noon, noon + hour)).total("repeat")).toBe(0);
  refuse = false;
  await tally.flush();
  await tally.flush();
  expect((await counted("refused", noon, noon + hour)).total("repeat")).toBe(2);
});

test("labels from outside are so many and no more", async () => {
  const tally = at({ now: noon });
  for (let i = 0; i < 500; i++) tally.count("labels", "ticket", `token ${i}`);
  await tally.flush();
  const totals = (await counted("labels", noon, noon + hour)).totals("ticket");
  expect(totals.size).toBe(201);
  expect(totals.get("other")).toBe(300);
});

test("old counts go", async () => {
  const { project } = installation.made;
  await installation.ctx.store.write((tx) => tx.run("update tally set project_id = 'gone' where project_id = 'bars'"));
  const time = { now: noon - 500 * 24 * hour };
  const tally = at(time);
  tally.count(project.id, "report", "error");
  await tally.flush();
  time.now = noon;
  tally.count(project.id, "report", "error");
  await tally.flush();
  await tally.sweep();
  const rows = await installation.ctx.store.all<{ at: number }>(
    "select at from tally where project_id = $1 and series = 'report' order by at",
    [project.id],
  );
  expect(rows.map((row) => row.at)).toEqual([noon, noon]);
  expect(await installation.ctx.store.all("select at from tally where project_id = 'gone'")).toEqual([]);
});

test("storage is told with the day on which it is full", async () => {
  const { ctx, made } = installation;
  const usage = (bytes: number) =>
    ctx.store.write((tx) =>
      tx.run(
        `insert into project_usage (project_id, events, bytes, file_bytes, day, day_bytes) values ($1, 1, $2, 10, '', 0)
         on conflict (project_id) do update set bytes = excluded.bytes`,
        [made.project.id, bytes],
      ),
    );
  const asked = (now: number, free: number) =>
    projectStorage({ store: ctx.store, now, projectId: made.project.id, space: () => ({ bytes: free, low: false }) });
  const time = { now: noon };
  const tally = at(time);
  await usage(1_000);
  await tally.flush();
  expect(await asked(noon, 1e9)).toMatchObject({ perDayBytes: null, fullAt: null, by: null, attachmentsBytes: 10 });
  await usage(3_000);
  const later = noon + 48 * hour;
  expect(await asked(later, 2_000)).toMatchObject({
    perDayBytes: 1_000,
    fullAt: new Date(later + 48 * hour).toISOString(),
    by: "disk",
    reportsBytes: 2_990,
  });
});

test("ranges", () => {
  const query = (text: string) => new URLSearchParams(text);
  expect(rangeIn(query("range=24h"), noon)).toEqual({ since: noon - 24 * hour });
  expect(rangeIn(query(""), noon)).toEqual({});
  expect(spanIn(query("since=2026-11-20T00:00:00Z&until=2026-11-20T12:00:00Z"), noon)).toEqual({
    since: noon - 36 * hour,
    until: noon - 24 * hour,
  });
  for (const wrong of ["range=1y", "range=toString", "since=soon", "since=2026-11-22T00:00:00Z"]) {
    expect(() => spanIn(query(wrong), noon)).toThrow();
  }
  const bars = (hours: number) => barsOf({ since: noon - hours * hour, until: noon }, noon).bar / minute;
  expect([1, 24, 168, 720, 9_600].map(bars)).toEqual([5, 15, 60, 360, 10_080]);
});

test("quantiles of latencies", () => {
  expect(latencyQuantile(new Map(), 0.95)).toBeNull();
  expect([3, 50, 51, 400_000].map(latencyLabel)).toEqual(["50", "50", "100", "more"]);
  expect(
    latencyQuantile(
      new Map([
        ["50", 90],
        ["100", 10],
      ]),
      0.95,
    ),
  ).toBe(75);
  expect(latencyQuantile(new Map([["more", 1]]), 0.95)).toBe(300_000);
});
