import { availableParallelism } from "node:os";
import { RateLimited } from "./rate-limited.ts";

const cost = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 3 } as const;

/** The hash of a password that nobody has, made at the same cost. */
const nobodys =
  "$argon2id$v=19$m=65536,t=3,p=1$mjdPRLb2Arkqp7ZyYC0sxvMBk/3ZGVt3WdMUHiPni3Q$sSs5EM+3RRhg3G9bVIJhRnC/Ewp9PdJ7I1erpId31rQ";

/** Each takes 64 MiB and a thread of the pool that reads and writes files too: one is always left to those. */
const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
const waitingMax = 32;

let running = 0;
const waiting: (() => void)[] = [];

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(password, cost));
}

/** Without a hash it takes as long, and is false. */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const right = await inTurn(() => Bun.password.verify(password, hash ?? nobodys));
  return right && typeof hash === "string";
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= waitingMax) {
      throw new RateLimited("passwords", 5, "Many people are signing in at this moment. Try again in a few seconds.");
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // The place is handed on, so that nobody slips in between.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
