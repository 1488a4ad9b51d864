import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { RateLimited } from "./rate-limited.ts";

const cheap = await Bun.password.hash("right", { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

test("a hash has the agreed cost, and is found right only by its password", async () => {
  const hash = await hashPassword("tractor lemon seven");
  expect(hash).toStartWith("$argon2id$v=19$m=65536,t=3,p=1$");
  expect(await verifyPassword("tractor lemon seven", hash)).toBe(true);
  expect(await verifyPassword("tractor lemon eight", hash)).toBe(false);
});

test("without a hash nothing is right", async () => {
  for (const hash of [null, undefined]) expect(await verifyPassword("intake", hash)).toBe(false);
});

test("some at once, some in a queue, and the rest is told to come back", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => verifyPassword("right", cheap)));
  const refused = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  expect(refused.length).toBe(100 - 32 - Math.max(1, Math.min(4, availableParallelism() - 1)));
  expect(refused.every(({ reason }) => reason instanceof RateLimited && reason.seconds > 0)).toBe(true);
  expect(outcomes.filter((one) => one.status === "fulfilled" && one.value).length).toBe(100 - refused.length);
  expect(await verifyPassword("right", cheap)).toBe(true);
});
