import { equal, ok } from "./cases/check.ts";
import { countingSignal } from "./cases/counting-signal.ts";
import type { Case, Env } from "./cases/env.ts";
import { runCases } from "./cases/run.ts";
import { clientOf } from "./cases/ticket-behaviour.ts";

const atOnce = 20;
const warmUp = 2_000;
const calls = 10_000;
/** If a listener, timer or controller remained from each call, memory would grow far more. */
const growthBytes = 5_000_000;

export const cases: Case[] = [
  [
    "ten thousand tickets on one signal leave no listener and no memory behind",
    async (env) => {
      const { tickets } = await clientOf(env);
      const { signal, listeners, added } = countingSignal();
      const create = async (count: number) => {
        let left = count;
        const worker = async () => {
          while (left-- > 0) await tickets.create({ title: "One of many" }, { signal });
        };
        await Promise.all(Array.from({ length: atOnce }, worker));
      };
      await create(warmUp);
      const before = heapBytes();
      await create(calls);
      const growth = heapBytes() - before;
      ok(added() >= warmUp + calls, "the signal was not listened to by every call");
      equal(listeners(), 0, "listeners left");
      ok(growth < growthBytes, `the heap grew by ${growth} bytes`);
    },
  ],
];

export const run = (env: Env) => runCases(env, cases);

/** The memory in use after a garbage collection. */
function heapBytes(): number {
  const { Bun, gc } = globalThis as { Bun?: { gc(sync: boolean): void }; gc?: () => void };
  if (Bun) Bun.gc(true);
  else gc?.();
  return process.memoryUsage().heapUsed;
}
