import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Edge } from "./edge.ts";
import { answerPublic, credential, PublicCall } from "./public-route.ts";
import { type Listener, listen } from "./serve.ts";

/** Longer than Bun leaves a connection open on which nothing comes. */
const longMilliseconds = 14_000;

const edge = {
  context: { store: {} },
  take: () => true,
  release() {},
  answered() {},
  keepOpen: (request: Request, seconds: number) => listener.keepOpen(request, seconds),
} as unknown as Edge;

let listener: Listener;
beforeAll(() => {
  const known = credential(() => ({ id: "caller" }), "invalid_api_token");
  const work = async ({ request }: PublicCall<unknown>) => {
    if (request.url.endsWith("/long")) await Bun.sleep(longMilliseconds);
    return new Response("done");
  };
  const fetch = (request: Request) =>
    answerPublic({ operation: "test", order: [known, work] }, new PublicCall<{ id: string }>(edge, request));
  listener = listen(
    { fetch, failed: () => new Response("failed", { status: 500 }) },
    { hostname: "127.0.0.1", port: 0 },
  );
});
afterAll(() => listener.stop(0));

test.concurrent("an authenticated request is answered however late storage answers", async () => {
  // Sent once only: a repeat over another connection would hide that the first one was cut.
  const response = await fetch(`${listener.url}/long`, { method: "POST", keepalive: false });
  expect([response.status, await response.text()]).toEqual([200, "done"]);
}, 180_000);

test.concurrent("its connection is not left open for longer than others once it is answered", async () => {
  const { hostname, port } = new URL(listener.url);
  const closed = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write("POST /short HTTP/1.1\r\nHost: intake\r\nContent-Length: 0\r\n\r\n"),
      data: (_, bytes) => answered.resolve(String(bytes)),
      close: () => closed.resolve(),
    },
  });
  expect(await answered.promise).toStartWith("HTTP/1.1 200");
  const from = performance.now();
  await closed.promise;
  // Bun looks every few seconds. A request that is worked on would have a minute.
  expect(performance.now() - from).toBeLessThan(40_000);
}, 180_000);
