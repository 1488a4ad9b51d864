import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { version } from "../../package.json";
import { callCreateTicket, createTicketTool, type SendTicket } from "./create-ticket-tool.ts";

/** A server of the Model Context Protocol with the one tool. Holds nothing: one is made for each exchange. */
export function mcpServer(send: SendTicket): Server {
  const server = new Server(
    { name: "intake", title: "Intake", version },
    { capabilities: { tools: {} }, instructions: "Creates tickets on the boards that the API token reaches." },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [createTicketTool] }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }) => {
    if (name !== createTicketTool.name) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
    }
    return callCreateTicket(args, send);
  });
  return server;
}
