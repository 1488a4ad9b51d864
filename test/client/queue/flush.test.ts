import { expect, spyOn, test } from "bun:test";
import type { IngestOptions } from "@intake/client/ingest";
import { inTime } from "../../support/in-time.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { clientBehind } from "./client-behind.ts";
import type { Fault } from "./faulty-way.ts";
import { memoryStore } from "./memory-store.ts";
import { settled } from "./watched.ts";

describeTargets("flush and close", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  const clientWith = (faults?: Fault[], options?: Partial<IngestOptions>) => clientBehind(target(), faults, options);

  test("flush is one promise for all who ask at the same time for as long", async () => {
    const { way, reports } = await clientWith(["stall"], { timeoutMs: 300 });
    reports.capture({ title: "1" });
    const [first, second, short] = [reports.flush(5_000), reports.flush(5_000), reports.flush(1)];
    expect(second).toBe(first);
    // A call with a shorter time limit is not held up by one with a longer limit.
    expect(await short).toBe(false);
    expect(await first).toBe(true);
    expect(reports.flush(5_000)).not.toBe(first);
    way.close();
  });

  test("flush is true when all is delivered, false when something waits or was dropped meanwhile", async () => {
    const { way, reports } = await clientWith(["pass", { status: 400 }, { status: 429, retryAfter: "3600" }]);
    expect(await reports.flush()).toBe(true);
    reports.capture({ title: "delivered" });
    expect(await reports.flush()).toBe(true);
    reports.capture({ title: "refused" });
    expect(await reports.flush()).toBe(false);
    expect(await reports.flush()).toBe(true);
    reports.capture({ title: "waits" });
    expect(await reports.flush(50)).toBe(false);
    way.close();
  });

  test("flush waits for what is submitted as well", async () => {
    const { way, reports } = await clientWith([{ status: 503 }]);
    let done = false;
    const submitted = reports.submit({ title: "1" }).then(() => {
      done = true;
    });
    expect(await reports.flush()).toBe(true);
    await submitted;
    expect(done).toBe(true);
    way.close();
  });

  test.each([0, 1, 100, 400])("flush of %p ms takes that long at most, whatever hangs", async (ms) => {
    const { way, reports } = await clientWith(["stall"], {
      beforeSend: (report) => (report.type === "hangs" ? new Promise<null>(() => {}) : report),
      timeoutMs: 2_000,
    });
    reports.capture({ title: "stalls" });
    reports.capture({ type: "hangs" });
    expect(await inTime(ms + 150, reports.flush(ms))).toBe(false);
    await reports.close(0);
    way.close();
  });

  test("flush for ever ends when all is delivered, not before", async () => {
    const { way, reports } = await clientWith([{ status: 503 }]);
    reports.capture({ title: "1" });
    expect(await reports.flush(Number.POSITIVE_INFINITY)).toBe(true);
    expect(reports.stats().sent).toBe(1);
    way.close();
  });

  test("flush tries at once, however long the next wait was to be", async () => {
    const failed = Array.from({ length: 6 }, (): Fault => ({ status: 503 }));
    const { way, reports } = await clientWith(failed);
    reports.capture({ title: "1" });
    const trySix = async () => {
      for (let index = 1; index <= 6; index++) {
        const flushed = reports.flush(0);
        await way.arrived(index);
        await flushed;
      }
    };
    // The five waits between them would be more than 7.75 s in the mean, and 5.4 s at least.
    await inTime(4_000, trySix());
    await settled(reports);
    way.close();
  });

  test("waits between tries grow", async () => {
    const chance = spyOn(Math, "random").mockReturnValue(0.5);
    const { way, reports } = await clientWith(Array.from({ length: 4 }, (): Fault => "reset"));
    reports.capture({ title: "1" });
    await way.arrived(5);
    chance.mockRestore();
    const waits = way.arrivals.slice(1).map(({ at }, index) => at - (way.arrivals[index]?.at ?? 0));
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThan(250 * 2 ** index * 0.7);
    expect(await reports.flush()).toBe(true);
    way.close();
  });

  test("close flushes, then refuses, and a second close is nothing new", async () => {
    const { way, reports, drops } = await clientWith();
    reports.capture({ title: "1" });
    expect(await reports.close()).toBe(true);
    const late = reports.capture({ title: "2" });
    await settled(reports);
    expect(drops.get(late)).toBe("closed");
    expect(await reports.close()).toBe(true);
    expect(way.arrivals.length).toBe(1);
    way.close();
  });

  test("close gives up what memory alone has, packed or not", async () => {
    const { way, reports, violations } = await clientWith([{ status: 503 }, { status: 503 }], {
      beforeSend: (report) => (report.type === "hangs" ? new Promise<null>(() => {}) : report),
    });
    reports.capture({ title: "1" });
    reports.capture({ type: "hangs" });
    expect(await reports.close(50)).toBe(false);
    expect(reports.stats()).toMatchObject({ captured: 2, queued: 0, dropped: { closed: 2 } });
    expect(violations).toEqual([]);
    way.close();
  });

  test("a closed client sends nothing more of what its store keeps", async () => {
    const { way, reports } = await clientWith(["stall", "pass"], { store: memoryStore(), timeoutMs: 500 });
    reports.capture({ title: "1" });
    await way.arrived(1);
    expect(await reports.close(50)).toBe(false);
    expect(reports.stats()).toMatchObject({ captured: 1, queued: 1 });
    // Longer than the try under way and the wait after it.
    const more = await Promise.race([way.arrived(2), new Promise((resolve) => setTimeout(resolve, 1_500))]);
    expect(more).toBeUndefined();
    way.close();
  });

  test("waitUntil is given a promise that ends when what was captured is sent", async () => {
    const given: Promise<unknown>[] = [];
    const { way, reports } = await clientWith([{ status: 503 }], { waitUntil: (done) => given.push(done) });
    reports.capture({ title: "1" });
    reports.capture({ title: "2" });
    expect(given.length).toBe(2);
    await Promise.all(given);
    expect(reports.stats()).toMatchObject({ sent: 2, queued: 0 });
    way.close();
  });
}
