// Calls create_ticket with each of the arguments that stand on stdin; prints what the client gives or throws.
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { INTAKE_URL, INTAKE_TOKEN, INTAKE_BINARY } = process.env;
const client = new Client({ name: "sdk-1", version: "1" });
await client.connect(
  process.argv[2] === "stdio"
    ? new StdioClientTransport({ command: INTAKE_BINARY, args: ["mcp"], env: { INTAKE_URL, INTAKE_TOKEN } })
    : new StreamableHTTPClientTransport(new URL("/mcp", INTAKE_URL), {
        requestInit: { headers: { authorization: `Bearer ${INTAKE_TOKEN}` } },
      }),
);
// From here on the client checks what comes against the schema of the tool.
await client.listTools();
const results = [];
for (const args of JSON.parse(await text(process.stdin))) {
  results.push(
    await client.callTool({ name: "create_ticket", arguments: args }).catch(({ message }) => ({ thrown: message })),
  );
}
await client.close();
process.stdout.write(JSON.stringify(results));
