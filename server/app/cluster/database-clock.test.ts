import { expect, test } from "bun:test";
import { DatabaseClock } from "./database-clock.ts";

/** A process whose machine's clock and monotonic clock are set by hand, on a database at the hour 1,000,000,000. */
function clocked() {
  const at = { machine: 1_000_000_000, monotonic: 0 };
  const clock = new DatabaseClock({ machine: () => at.machine, monotonic: () => at.monotonic });
  const pass = (milliseconds: number) => {
    at.machine += milliseconds;
    at.monotonic += milliseconds;
  };
  return { at, clock, pass };
}

test("is the machine's until the database has answered, then the database's whatever the machine's is set to", () => {
  const { at, clock, pass } = clocked();
  expect(clock.now()).toBe(1_000_000_000);
  clock.told(1_000_040_000, 0, 0);
  expect(clock.now()).toBe(1_000_040_000);
  pass(500);
  at.machine -= 3_600_000;
  expect(clock.now()).toBe(1_000_040_500);
});

test("is not moved by what the way to the database explains, and never goes a little back", () => {
  const { clock, pass } = clocked();
  clock.told(1_000_000_000, 0, 0);
  pass(1_000);
  clock.told(1_000_000_990, 980, 1_020);
  expect(clock.now()).toBe(1_000_001_000);
  clock.told(1_000_000_700, 999, 1_001);
  expect(clock.now()).toBe(1_000_001_000);
  pass(299);
  expect(clock.now()).toBe(1_000_001_000);
  pass(2);
  expect(clock.now()).toBe(1_000_001_001);
});

test("follows a database whose clock was set, as after a fail-over to another server", () => {
  const { clock } = clocked();
  clock.told(1_000_000_000, 0, 0);
  expect(clock.now()).toBe(1_000_000_000);
  clock.told(999_000_000, 0, 0);
  expect(clock.now()).toBe(999_000_000);
  clock.told(1_000_000_000, 0, 0);
  expect(clock.now()).toBe(1_000_000_000);
});

test("a machine's clock that is more than a minute off is trouble until it is set right", () => {
  const { at, clock } = clocked();
  clock.told(1_000_000_000, 0, 0);
  at.machine += 60_000;
  expect(clock.trouble()).toBeUndefined();
  at.machine += 1;
  expect(clock.trouble()).toBe("this machine's clock is 60 s ahead of the database's; set both right, with NTP");
  at.machine -= 7_260_001;
  expect(clock.trouble()).toBe("this machine's clock is 7200 s behind the database's; set both right, with NTP");
  at.machine = 1_000_000_000;
  expect(clock.trouble()).toBeUndefined();
});
