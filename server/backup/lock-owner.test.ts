import { expect, test } from "bun:test";
import { hasEnded, type LockOwner, thisOwner } from "./lock-owner.ts";

const mine = thisOwner() as LockOwner;

test("a process that runs has not ended", () => {
  expect(hasEnded(mine)).toBe(false);
});

test("a process that was killed has ended, and so has one whose number another one has now", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  const owner = { ...mine, pid: child.pid };
  child.kill("SIGKILL");
  await child.exited;
  expect(hasEnded(owner)).toBe(true);
  expect(hasEnded({ ...mine, started: "1" })).toBe(true);
});

test("nothing is known of another machine's processes, nor of what is no process", () => {
  expect(hasEnded({ ...mine, machine: "another", started: "1" })).toBe(false);
  for (const pid of [0, -1, 1.5]) expect(hasEnded({ ...mine, pid, started: "1" })).toBe(false);
});
