import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Edge } from "./edge.ts";
import { internalRoute, internalRoutes } from "./internal-route.ts";
import { type Listener, listen } from "./serve.ts";

/** Longer than Bun leaves a connection open on which nothing comes. */
const longMilliseconds = 14_000;

const member = { kind: "member", id: crypto.randomUUID(), role: "admin" };
const edge = {
  context: { newId: () => crypto.randomUUID(), now: Date.now },
  sessionOf: async () => ({ member }),
  networkOf: () => undefined,
  answered() {},
  keepOpen: (request: Request, seconds: number) => listener.keepOpen(request, seconds),
} as unknown as Edge;

const route = internalRoute({
  method: "DELETE",
  path: "/internal/long",
  role: "admin",
  handle: () => Bun.sleep(longMilliseconds).then(() => ({ done: true })),
});
const internal = internalRoutes(edge, [route]) as unknown as { fetch(request: Request): Promise<Response> };

let listener: Listener;
beforeAll(() => {
  const fetch = (request: Request) => internal.fetch(request);
  listener = listen(
    { fetch, failed: () => new Response("failed", { status: 500 }) },
    { hostname: "127.0.0.1", port: 0 },
  );
});
afterAll(() => listener.stop(0));

test("a call of the page is answered however long its work takes", async () => {
  const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
  // Sent once only: a repeat over another connection would hide that the first one was cut.
  const response = await fetch(`${listener.url}/internal/long`, { method: "DELETE", headers, keepalive: false });
  expect([response.status, await response.json()]).toEqual([200, { done: true }]);
}, 180_000);
