import { edenGC, fullGC, heapStats } from "bun:jsc";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../../test/support/installation.ts";
import { withoutTable } from "../../../test/support/storage.ts";
import { enqueueStep } from "../deliveries/enqueue.ts";
import { Bodies } from "./bodies.ts";

const bodyBytes = 17_000;

let installation: Installation;
let bodies: Bodies;

beforeEach(async () => {
  installation = await install();
  bodies = new Bodies(installation.ctx.store);
});
afterEach(() => installation.remove());

async function newMessages(count: number): Promise<string[]> {
  const { store, now, newId } = installation.ctx;
  const ids = Array.from({ length: count }, newId);
  const message = { eventId: null, type: "agent_run.updated", head: "x".repeat(bodyBytes), tail: null } as const;
  await store.write(function* (tx) {
    for (const id of ids) yield* enqueueStep(tx, { ...message, id }, [], { now: now(), newId });
  });
  return ids;
}

async function newMessage(): Promise<string> {
  const [id = ""] = await newMessages(1);
  return id;
}

test("those who ask in one turn are given the same bytes", async () => {
  const id = await newMessage();
  const [one, other] = await Promise.all([bodies.of(id), bodies.of(id)]);
  expect(one).toHaveLength(bodyBytes);
  expect(other).toBe(one);
});

test("of a message that is gone there is none", async () => {
  expect(await bodies.of(installation.ctx.newId())).toBeUndefined();
});

test("what could not be read is read the next time", async () => {
  const id = await newMessage();
  await withoutTable(installation, "message", async () => {
    await expect(bodies.of(id)).rejects.toThrow();
  });
  expect(await bodies.of(id)).toHaveLength(bodyBytes);
});

test("young collections leave none that was sent", async () => {
  const ids = await newMessages(1_000);
  fullGC();
  const before = heapStats().extraMemorySize;
  for (const [n, id] of ids.entries()) {
    await bodies.of(id);
    if (n % 50 > 0) continue;
    // Waits one turn of the event loop: within a turn every requested body is kept.
    await new Promise((resolve) => setImmediate(resolve));
    edenGC();
  }
  expect(heapStats().extraMemorySize - before).toBeLessThan((ids.length * bodyBytes) / 4);
});
