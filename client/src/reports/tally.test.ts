import { expect, test } from "bun:test";
import fc from "fast-check";
import type { DropReason, Drops } from "./dropped-error.ts";
import { createTally } from "./tally.ts";

const reason = fc.constantFrom<DropReason>("queue_full", "too_old", "refused", "storage", "closed");
const step = fc.oneof(
  fc.constant("capture" as const),
  fc.record({ sent: fc.boolean(), at: fc.nat() }),
  fc.record({ reason, at: fc.nat() }),
);

const sum = (drops: Drops) => Object.values(drops).reduce((total, count) => total + count, 0);

test("whatever becomes of reports, the equation holds, and each drop is told of exactly once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const counter = createTally();
      const waiting: Drops[] = [];
      const told: Drops[] = [];
      for (const next of steps) {
        if (next === "capture") waiting.push(counter.captured());
        else {
          const [drops] = waiting.splice(next.at % Math.max(1, waiting.length), 1);
          if (!drops) continue;
          if ("reason" in next) counter.dropped(next.reason, drops);
          else {
            counter.sent(next.sent);
            told.push(drops);
          }
        }
        const { captured, sent, queued, dropped, duplicates } = counter.stats;
        expect(captured).toBe(sent + queued + sum(dropped));
        expect(queued).toBe(waiting.length);
        expect(duplicates).toBeLessThanOrEqual(sent);
      }
      told.push(...waiting, counter.captured());
      const total: Drops = {};
      for (const drops of told)
        for (const [name, count] of Object.entries(drops) as [DropReason, number][])
          total[name] = (total[name] ?? 0) + count;
      expect(total).toEqual(counter.stats.dropped);
    }),
  );
});

test("idle is when nothing is queued any more, for everybody who waits", async () => {
  const counter = createTally();
  await counter._idle();
  counter.captured();
  counter.captured();
  let idle = 0;
  const waiting = [counter._idle(), counter._idle()].map((one) => one.then(() => idle++));
  counter.sent();
  await Promise.resolve();
  expect(idle).toBe(0);
  counter.dropped("refused", {});
  await Promise.all(waiting);
  counter.captured();
  const again = counter._idle();
  counter.sent();
  await again;
});
