import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { AbortError, IntakeError, TimeoutError } from "./errors.ts";
import { withTimeout } from "./with-timeout.ts";

/** Timers that were set and have neither fired nor been cleared. */
const timers = new Set<unknown>();
let set: typeof setTimeout;
let clear: typeof clearTimeout;

beforeEach(() => {
  timers.clear();
  [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
  spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms: number) => {
    const timer = set(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
    return timer;
  }) as typeof setTimeout);
  spyOn(globalThis, "clearTimeout").mockImplementation(((timer: Timer) => {
    timers.delete(timer);
    clear(timer);
  }) as typeof clearTimeout);
});
afterEach(() => {
  globalThis.setTimeout = set;
  globalThis.clearTimeout = clear;
});

/** A real signal that counts its listeners. */
function counted() {
  const controller = new AbortController();
  const listeners = new Set<unknown>();
  const { signal } = controller;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (type: string, listener: never) => {
    listeners.add(listener);
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: never) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  return { controller, signal, listeners };
}

/** The outcome of the promise, as a word. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value,
    (error: Error) => (error instanceof IntakeError ? error.name : error.message),
  );
}

type Work = (signal: AbortSignal) => Promise<string>;
const works: Record<string, [work: Work, expected: string]> = {
  "is done": [async () => "done", "done"],
  fails: [() => Promise.reject(new Error("failed")), "failed"],
  "throws at once": [
    () => {
      throw new Error("at once");
    },
    "at once",
  ],
};
test.each(Object.entries(works))("work that %s leaves no timer and no listener", async (_, [work, expected]) => {
  const { signal, listeners } = counted();
  expect(await outcome(withTimeout(60_000, signal, work))).toBe(expected);
  expect([timers.size, listeners.size]).toEqual([0, 0]);
});

test("time that is up is a TimeoutError, tells the work to stop, and leaves nothing", async () => {
  const { signal, listeners } = counted();
  let told: AbortSignal | undefined;
  const never = withTimeout(10, signal, (own) => {
    told = own;
    return new Promise(() => {});
  });
  expect(await never.catch((error: unknown) => error)).toBeInstanceOf(TimeoutError);
  expect(told?.aborted).toBe(true);
  expect(signal.aborted).toBe(false);
  expect([timers.size, listeners.size]).toEqual([0, 0]);
});

test("an abort is an AbortError at once, tells the work to stop, and leaves nothing", async () => {
  const { controller, signal, listeners } = counted();
  let told: AbortSignal | undefined;
  const never = withTimeout(60_000, signal, (own) => {
    told = own;
    return new Promise(() => {});
  });
  expect(listeners.size).toBe(1);
  controller.abort();
  expect(await never.catch((error: unknown) => error)).toBeInstanceOf(AbortError);
  expect(told?.aborted).toBe(true);
  expect([timers.size, listeners.size]).toEqual([0, 0]);
});

test("a signal that is aborted already begins nothing", async () => {
  const { controller, signal, listeners } = counted();
  controller.abort();
  let begun = false;
  const work = async () => {
    begun = true;
  };
  expect(await outcome(withTimeout(60_000, signal, work))).toBe("AbortError");
  expect(begun).toBe(false);
  expect([timers.size, listeners.size]).toEqual([0, 0]);
});

test("a wait longer than a timer can be does not end at once", async () => {
  let finish = (_: string) => {};
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const waiting = [2 ** 31, 1e12, Number.POSITIVE_INFINITY].map((ms) => withTimeout(ms, undefined, () => work));
  await new Promise((resolve) => set(resolve, 20));
  finish("done");
  expect(await Promise.all(waiting)).toEqual(["done", "done", "done"]);
});

test("a pause ends by itself, or at once by its signal", async () => {
  const { controller, signal, listeners } = counted();
  const began = performance.now();
  await withTimeout(20, signal);
  expect(performance.now() - began).toBeGreaterThan(18);
  const waiting = withTimeout(60_000, signal);
  controller.abort();
  expect(await outcome(waiting)).toBe("AbortError");
  expect([timers.size, listeners.size]).toEqual([0, 0]);
});

test("in whatever order work, time and abort come, the first counts and nothing is left", async () => {
  const moment = fc.nat({ max: 3 });
  await fc.assert(
    fc.asyncProperty(moment, moment, fc.option(moment), fc.boolean(), async (ms, workMs, abortMs, fails) => {
      const { controller, signal, listeners } = counted();
      const abort = abortMs === null ? undefined : set(() => controller.abort(), abortMs);
      const work = () =>
        new Promise<string>((resolve, reject) => {
          set(() => (fails ? reject(new Error("failed")) : resolve("done")), workMs);
        });
      const result = await outcome(withTimeout(ms, signal, work));
      clear(abort);
      expect(["done", "failed", "TimeoutError", "AbortError"]).toContain(result as string);
      if (abortMs === null) expect(result).not.toBe("AbortError");
      expect([timers.size, listeners.size]).toEqual([0, 0]);
    }),
  );
});
