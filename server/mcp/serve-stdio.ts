import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SendTicket } from "./create-ticket-tool.ts";
import { mcpServer } from "./mcp-server.ts";

const answerMilliseconds = 60_000;

/**
 * Serves the protocol on stdin and stdout until stdin ends and every request is answered. The transport of the SDK
 * drops calls under way as soon as stdin ends, so it is given a stream that ends later. Nothing but the protocol goes
 * to stdout.
 */
export async function serveMcp({ url, token }: { url: string; token: string }): Promise<void> {
  const open = new OpenRequests();
  const ended = Promise.withResolvers<void>();
  async function* untilAnswered(): AsyncGenerator<Buffer> {
    let last: number | undefined;
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      last = chunk.at(-1);
      yield chunk;
    }
    if (last !== undefined && last !== newline) yield Buffer.of(newline);
    // The transport reads the bytes it was given before this function continues.
    await setImmediate();
    await open.answered();
    ended.resolve();
  }
  const wire = new StdioServerTransport(Readable.from(untilAnswered()));
  const handle = serveStdio(() => mcpServer(ticketsAt(url, token)), {
    transport: wire,
    onerror: (error) => process.stderr.write(`intake mcp: ${error.message}\n`),
  });
  const { onmessage } = wire;
  wire.onmessage = (message) => {
    open.received(message);
    onmessage?.(message);
  };
  const send = wire.send.bind(wire);
  wire.send = (message) => send(message).finally(() => open.sent(message));
  await ended.promise;
  await handle.close();
}

const newline = 0x0a;

/** Requests that wait for their answer. A cancelled one gets none. */
class OpenRequests {
  readonly #ids = new Set<RequestId>();
  #settled = () => {};

  received(message: JSONRPCMessage) {
    if (!("method" in message)) return;
    if ("id" in message) this.#ids.add(message.id);
    if (message.method === "notifications/cancelled") this.#end(message.params?.["requestId"] as RequestId | undefined);
  }

  sent(message: JSONRPCMessage) {
    if (!("method" in message)) this.#end(message.id);
  }

  async answered(): Promise<void> {
    while (this.#ids.size > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
  }

  #end(id: RequestId | undefined) {
    if (id !== undefined && this.#ids.delete(id)) this.#settled();
  }
}

function ticketsAt(url: string, token: string): SendTicket {
  const address = `${url.replace(/\/$/, "")}/api/v1/tickets`;
  return async ({ body, idempotencyKey }) => {
    try {
      return await fetch(address, {
        method: "POST",
        body,
        redirect: "error",
        signal: AbortSignal.timeout(answerMilliseconds),
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey,
        },
      });
    } catch {
      return Response.json(
        {
          error: "service_unavailable",
          message: `No answer came from ${url}. The ticket may have been created: send the same idempotencyKey (${idempotencyKey}) again.`,
        },
        { status: 503 },
      );
    }
  };
}
