import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { confirmClock, showClock } from "./confirm-clock.ts";
import { DeletionClock } from "./deletion-clock.ts";
import { releaseDate } from "./release-date.ts";
import { setSetting } from "./settings.ts";

const hour = 3_600_000;
const day = 24 * hour;

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

/** A machine whose clock can be set independently of the time that passes. */
class Machine {
  now = Date.now();
  up = 10 * day;
  bootId = "first";

  pass(milliseconds: number) {
    this.now += milliseconds;
    this.up += milliseconds;
  }

  /** Switches the machine off for this long. */
  rest(milliseconds: number) {
    this.now += milliseconds;
    this.up = 1_000;
    this.bootId += "+";
  }

  time = () => ({ now: this.now, uptime: this.up, bootId: this.bootId });

  clock() {
    return new DeletionClock(installation.ctx.store, {
      machine: this.time,
      now: () => this.now,
      monotonic: () => this.up,
    });
  }
}

async function started(machine: Machine): Promise<DeletionClock> {
  const clock = machine.clock();
  await clock.look();
  return clock;
}

/** Runs a server on this machine for a while and stops it. */
async function ranBefore(machine: Machine) {
  const clock = await started(machine);
  machine.pass(3 * hour);
  await clock.stop();
}

test("before the first judgement, and from a clock that jumps ahead, nothing is old", async () => {
  const machine = new Machine();
  const clock = machine.clock();
  expect(clock.cutoff(day)).toBe(Number.NEGATIVE_INFINITY);
  await clock.look();
  expect(clock.cutoff(day)).toBe(machine.now - day);
  machine.now += 100 * day;
  // The change of the clock counts before the next look, too.
  expect(clock.cutoff(day)).toBe(Number.NEGATIVE_INFINITY);
  await clock.look();
  expect(clock.cutoff(day)).toBe(Number.NEGATIVE_INFINITY);
  expect(clock.doubt()?.unexplained).toBeCloseTo(100 * day, -3);
});

test("once the clock agrees again it is trusted by itself", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  machine.now += 100 * day;
  await clock.look();
  machine.pass(5 * day);
  await clock.look();
  expect(clock.trusted()).toBe(false);
  machine.now -= 100 * day;
  await clock.look();
  expect(clock.cutoff(0)).toBe(machine.now);
});

test("one start with a clock 100 days ahead deletes nothing, nor does the next one", async () => {
  const machine = new Machine();
  await ranBefore(machine);
  machine.now += 100 * day;
  for (let start = 0; start < 3; start++) {
    const clock = await started(machine);
    expect(clock.trusted()).toBe(false);
    machine.pass(hour);
    await clock.look();
    await clock.stop();
    expect(clock.trusted()).toBe(false);
  }
});

test("a database without a mark is compared with its newest rows, also at the second start", async () => {
  const machine = new Machine();
  machine.now += 100 * day;
  expect((await started(machine)).trusted()).toBe(false);
  // Rows that are made while the clock is wrong have wrong times.
  await installation.ctx.store.write((tx) =>
    tx.run(
      "insert into audit (id, at, actor_kind, actor_name, action, object) values ($1, 0, 'system', 's', 'a', 'o')",
      [Bun.randomUUIDv7("hex", machine.now)],
    ),
  );
  expect((await started(machine)).trusted()).toBe(false);
});

test("a server that was stopped while the machine ran on is trusted by itself, however long it was", async () => {
  const machine = new Machine();
  await ranBefore(machine);
  machine.pass(100 * day);
  expect((await started(machine)).trusted()).toBe(true);
});

test("a machine that was off for a short while is trusted, one that was off for long is confirmed", async () => {
  const machine = new Machine();
  await ranBefore(machine);
  machine.rest(1.5 * day);
  await (await started(machine)).stop();
  machine.rest(100 * day);
  const clock = await started(machine);
  expect(clock.trusted()).toBe(false);
  const { ctx } = installation;
  expect(await showClock({ ctx, machine: machine.time() })).toMatchObject({ trusted: false });
  machine.pass(hour);
  await confirmClock({ ctx, machine: machine.time() });
  await clock.look();
  expect(clock.cutoff(0)).toBe(machine.now);
  await clock.stop();
  expect((await started(machine)).trusted()).toBe(true);
  expect(await showClock({ ctx, machine: machine.time() })).toMatchObject({ trusted: true });
});

