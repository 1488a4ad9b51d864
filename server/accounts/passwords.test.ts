import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { RateLimited } from "../core/rate-limited.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

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

test("strangers that fill the queue do not keep out whoever is known, who comes first", async () => {
  const order: string[] = [];
  const verify = (name: string, known: boolean) =>
    verifyPassword("right", cheap, { known }).then((right) => order.push(right ? name : "wrong"));
  const strangers = Promise.allSettled(Array.from({ length: 100 }, () => verify("stranger", false)));
  const known = Array.from({ length: 3 }, () => verify("known", true));
  expect((await Promise.allSettled(known)).map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
  const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
  // Checks that are under way at this moment end before the three, or with them.
  expect(order.filter((name) => name === "stranger").length).toBeLessThanOrEqual(2 * atOnce);
  const refused = (await strangers).filter(({ status }) => status === "rejected");
  expect(refused.length).toBe(100 - 32 - atOnce + 3);
});
