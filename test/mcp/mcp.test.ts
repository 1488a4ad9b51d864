import { expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import { createTicketTool } from "../../server/mcp/create-ticket-tool.ts";
import { binaryPath, run } from "../support/binary.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, ticketCount } from "../support/tickets.ts";

type Called = Awaited<ReturnType<Client["callTool"]>> & { structuredContent?: Record<string, unknown> };

/** The text of a refusal. It is in the text alone, because `structuredContent` has to be a ticket. */
function refusalOf({ isError, structuredContent, content }: Called): Record<string, unknown> {
  expect([isError, structuredContent]).toEqual([true, undefined]);
  const [first] = content;
  return JSON.parse(first?.type === "text" ? first.text : "null") as Record<string, unknown>;
}

/** The official client, over either transport. */
async function withClient<T>(
  { url }: Target,
  how: "http" | "stdio",
  token: string,
  work: (call: (args: Record<string, unknown>) => Promise<Called>, client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: "test", version: "1" });
  const transport =
    how === "http"
      ? new StreamableHTTPClientTransport(new URL("/mcp", url), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        })
      : new StdioClientTransport({
          command: binaryPath,
          args: ["mcp"],
          env: { INTAKE_URL: url, INTAKE_TOKEN: token },
          stderr: "pipe",
        });
  await client.connect(transport);
  try {
    return await work((args) => client.callTool({ name: "create_ticket", arguments: args }) as Promise<Called>, client);
  } finally {
    await client.close();
  }
}

describeTargets(
  "Model Context Protocol",
  (target) => {
    for (const how of ["http", "stdio"] as const) {
      test(`${how}: the one tool is listed with the fields of the API`, async () => {
        const { token } = await newToken(target().installation);
        const { tools } = await withClient(target(), how, token, (_, client) => client.listTools());
        expect(tools.map(({ name }) => name)).toEqual(["create_ticket"]);
        expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(
          Object.keys(createTicketTool.inputSchema.properties ?? {}),
        );
        expect(tools[0]?.inputSchema.required).toEqual(["title"]);
      });

      test(`${how}: a ticket is created once, however often the key is sent`, async () => {
        const { installation } = target();
        const { token } = await newToken(installation);
        const before = await ticketCount(installation);
        const [first, again] = await withClient(target(), how, token, async (call) => {
          const args = { title: "From an assistant", priority: "high", idempotencyKey: `key ${how}` };
          return [await call(args), await call(args)] as const;
        });
        expect(first.isError).not.toBe(true);
        expect(first.structuredContent).toMatchObject({ title: "From an assistant", replayed: false });
        expect(again.structuredContent).toEqual({ ...first.structuredContent, replayed: true });
        expect(await ticketCount(installation)).toBe(before + 1);
      });

      test(`${how}: without a key one is made, told, and can be sent again`, async () => {
        const { token } = await newToken(target().installation);
        await withClient(target(), how, token, async (call) => {
          const first = await call({ title: "No key" });
          const { idempotencyKey, id } = first.structuredContent ?? {};
          const again = await call({ title: "No key", idempotencyKey });
          expect(again.structuredContent).toMatchObject({ id, replayed: true });
        });
      });

      test(`${how}: what the API refuses is told with its code and what to do`, async () => {
        const { token } = await newToken(target().installation);
        await withClient(target(), how, token, async (call) => {
          const wrong = refusalOf(await call({ title: "", colour: 1, dueAt: "2026-02-29" }));
          expect(wrong).toMatchObject({ error: "invalid_input" });
          expect(JSON.stringify(wrong)).toContain("/colour");
          expect(JSON.stringify(wrong)).toContain("/dueAt");
          const key = await call({ title: "x", idempotencyKey: "schlüssel" });
          expect(refusalOf(key)).toMatchObject({ error: "invalid_idempotency_key" });
          const absent = await call({ title: "x", projectId: crypto.randomUUID() });
          expect(refusalOf(absent)).toMatchObject({ error: "project_not_found" });
          // U+0000 in a text is a fault and does not end the connection.
          expect(await call({ title: "a\0b" })).toMatchObject({ isError: true });
          expect((await call({ title: "and on it goes" })).isError).not.toBe(true);
        });
      });

      test(`${how}: the limit is the token's own, and says when to come back`, async () => {
        const { token } = await newToken(target().installation, { limit: 2 });
        await withClient(target(), how, token, async (call) => {
          await call({ title: "1" });
          await call({ title: "2" });
          const third = refusalOf(await call({ title: "3" }));
          expect(third).toMatchObject({ error: "rate_limit_exceeded" });
          expect(third["retryAfterSeconds"]).toBeGreaterThan(0);
        });
      });

      test(`${how}: a token without the scope is told so`, async () => {
        const { token } = await newToken(target().installation, { scopes: [] });
        const refused = await withClient(target(), how, token, (call) => call({ title: "x" }));
        expect(refusalOf(refused)).toMatchObject({ error: "insufficient_scope" });
      });

      test(`${how}: an unknown tool is an error of the protocol`, async () => {
        const { token } = await newToken(target().installation);
        const call = withClient(target(), how, token, (_, client) => client.callTool({ name: "drop_tables" }));
        expect(call).rejects.toThrow("drop_tables");
        await call.catch(() => {});
      });
    }

    test("stdio: a revoked token is an error of the tool", async () => {
      const { installation } = target();
      const { id, token } = await newToken(installation);
      await withClient(target(), "stdio", token, async (call) => {
        await call({ title: "before" });
        await revokeToken({ ctx: installation.ctx, input: { id } });
        const refused = refusalOf(await call({ title: "after" }));
        expect(refused).toMatchObject({ error: "invalid_api_token", message: expect.stringContaining("revoked") });
      });
    });

    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    };
    function post(body: string, headers: Record<string, string>) {
      const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      return target().send("/mcp", { method: "POST", body, headers: { ...json, ...headers } });
    }

    test("http: no token, a wrong one or an SDK key is the 401 of the ticket API, whatever is sent", async () => {
      const { made } = target().installation;
      for (const authorization of [undefined, "Bearer itk_wrong", `Bearer ${made.sdkKey.key}`]) {
        const response = await post("garbage", authorization ? { authorization } : {});
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({ error: "invalid_api_token" });
      }
    });

    test("http: a page of another site may not speak to it, with a token or without", async () => {
      const { token } = await newToken(target().installation);
      const authorization = `Bearer ${token}`;
      const body = JSON.stringify(initialize);
      for (const origin of ["https://elsewhere.example", "null"]) {
        const response = await post(body, { authorization, origin });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({ error: "cross_site_request" });
      }
      expect((await post(body, { authorization })).status).toBe(200);
    });

    test("http: garbage and too much of it are refused, and the next request is answered", async () => {
      const { token } = await newToken(target().installation);
      const authorization = `Bearer ${token}`;
      expect((await post("garbage", { authorization })).status).toBe(400);
      expect((await post("[]", { authorization })).status).toBe(400);
      expect((await post("x".repeat(2_000_000), { authorization })).status).toBe(400);
      const answered = await post(JSON.stringify(initialize), { authorization });
      expect(answered.headers.get("x-request-id")).toBeString();
      expect(await answered.text()).toContain(`"name":"intake"`);
    });

    test("http: there are no sessions to read or to end", async () => {
      for (const method of ["GET", "DELETE"]) {
        const response = await target().send("/mcp", { method });
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe("POST");
      }
    });
  },
  ["over loopback", "compiled binary"],
);

