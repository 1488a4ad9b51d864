import { expect, test } from "bun:test";
import { Sealing } from "../core/sealing.ts";
import { CommitInDoubt, StoreUnavailable } from "../core/store.ts";
import { answerError } from "./answer.ts";
import type { Edge } from "./edge.ts";
import { healthRoutes } from "./health.ts";

function edgeWith(state: { trouble?: string; degraded?: string[]; stopping?: boolean }): Edge {
  const { trouble, degraded = [], stopping = false } = state;
  const context = { newId: () => "id" };
  return { context, trouble: () => trouble, degraded: () => degraded, stopping: () => stopping } as unknown as Edge;
}

async function readiness(edge: Edge): Promise<[number, unknown]> {
  const route = healthRoutes(edge, new Sealing(new Uint8Array(32))).find(({ path }) => path === "/readyz");
  const response = (await route?.answer(new Request("http://localhost/readyz"))) as Response;
  return [response.status, await response.json()];
}

test("a process that takes all but attachments stays ready, and says what does not work", async () => {
  expect(await readiness(edgeWith({}))).toEqual([200, { status: "ready" }]);
  expect(await readiness(edgeWith({ degraded: ["attachments"] }))).toEqual([
    200,
    { status: "ready", degraded: ["attachments"] },
  ]);
  expect(await readiness(edgeWith({ degraded: ["attachments"], trouble: "disk full" }))).toEqual([
    503,
    { status: "not ready", reason: "disk full" },
  ]);
});

test("what storage says about the next try stands in Retry-After; without a word it is a second", async () => {
  class Slow extends StoreUnavailable {
    override readonly retrySeconds = 5;
  }
  const waitOf = (error: unknown) =>
    answerError(edgeWith({}), "test", error, undefined).response.headers.get("retry-after");
  expect(waitOf(new StoreUnavailable("away"))).toBe("1");
  expect(waitOf(new Slow("away"))).toBe("5");
});

test("a 503 says that nothing was stored, but for a commit of which nobody knows", async () => {
  const messageOf = async (error: unknown) => {
    const body = await answerError(edgeWith({}), "test", error, undefined).response.json();
    return (body as { message: string }).message;
  };
  expect(await messageOf(new StoreUnavailable("away"))).toStartWith("Nothing was stored because ");
  expect(await messageOf(new CommitInDoubt("away"))).toBe(
    "Whether this was stored is not known, because the connection to the database was lost. Try again after Retry-After seconds.",
  );
});
