import { createMcpHandler } from "@modelcontextprotocol/server";
import { log } from "../core/log.ts";
import type { SendTicket } from "./create-ticket-tool.ts";
import { mcpServer } from "./mcp-server.ts";

/** Answers one exchange of the protocol, whose body was read already, and keeps nothing of it. */
export async function answerMcp(request: Request, body: Uint8Array, send: SendTicket): Promise<Response> {
  const handler = createMcpHandler(() => mcpServer(send), {
    keepAliveMs: 0,
    maxSubscriptions: 0,
    onerror: (error) => log.debug("a request of the Model Context Protocol was refused", { reason: error.message }),
  });
  return handler.fetch(new Request(request.url, { method: "POST", headers: request.headers, body: body.slice() }));
}