test("how long a machine may have been off is a setting", async () => {
  const machine = new Machine();
  await ranBefore(machine);
  machine.rest(20 * day);
  const clock = await started(machine);
  expect(clock.trusted()).toBe(false);
  await setSetting({ ctx: installation.ctx, input: { name: "clock_gap_days", value: "30" } });
  await clock.look();
  expect(clock.trusted()).toBe(true);
});

test("a machine that sleeps is trusted when it wakes", async () => {
  const machine = new Machine();
  let asleep = 0;
  const clock = new DeletionClock(installation.ctx.store, {
    machine: machine.time,
    now: () => machine.now,
    monotonic: () => machine.up - asleep,
  });
  await clock.look();
  machine.pass(10 * day);
  asleep = 10 * day;
  await clock.look();
  expect(clock.trusted()).toBe(true);
});

test("a clock that stands before this program was made is not trusted and cannot be confirmed", async () => {
  const machine = new Machine();
  machine.now = releaseDate - 30 * day;
  const clock = await started(machine);
  expect(clock.trusted()).toBe(false);
  expect(confirmClock({ ctx: installation.ctx, machine: machine.time() })).rejects.toThrow(
    "before this program was made",
  );
});

test("a clock that steps back is not trusted until it is confirmed", async () => {
  const machine = new Machine();
  machine.now += 200 * day;
  await confirmClock({ ctx: installation.ctx, machine: machine.time() });
  await ranBefore(machine);
  machine.now -= 100 * day;
  const clock = await started(machine);
  expect(clock.doubt()?.unexplained).toBeLessThan(-99 * day);
  await confirmClock({ ctx: installation.ctx, machine: machine.time() });
  await clock.look();
  expect(clock.trusted()).toBe(true);
});

test("what is stored while the clock is far behind has the time that is known to have passed", async () => {
  const machine = new Machine();
  const right = machine.now;
  await ranBefore(machine);
  machine.now -= 100 * day;
  const clock = await started(machine);
  expect(clock.now()).toBe(right + 3 * hour);
  machine.pass(hour);
  expect(clock.now()).toBe(right + 4 * hour);
  await clock.look();
  expect(clock.now()).toBe(right + 4 * hour);
  // Ids contain whole milliseconds.
  machine.up += 0.5;
  expect(Number.isInteger(clock.now())).toBe(true);
  machine.up -= 0.5;
  machine.now += 100 * day;
  expect(clock.now()).toBe(machine.now);
  // In a running server a step back of the clock changes nothing at once either; a step within the gap is followed.
  await clock.look();
  machine.now -= 10 * day;
  expect(clock.now()).toBe(right + 4 * hour);
  machine.now += 9 * day;
  expect(clock.now()).toBe(machine.now);
});

/** What a server, the command line and the doctor report about this clock. */
async function said(clock: DeletionClock, machine: Machine) {
  const { ctx } = installation;
  return { server: clock.trusted(), shown: (await showClock({ ctx, machine: machine.time() })).trusted };
}

test("a clock that runs ahead in steps below the gap is not trusted once their sum is above it", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  const trusted: unknown[] = [];
  for (let step = 0; step < 4; step++) {
    machine.pass(5_600);
    machine.now += 40 * hour;
    await clock.look();
    trusted.push(await said(clock, machine));
  }
  const not = { server: false, shown: false };
  expect(trusted).toEqual([{ server: true, shown: true }, not, not, not]);
  expect(clock.doubt()?.unexplained).toBe(160 * hour);
  expect(clock.cutoff(0)).toBe(Number.NEGATIVE_INFINITY);
});

