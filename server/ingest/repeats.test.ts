import { afterEach, beforeEach, expect, test } from "bun:test";
import { attachment, envelope, eventCount, eventTools, storeReport } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Sql } from "../core/store.ts";
import { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { deleteEvent } from "./delete-events.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

async function numbers<Names extends string>(sql: Sql): Promise<Record<Names, number>> {
  return (await installation.ctx.store.one<Record<Names, number>>(sql)) as Record<Names, number>;
}

test("while the clock is not trusted an old report is a repeat, also among very many of its id", async () => {
  const { store } = installation.ctx;
  const reportId = crypto.randomUUID();
  const parts = (n: number) => [envelope({ reportId, n })];
  const sent = new Map<string, number>();
  for (let n = 0; n < 30; n++) sent.set((await storeReport(installation, parts(n))).eventId, n);
  await store.write((tx) => tx.run("update receipt set received_at = received_at - $1", [100 * 86_400_000]));
  const cutoff = () => Number.NEGATIVE_INFINITY;
  for (const [eventId, n] of sent) {
    expect(await storeReport(installation, parts(n), { cutoff })).toMatchObject({ eventId, idempotent: true });
  }
  expect(await eventCount(installation)).toBe(30);
});

test("the keys of repeats count as stored bytes, and go with their events", async () => {
  const { ctx } = installation;
  const usage = () =>
    numbers<"bytes" | "day_bytes">(withProjectUsage((usage) => `select bytes, day_bytes from ${usage}`));
  const keys = () =>
    numbers<"count" | "bytes">(
      `select cast(count(*) as integer) as count, 2 * sum(length(key) + 8 + length(binding)) as bytes from repeat_key`,
    );
  const files = Array.from({ length: 5 }, (_, i) => attachment(`file ${i}`, i));
  const send = (reportId: string, n: number, sentAt = 0) =>
    storeReport(installation, [envelope({ reportId, sentAt, n }), ...files]);

  const reportId = crypto.randomUUID();
  await send(reportId, 1);
  const once = await usage();
  // A repeat that is written differently: only the keys of the first report are stored for it.
  expect(await send(reportId, 1, 1)).toMatchObject({ idempotent: true });
  const twice = await usage();
  const first = await keys();
  expect(first.count).toBe(32);
  expect(twice.bytes - once.bytes).toBeGreaterThanOrEqual(first.bytes);
  await send(reportId, 2);
  const { count, bytes } = await keys();
  expect(count).toBe(64);
  const after = await usage();
  expect(after.bytes - twice.bytes - once.bytes).toBeGreaterThanOrEqual(bytes - first.bytes);
  expect(after.day_bytes).toBe(after.bytes);
  expect(await numbers("select sum(stored_bytes) as bytes from event")).toEqual({ bytes: after.bytes });

  for (const { id } of await ctx.store.all<{ id: string }>("select id from event")) {
    await deleteEvent({ ctx, tools: eventTools(installation), input: { id } });
  }
  expect(await usage()).toEqual({ bytes: 0, day_bytes: after.day_bytes });
});

for (const [name, padding] of [
  ["small", 10],
  ["large", 100_000],
] as const) {
  test(`with hardly any time to read, each sending of a ${name} report goes on where the last one ended`, async () => {
    const { store } = installation.ctx;
    const reportId = crypto.randomUUID();
    const parts = (n: number, bytes: number) => [envelope({ reportId, n, text: "x".repeat(bytes) })];
    const others = 12;
    for (let n = 0; n < others; n++) await storeReport(installation, parts(n, 100_000));
    // Receipts as an older binary has left them.
    await store.write(function* (tx) {
      yield* tx.run("delete from repeat_key");
      yield* tx.run("delete from reused_report_id");
      yield* tx.run("update receipt set canonical = null");
    });
    // The number of digests that were made, and of receipts that are found by their keys afterwards.
    const progress = () =>
      numbers<"digests" | "keys">(
        `select cast(count(canonical) as integer) as digests,
           (select cast(count(*) as integer) from repeat_key) as keys from receipt`,
      );
    let before = await progress();
    for (let sendings = 1; ; sendings++) {
      // A minute later the processor time that was spent does not count any more.
      const reader = new EnvelopeReader();
      const sent = storeReport(installation, parts(others, padding), { reader, readingMilliseconds: 0.001 });
      const outcome = await sent.catch((error: unknown) => error).finally(() => reader.close());
      if (!(outcome instanceof Error)) {
        expect(outcome).toMatchObject({ idempotent: false, warnings: [{ code: "report_id_reused" }] });
        break;
      }
      expect(outcome).toBeInstanceOf(RateLimited);
      const now = await progress();
      // Once all receipts have keys, the processor time is left for the report itself.
      expect(now.digests > before.digests || now.keys > before.keys || now.keys === others).toBe(true);
      expect(sendings).toBeLessThan(2 * others);
      before = now;
    }
    expect(await eventCount(installation)).toBe(others + 1);
  });
}
