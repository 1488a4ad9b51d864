import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Context } from "../../../server/core/context.ts";
import type { Sql, Value } from "../../../server/core/store.ts";
import { EnvelopeReader } from "../../../server/envelope/envelope-reader.ts";
import { showOverview } from "../../../server/overview/show-overview.ts";
import { showVolume } from "../../../server/overview/show-volume.ts";
import { listReports } from "../../../server/reports/list-reports.ts";
import { matchSyntax } from "../../../server/reports/match-syntax.ts";
import { ReportIndex } from "../../../server/reports/report-index.ts";
import { searchReports } from "../../../server/reports/search-reports.ts";
import { showReport } from "../../../server/reports/show-report.ts";
import { suggest } from "../../../server/reports/suggest.ts";
import { onPostgres } from "../../support/databases.ts";
import { computed } from "../../support/in-time.ts";
import { type Installation, install } from "../../support/installation.ts";
import { openFiles } from "../../support/kept-files.ts";
import { openStore } from "../../support/open-store.ts";
import { queryPlan } from "../../support/query-plan.ts";
import { isUndelivered, seedDeliveries, seeded, seedReports } from "./seed.ts";

/** PostgreSQL takes three times the processor time for each, and half of them are more than any limit of a search. */
const reports = onPostgres ? 50_000 : 100_000;
const reader = new EnvelopeReader();
let installation: Installation;
let ids: string[];
let index: ReportIndex;

beforeAll(async () => {
  installation = await install();
  ids = await seedReports(installation, reports);
  await seedDeliveries(installation, ids);
  index = new ReportIndex({ store: installation.ctx.store, reader, now: installation.ctx.now });
  await index.start();
  await index.finish();
  await index.stop();
}, 600_000);

afterAll(async () => {
  reader.close();
  await installation.remove();
});

const list = (query: string, more: { limit?: number; cursor?: string | undefined; since?: number } = {}) =>
  listReports({
    ctx: installation.ctx,
    reader,
    index,
    input: { projectId: installation.made.project.id, query, limit: 50, ...more },
  });

function volumeOf(query: string) {
  const { ctx, made } = installation;
  const now = ctx.now();
  const span = { since: now - 30 * 86_400_000, until: now };
  return showVolume({ ctx, reader, input: { projectId: made.project.id, query, span } });
}

const queries: [string, (report: ReturnType<typeof seeded>, i: number) => boolean][] = [
  ["level:fatal", ({ level }) => level === "fatal"],
  ["-level:error,warning", ({ level }) => level !== "error" && level !== "warning"],
  ["env:staging type:crash", ({ app, type }) => app.environment === "staging" && type === "crash"],
  ["release:4.1.*", ({ app }) => app.version.startsWith("4.1.")],
  ["tag.build:77 -level:error", ({ tags, level }) => tags.build === "77" && level !== "error"],
  ["user.id:u-17", ({ user }) => user.id === "u-17"],
  ["cart500", ({ title }) => title.endsWith("cart500")],
  ["rangee wishlist -fatal", ({ title, tags }) => title.startsWith("RangeError") && tags.screen === "wishlist"],
  ["attempt 9999", (_, i) => String(i).startsWith("9999")],
  // Beginnings of many words: those of few reports, and those of more than SQLite's index merges at once.
  ["number77 -wishlist", (report, i) => String(i).startsWith("77") && !report.title.includes("wishlist")],
  ["-number77 level:fatal", ({ level }, i) => !String(i).startsWith("77") && level === "fatal"],
  ["number level:fatal", ({ level }) => level === "fatal"],
  ["is:repeated", (_, i) => i % 400 === 0],
  ["level:error is:repeated", (_, i) => i % 400 === 0],
  ["-level:fatal rangee is:repeated", ({ title }, i) => i % 400 === 0 && title.startsWith("RangeError")],
  ["is:undelivered", (_, i) => isUndelivered(i)],
  ["level:error,debug is:undelivered", ({ level }, i) => isUndelivered(i) && /error|debug/.test(level ?? "")],
  ["is:undelivered could -wishlist", ({ title }, i) => isUndelivered(i) && !title.includes("wishlist")],
  ["is:undelivered is:repeated", (_, i) => isUndelivered(i) && i % 400 === 0],
];