test("neither the marks of every hour nor those of a stop forget how far the clock is ahead", async () => {
  const machine = new Machine();
  let clock = await started(machine);
  machine.now += 40 * hour;
  machine.pass(2 * hour);
  await clock.look();
  await clock.stop();
  clock = await started(machine);
  expect(await said(clock, machine)).toEqual({ server: true, shown: true });
  machine.now += 40 * hour;
  await clock.look();
  expect(await said(clock, machine)).toEqual({ server: false, shown: false });
});

test("a clock that runs back in steps below the gap is not trusted either", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  machine.pass(100 * day);
  await clock.look();
  for (let step = 0; step < 4; step++) {
    machine.pass(5_600);
    machine.now -= 40 * hour;
    await clock.look();
  }
  expect(await said(clock, machine)).toEqual({ server: false, shown: false });
});

test("a clock that drifts as clocks do stays trusted, however far it gets", async () => {
  for (const rate of [0.0005, -0.0005]) {
    const machine = new Machine();
    machine.now += 100 * day;
    await confirmClock({ ctx: installation.ctx, machine: machine.time() });
    const clock = await started(machine);
    for (let passed = 0; passed < 20 * 360 * day; passed += 40 * day) {
      machine.pass(40 * day);
      machine.now += 40 * day * rate;
      await clock.look();
    }
    // The steps add up to three and a half days, of which little is left unexplained.
    expect(await said(clock, machine)).toEqual({ server: true, shown: true });
    machine.now += 40 * hour;
    await clock.look();
    expect(await said(clock, machine)).toEqual({ server: true, shown: true });
  }
});

test("a clock that runs at a wrong rate is not trusted for long", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  for (let passed = 0; passed < 60 * day; passed += day) {
    machine.pass(day);
    machine.now += day / 20;
    await clock.look();
  }
  expect(await said(clock, machine)).toEqual({ server: false, shown: false });
});

test("a clock that is set right once, by less than the gap, stays trusted, also over later ones", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  for (let set = 0; set < 5; set++) {
    machine.now += 40 * hour;
    for (let passed = 0; passed < 170 * day; passed += 10 * day) {
      machine.pass(10 * day);
      await clock.look();
      expect(clock.trusted()).toBe(true);
    }
    expect(clock.cutoff(0)).toBe(machine.now);
  }
});

test("a machine that is off every night stays trusted, though its clock is right only some time after it starts", async () => {
  const machine = new Machine();
  for (let night = 0; night < 10; night++) {
    machine.rest(0);
    const clock = await started(machine);
    machine.pass(60_000);
    machine.now += 12 * hour;
    await clock.look();
    machine.pass(12 * hour);
    await clock.look();
    expect(await said(clock, machine)).toEqual({ server: true, shown: true });
    await clock.stop();
  }
});

test("a confirmation also holds while the clock is trusted", async () => {
  const machine = new Machine();
  const clock = await started(machine);
  machine.now += 40 * hour;
  machine.pass(5_000);
  await clock.look();
  await confirmClock({ ctx: installation.ctx, machine: machine.time() });
  machine.pass(5_000);
  await clock.look();
  machine.pass(2 * hour);
  await clock.look();
  machine.now += 40 * hour;
  await clock.look();
  expect(await said(clock, machine)).toEqual({ server: true, shown: true });
});

test("a wrong clock that was confirmed is not trusted once it is set right, until that is confirmed too", async () => {
  const machine = new Machine();
  await ranBefore(machine);
  const clock = await started(machine);
  machine.now += 100 * day;
  await confirmClock({ ctx: installation.ctx, machine: machine.time() });
  await clock.look();
  machine.now -= 100 * day;
  await clock.look();
  expect(await said(clock, machine)).toEqual({ server: false, shown: false });
  await confirmClock({ ctx: installation.ctx, machine: machine.time() });
  await clock.look();
  expect(await said(clock, machine)).toEqual({ server: true, shown: true });
  expect(clock.cutoff(0)).toBe(machine.now);
});
