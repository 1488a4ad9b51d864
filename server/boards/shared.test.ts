import { expect, test } from "bun:test";
import { Shared } from "./shared.ts";

test("many who ask at once are answered by few, and nobody by what was made before they asked", async () => {
  const shared = new Shared<number>();
  let version = 0;
  let made = 0;
  const make = async () => {
    made++;
    const seen = version;
    const until = performance.now() + 2;
    while (performance.now() < until);
    return seen;
  };
  const asked: Promise<boolean>[] = [];
  const began = performance.now();
  for (let i = 0; i < 400; i++) {
    const wanted = ++version;
    asked.push(shared.get("board", make).then((seen) => seen >= wanted));
    if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await Promise.all(asked)).not.toContain(false);
  // Each takes 2 ms or more, and all of them a twentieth of the time, however long a busy machine makes that.
  expect(made).toBeLessThanOrEqual(2 + (performance.now() - began) / 40);
});

test("a failure is told to those who waited, and the next one is made anew", async () => {
  const shared = new Shared<string>();
  await expect(shared.get("board", () => Promise.reject(new Error("locked")))).rejects.toThrow("locked");
  expect(await shared.get("board", async () => "made")).toBe("made");
});