describe.each(queries)("%s", (query, wanted) => {
  test("finds every one that it asks for, in order, page by page", async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(query, { limit: 200, cursor });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.next ?? undefined;
    } while (cursor && found.length < 1_000);
    const expected = ids.filter((_, i) => wanted(seeded(i), i)).reverse();
    expect(expected.length).toBeGreaterThan(0);
    expect(found).toEqual(expected.slice(0, found.length));
    if (!cursor) expect(found).toHaveLength(expected.length);
  });

  test("is counted, by bar and level, as far as there is time", async () => {
    const volume = await volumeOf(query);
    const from = volume.countedBackTo === undefined ? 0 : Date.parse(volume.countedBackTo);
    const expected = ids
      .map((_, i) => ({ i, at: installation.ctx.now() - (reports - i) * 1_000, ...seeded(i) }))
      .filter((report) => wanted(report, report.i));
    if (expected.length > 10_000) expect(volume.countedBackTo).toBeDefined();
    if (volume.countedBackTo === undefined) {
      expect(volume.total).toBe(expected.length);
      for (const { level, counts } of volume.levels) {
        expect(counts.reduce((sum, count) => sum + count)).toBe(expected.filter((one) => one.level === level).length);
      }
      expect(volume.totalRepeats).toBe(2 * expected.filter(({ i }) => i % 400 === 0).length);
    } else {
      // A slow machine counts fewer reports within the time limit.
      expect(volume.total).toBeWithin(1, 10_001);
      // Bars before the counted time are empty.
      const before = volume.at.filter((at) => Date.parse(at) + volume.stepSeconds * 1_000 <= from).length;
      expect(before).toBeGreaterThan(0);
      for (const { counts } of volume.levels) expect(counts.slice(0, before).every((count) => count === 0)).toBe(true);
    }
  });
});

test("counting lets others have their turn", async () => {
  let [turns, longest, last] = [0, 0, computed()];
  const timer = setInterval(() => {
    turns++;
    longest = Math.max(longest, computed() - last);
    last = computed();
  }, 1);
  const started = computed();
  await Promise.all(["level:error", "-level:fatal", "is:undelivered", "e"].map((query) => volumeOf(query)));
  clearInterval(timer);
  expect(computed() - started).toBeLessThan(4_000);
  expect(turns).toBeGreaterThan(5);
  expect(longest).toBeLessThan(500);
});

test("whatever is asked for, nothing looks through all events", async () => {
  const asked: { sql: Sql; params: readonly Value[] }[] = [];
  const { store } = installation.ctx;
  const listening =
    (method: "all" | "one") =>
    (sql: Sql, params: readonly Value[] = []) => {
      asked.push({ sql, params });
      return store[method](sql, params);
    };
  const ctx = { ...installation.ctx, store: { ...store, all: listening("all"), one: listening("one") } } as Context;
  const projectId = installation.made.project.id;
  const since = ctx.now() - 86_400_000;
  for (const [query] of [...queries, ["has:attachment is:undelivered -has:dropped"] as const, [""] as const]) {
    await listReports({ ctx, reader, index, input: { projectId, query, limit: 50, since } });
  }
  await suggest({ ctx, input: { projectId, name: "has", prefix: "" } });
  await searchReports({ ctx, input: { query: "cart", limit: 5 } });
  await searchReports({ ctx, input: { query: ids[0] ?? "", limit: 5 } });
  const span = { since, until: ctx.now() };
  for (const [query] of queries) await showVolume({ ctx, reader, input: { projectId, query, span } });
  await showOverview({ ctx, input: { projectId, span }, space: () => ({ bytes: 1e9, low: false }) });

  // A store of its own: SQLite's statements that explain keep their connection at what it has read.
  const planning = await openStore(installation.folder);
  const plans: { sql: string; plan: string[] }[] = [];
  for (const { sql, params } of asked) {
    plans.push({
      sql: typeof sql === "string" ? sql : sql[store.engine],
      plan: await queryPlan(planning, sql, params),
    });
  }
  await planning.close();
  expect(plans.length).toBeGreaterThan(30);
  const whole = plans.filter(({ plan }) => plan.some((step) => readsWhole[store.engine].test(step)));
  expect(whole).toEqual([]);
  const sorted = plans.filter(
    ({ sql, plan }) => /from event e/.test(sql) && plan.some((step) => sorts[store.engine].test(step)),
  );
  expect(sorted).toEqual([]);
});

