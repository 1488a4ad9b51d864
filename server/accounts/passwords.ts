import { availableParallelism } from "node:os";
import { RateLimited } from "../core/rate-limited.ts";

const cost = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 3 } as const;

/** The hash of a password that nobody has. Checking against it costs as much as checking against a real one. */
const nobodys =
  "$argon2id$v=19$m=65536,t=3,p=1$mjdPRLb2Arkqp7ZyYC0sxvMBk/3ZGVt3WdMUHiPni3Q$sSs5EM+3RRhg3G9bVIJhRnC/Ewp9PdJ7I1erpId31rQ";

/**
 * How many passwords are hashed at the same time. Each takes 64 MiB and a thread of the pool that also reads and writes
 * files: one thread is always left to those.
 */
const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
const waitingMax = 32;

interface Turn {
  begin: () => void;
  refuse: (error: unknown) => void;
}

let running = 0;
/**
 * Passwords that wait to be hashed or checked. Those of members with a session, holders of a link and sign-ins from a
 * known network are served first; when too many wait, the last stranger is refused for them.
 */
const waiting: Record<"known" | "strangers", Turn[]> = { known: [], strangers: [] };

/**
 * Hashes a new password. The caller has a session, a link or the right to set up, so it never waits behind strangers.
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(password, cost), true);
}

/** Whether the password matches the hash. Without a hash the answer is false and takes as long as with one. */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  { known = false } = {},
): Promise<boolean> {
  const right = await inTurn(() => Bun.password.verify(password, hash ?? nobodys), known);
  return right && typeof hash === "string";
}

async function inTurn<T>(work: () => Promise<T>, known: boolean): Promise<T> {
  if (running >= atOnce) {
    const all = waiting.known.length + waiting.strangers.length;
    const displaced = all >= waitingMax && known ? waiting.strangers.pop() : undefined;
    if (all >= waitingMax && !displaced) throw tooMany();
    displaced?.refuse(tooMany());
    await new Promise<void>((begin, refuse) => waiting[known ? "known" : "strangers"].push({ begin, refuse }));
  } else running++;
  try {
    return await work();
  } finally {
    // The place passes directly to the next password in the queue, so that no new call can take it first.
    const next = waiting.known.shift() ?? waiting.strangers.shift();
    if (next) next.begin();
    else running--;
  }
}

function tooMany(): RateLimited {
  return new RateLimited("passwords", 5, "Many people are signing in at this moment. Try again in a few seconds.");
}
