import { expect, test } from "bun:test";
import type { Attachments, Drops, Report, Stats } from "@intake/client/ingest";
import fc from "fast-check";
import { inTime } from "../../support/in-time.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import type { SentEnvelope } from "../cases/form.ts";
import { clientBehind } from "./client-behind.ts";
import type { Fault } from "./faulty-way.ts";
import { memoryStore } from "./memory-store.ts";
import { storedEnvelopes } from "./stored.ts";
import { total } from "./watched.ts";

const timeoutMs = 400;

const fault = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fault>("pass") },
  fc.constantFrom<Fault>("reset", "lose", "cut", "stall"),
  fc.constantFrom<Fault>({ status: 500 }, { status: 503, retryAfter: "1" }, { status: 429, retryAfter: "1" }),
  fc.constantFrom<Fault>({ status: 429 }, { status: 429, retryAfter: "0" }, { status: 302 }),
  fc.constantFrom<Fault>({ status: 400 }, { status: 401 }, { status: 413 }),
);

/** What `beforeSend` does with a report; the values of the second line drop it. */
const hook = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("nothing", "changes", "takes its time") },
  fc.constantFrom("gives null", "throws", "rejects", "hangs"),
);

const capture = fc.record({
  do: fc.constant("capture" as const),
  hook,
  bytes: fc.constantFrom(0, 0, 10, 3_000, 70_000),
});
const step = fc.oneof(
  { weight: 4, arbitrary: capture },
  fc.record({ do: fc.constant("submit" as const), hook, bytes: fc.constantFrom(0, 3_000) }),
  fc.record({ do: fc.constant("flush" as const), ms: fc.constantFrom(0, 20, 300) }),
  fc.record({ do: fc.constant("go on" as const), turns: fc.nat({ max: 5 }) }),
);

/** Which calls of the store fail, in turn; undefined for a queue without a store. */
const failures = fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), { nil: undefined });

async function beforeSend(report: Report): Promise<Report | null> {
  switch (report.type) {
    case "changes":
      return { ...report, changed: true };
    case "takes its time":
      await new Promise((resolve) => setImmediate(resolve));
      return report;
    case "gives null":
      return null;
    case "throws":
    case "rejects":
      throw new Error("hook");
    case "hangs":
      return new Promise(() => {});
    default:
      return report;
  }
}

describeTargets("the queue", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  test("whatever goes wrong, every report is stored once, in order, or dropped with a reason that is told", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        fc.array(fault, { maxLength: 14 }),
        failures,
        async (steps, faults, failing) => {
          const calls = failing?.values();
          const { way, reports, drops, violations, look } = await clientBehind(target(), [...faults], {
            timeoutMs,
            beforeSend,
            store: failing && memoryStore(() => calls?.next().value ?? false),
          });
          const captured: string[] = [];
          const submitted: Promise<unknown>[] = [];
          for (const [index, one] of steps.entries()) {
            if (one.do === "flush") await flush(one.ms);
            else if (one.do === "go on") {
              for (let turn = 0; turn < one.turns; turn++) await new Promise((resolve) => setImmediate(resolve));
            } else {
              const report = { type: one.hook, title: String(index), reportId: crypto.randomUUID() };
              const attachments: Attachments = one.bytes ? [{ filename: "a", data: new Uint8Array(one.bytes) }] : [];
              if (one.do === "capture") captured.push(reports.capture(report, { attachments }));
              else submitted.push(reports.submit(report, { attachments, maxRetries: 1 }).catch(() => {}));
            }
            look(one.do);
          }

          await Promise.all(submitted);
          way.faults.length = 0;
          while (reports.stats().queued > 0) await flush(3_000);
          captured.push(reports.capture({ title: "tells of the drops" }));
          while (reports.stats().queued > 0) await flush(3_000);
          const stats = reports.stats();
          way.close();

          expect(violations).toEqual([]);
          expect(stats.captured).toBe(captured.length + submitted.length);
          expect(countsOf(drops.values())).toEqual(stats.dropped);
          const mine = new Set(way.arrivals.map(({ envelope }) => envelope.reportId));
          const events = (await storedEnvelopes(target().installation)).filter(({ reportId }) => mine.has(reportId));
          expect(new Set(events.map(({ reportId }) => reportId)).size).toBe(events.length);
          const sent = captured.filter((id) => !drops.has(id));
          expect(events.map(({ reportId }) => reportId).filter((id) => sent.includes(id))).toEqual(sent);
          expect(stats.sent).toBe(stats.captured - total(stats.dropped));
          expect(told(events.filter(({ reportId }) => !drops.has(reportId)))).toEqual(stats.dropped);

          /** The outcome has to be right, and the time limit must not be exceeded. */
          async function flush(ms: number) {
            const before = reports.stats();
            const word = await inTime(ms + 250, reports.flush(ms));
            const { queued, dropped } = reports.stats();
            expect(word).toBe(queued === 0 && total(dropped) === total(before.dropped));
            look("flush");
          }
        },
      ),
      { numRuns: 25, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    );
  }, 180_000);
}

function told(envelopes: readonly SentEnvelope[]): Drops {
  const reasons = envelopes.flatMap(({ clientReport }) => Object.entries(clientReport?.dropped ?? {}));
  return countsOf(reasons.flatMap(([reason, count]) => Array.from({ length: count }, () => reason)));
}

function countsOf(reasons: Iterable<string>): Stats["dropped"] {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