/** Steps of a plan that read a large table whole, and those that sort. */
const readsWhole = {
  sqlite: /^SCAN (e|event|envelope|attachment|n|report_number|tally|delivery|d|m|a)\b/,
  postgres: /Seq Scan on (event|envelope|attachment|report_number|tally|delivery|message)\b/,
};
const sorts = { sqlite: /TEMP B-TREE/, postgres: /\bSort\b/ };

test("the look-around is bounded, and told", async () => {
  const started = computed();
  const page = await list("-level:fatal,error,warning,info,debug");
  expect(computed() - started).toBeLessThan(2_500);
  expect(page.items).toEqual([]);
  // Either the search came to its end, or it says how far it came and the next page continues there.
  expect(page.next === null).toBe(page.lookedBackTo === undefined);
});

test("whatever is typed, it is never an error", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      '"',
      "*",
      "^",
      "NEAR(",
      "AND",
      "OR",
      "NOT",
      "level:",
      "tag.a:",
      "-",
      "(",
      ")",
      ":",
      "ab",
      "¤pab",
      "release:4*",
      "⑴ab",
      "🄀𠀀",
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), fc.boolean(), async (words, spaced) => {
      const { items } = await list(words.join(spaced ? " " : ""), { limit: 1, since: installation.ctx.now() - 60_000 });
      expect(items.length).toBeLessThan(2);
    }),
    { numRuns: 300 },
  );
}, 180_000);

test("a damaged envelope keeps no other report from being found", async () => {
  const { ctx, made } = installation;
  const [damaged = "", sound = ""] = [ctx.newId(), ctx.newId()];
  for (const [id, title, bytes] of [
    [damaged, "quagga one", new Uint8Array([0x1f, 0x8b, 1])],
    [sound, "quagga two", Buffer.from("{}")],
  ] as const) {
    await ctx.store.write(function* (tx) {
      yield* tx.run(
        `insert into event (id, project_id, key_id, digest, title, received_at, envelope_bytes, stored_bytes,
           delivery_count, repeat_count) values ($1, $2, $3, '', $4, $5, 1, 1, 0, 0)`,
        [id, made.project.id, made.sdkKey.id, title, ctx.now()],
      );
      yield* tx.run("insert into envelope (event_id, encoding, bytes) values ($1, 'gzip', $2)", [id, bytes]);
    });
  }
  const index = new ReportIndex({ store: ctx.store, reader, now: ctx.now });
  await index.start();
  await index.finish();
  await index.stop();
  expect((await list("quagga")).items.map(({ id }) => id)).toEqual([sound, damaged]);
  const tools = { files: openFiles(installation.folder), reader };
  expect(await showReport({ ctx, tools, input: { id: damaged } })).toMatchObject({
    title: "quagga one",
    message: null,
  });
});

test("what is deleted is found no more", async () => {
  const { ctx, made } = installation;
  const [gone] = (await list("cart500")).items;
  const before = (await list("cart500")).items.length;
  await ctx.store.write((tx) => tx.run("delete from event where id = $1", [gone?.id ?? ""]));
  expect((await list("cart500")).items).toHaveLength(before - 1);
  const select = {
    sqlite: "select rowid from report_text where report_text match $1",
    postgres: "select number from report_text where terms @@ cast($1 as tsquery)",
  };
  const left = await ctx.store.all(select, [matchSyntax[ctx.store.engine].term("cart500")]);
  expect(left).toHaveLength(before - 1);
  expect(made.project.id).toBeString();
});
