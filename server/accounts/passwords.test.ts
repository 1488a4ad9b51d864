import { expect, spyOn, test } from "bun:test";
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
  const begun: unknown[] = [];
  const { verify } = Bun.password;
  const verified = spyOn(Bun.password, "verify").mockImplementation((password, ...rest) => {
    begun.push(password);
    return verify(password, ...rest);
  });
  const strangers = Promise.allSettled(
    Array.from({ length: 100 }, () => verifyPassword("strange", cheap, { known: false })),
  );
  const known = Array.from({ length: 3 }, () => verifyPassword("right", cheap, { known: true }));
  expect(await Promise.allSettled(known)).toEqual(Array(3).fill({ status: "fulfilled", value: true }));
  const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
  // After the checks that were under way when the three came.
  expect(begun.slice(0, atOnce + 3)).toEqual([...Array(atOnce).fill("strange"), ...Array(3).fill("right")]);
  const refused = (await strangers).filter(({ status }) => status === "rejected");
  expect(refused.length).toBe(100 - 32 - atOnce + 3);
  verified.mockRestore();
});
