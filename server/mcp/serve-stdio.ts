import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SendTicket } from "./create-ticket-tool.ts";
import { mcpServer } from "./mcp-server.ts";

const answerMilliseconds = 60_000;

/** Until stdin ends. Nothing but the protocol goes to stdout. */
export async function serveMcp({ url, token }: { url: string; token: string }): Promise<void> {
  const handle = serveStdio(() => mcpServer(ticketsAt(url, token)), {
    onerror: (error) => process.stderr.write(`intake mcp: ${error.message}\n`),
  });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
  });
  await handle.close();
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