test("stdio: without a token the command says what to set, and nothing on stdout", async () => {
  const { code, stdout, stderr } = await run(["mcp"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("INTAKE_TOKEN_FILE");
});

test("stdio: without a server the ticket's key is told, so that nothing is created twice", async () => {
  const client = new Client({ name: "test", version: "1" });
  const env = { INTAKE_URL: "http://127.0.0.1:1", INTAKE_TOKEN: "itk_x" };
  await client.connect(new StdioClientTransport({ command: binaryPath, args: ["mcp"], env, stderr: "pipe" }));
  const called = await client.callTool({ name: "create_ticket", arguments: { title: "x", idempotencyKey: "k 1" } });
  expect(refusalOf(called as Called)).toMatchObject({ error: "service_unavailable", idempotencyKey: "k 1" });
  await client.close();
});

test("stdio: an answer that is not Intake's is told as that, and the next call is made", async () => {
  const proxy = Bun.serve({ port: 0, fetch: () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });
  const client = new Client({ name: "test", version: "1" });
  const env = { INTAKE_URL: proxy.url.origin, INTAKE_TOKEN: "itk_x" };
  await client.connect(new StdioClientTransport({ command: binaryPath, args: ["mcp"], env, stderr: "pipe" }));
  for (const title of ["one", "two"]) {
    const called = (await client.callTool({ name: "create_ticket", arguments: { title } })) as Called;
    expect(refusalOf(called)).toMatchObject({ error: "http_502", idempotencyKey: expect.any(String) });
  }
  await client.close();
  await proxy.stop(true);
});
