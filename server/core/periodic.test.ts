import { afterEach, beforeEach, expect, test } from "bun:test";
import { configureSync, type LogRecord, resetSync } from "@logtape/logtape";
import { until } from "../../test/support/until.ts";
import { Periodic, type StartTimer } from "./periodic.ts";
import { StoreUnavailable } from "./store.ts";

/** A timer that ticks when the test tells it to. */
class Ticks {
  readonly #ticks = new Set<() => void>();
  readonly intervals: number[] = [];

  readonly start: StartTimer = (tick, milliseconds) => {
    this.intervals.push(milliseconds);
    this.#ticks.add(tick);
    return () => void this.#ticks.delete(tick);
  };

  get running(): number {
    return this.#ticks.size;
  }

  tick() {
    for (const tick of this.#ticks) tick();
  }
}

let ticks: Ticks;
let turns: PromiseWithResolvers<void>[];
let now: number;
let logged: LogRecord[];
let periodic: Periodic;

beforeEach(() => {
  ticks = new Ticks();
  turns = [];
  now = 0;
  logged = [];
  periodic = new Periodic({
    turn: () => {
      const turn = Promise.withResolvers<void>();
      turns.push(turn);
      return turn.promise;
    },
    every: 1_000,
    failed: "the work failed and will be tried again",
    timer: ticks.start,
    monotonic: () => now,
  });
  configureSync({
    reset: true,
    sinks: { kept: (record: LogRecord) => logged.push(record) },
    loggers: [
      { category: "intake", sinks: ["kept"] },
      { category: ["logtape", "meta"], sinks: [] },
    ],
  });
});
afterEach(() => resetSync());

test("a turn comes with every tick, and none before the first", () => {
  periodic.start();
  expect([ticks.intervals, turns.length]).toEqual([[1_000], 0]);
  ticks.tick();
  expect(turns).toHaveLength(1);
});

test("a tick that comes while a turn runs is passed over", async () => {
  periodic.start();
  const run = periodic.wake();
  ticks.tick();
  ticks.tick();
  turns[0]?.resolve();
  await run;
  expect(turns).toHaveLength(1);
  ticks.tick();
  expect(turns).toHaveLength(2);
});

test("a wake begins a turn at once, and before the start too", () => {
  void periodic.wake();
  expect(turns).toHaveLength(1);
});

test("wakes while a turn runs have one more behind it, and wait for that one", async () => {
  void periodic.wake();
  let ended = false;
  const woken = Promise.all([periodic.wake(), periodic.wake()]).then(() => {
    ended = true;
  });
  expect(turns).toHaveLength(1);
  turns[0]?.resolve();
  await until(() => turns.length === 2 || undefined);
  expect(ended).toBe(false);
  turns[1]?.resolve();
  await woken;
  expect(turns).toHaveLength(2);
});

test("a turn that wakes its own work is not overtaken by the next one", async () => {
  let [underWay, most, count] = [0, 0, 0];
  const own: Periodic = new Periodic({
    turn: async () => {
      if (++count < 3) void own.wake();
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      underWay--;
    },
    failed: "",
  });
  await own.wake();
  expect([count, most]).toEqual([3, 1]);
});

test("without an interval there is no timer", () => {
  const woken = new Periodic({ turn: () => {}, failed: "", timer: ticks.start });
  woken.start();
  expect(ticks.intervals).toEqual([]);
});

test("a stop waits for the turn that runs, and no other begins", async () => {
  periodic.start();
  ticks.tick();
  void periodic.wake();
  let stopped = false;
  const stop = periodic.stop().then(() => {
    stopped = true;
  });
  expect([periodic.stopped, ticks.running]).toEqual([true, 0]);
  await Promise.resolve();
  expect(stopped).toBe(false);
  turns[0]?.resolve();
  await stop;
  await periodic.wake();
  expect(turns).toHaveLength(1);
});

test("it stops before it was started, and starts again after a stop", async () => {
  await periodic.stop();
  periodic.start();
  periodic.start();
  expect(ticks.running).toBe(1);
  ticks.tick();
  expect(turns).toHaveLength(1);
});

test("a turn that fails is logged, and the next one comes", async () => {
  periodic.start();
  const run = periodic.wake();
  turns[0]?.reject(new Error("no such table"));
  await run;
  expect(logged.map(({ level, rawMessage, properties }) => [level, rawMessage, String(properties["error"])])).toEqual([
    ["warning", "the work failed and will be tried again", "Error: no such table"],
  ]);
  ticks.tick();
  expect(turns).toHaveLength(2);
});

test("a turn that throws before it waits is logged too", async () => {
  const failing = new Periodic({
    turn: () => {
      throw new Error("at once");
    },
    failed: "it failed",
  });
  await failing.wake();
  expect(logged).toHaveLength(1);
});

test("the same error is logged once a minute, another one at once", async () => {
  const fail = async (message: string, at: number) => {
    now = at;
    const run = periodic.wake();
    turns.at(-1)?.reject(new Error(message));
    await run;
    return logged.length;
  };
  expect(await fail("a", 0)).toBe(1);
  expect(await fail("a", 59_999)).toBe(1);
  expect(await fail("b", 59_999)).toBe(2);
  expect(await fail("b", 119_998)).toBe(2);
  expect(await fail("b", 119_999)).toBe(3);
});

test("storage that cannot commit has told so itself", async () => {
  const run = periodic.wake();
  turns[0]?.reject(new StoreUnavailable("the disk is full"));
  await run;
  expect(logged).toEqual([]);
});

test("a timer of its own keeps no process alive", async () => {
  const module = JSON.stringify(`${import.meta.dir}/periodic.ts`);
  const script = `import { Periodic } from ${module};
    new Periodic({ turn: () => {}, every: 3_600_000, failed: "" }).start();`;
  const child = Bun.spawn([process.execPath, "-e", script]);
  expect(await child.exited).toBe(0);
});
