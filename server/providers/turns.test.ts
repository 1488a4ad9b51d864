import { expect, test } from "bun:test";
import { Turns } from "./turns.ts";

test("so many work at a time, others wait in their order, and more than the line takes are refused", async () => {
  const turns = new Turns({ atOnce: 2, waitingMax: 2 });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) =>
    turns.run(() => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    });
  const calls = [work(1), work(2), work(3), work(4)];
  await expect(work(5)).rejects.toThrow("Too many calls at once");
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  await calls[1];
  expect(begun).toEqual([1, 2, 3]);
  for (const end of [0, 2]) ends[end]?.();
  await Promise.all([calls[0], calls[2]]);
  ends[3]?.();
  await calls[3];
  expect(begun).toEqual([1, 2, 3, 4]);
});

test("a turn that fails is handed on", async () => {
  const turns = new Turns({ atOnce: 1, waitingMax: 1 });
  const failing = turns.run(() => Promise.reject(new Error("it failed")));
  const next = turns.run(() => Promise.resolve("it worked"));
  await expect(failing).rejects.toThrow("it failed");
  expect(await next).toBe("it worked");
});
