import { expect, test } from "bun:test";
import { binaryPath, requireBinary } from "../support/binary.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, ticketCount } from "../support/tickets.ts";

/** JSON-RPC as sent, without a client that would tolerate faults. */
interface Message {
  jsonrpc: "2.0";
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const initialize = (protocolVersion: string): Message => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const initialized: Message = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (id: number, args: object): Message => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "create_ticket", arguments: args as Record<string, unknown> },
});

type Exchange = (target: Target, token: string, version: string, messages: Message[]) => Promise<Message[]>;

/** One request in each message, as the versions of the protocol send it. */
const overHttp: Exchange = async (target, token, version, messages) => {
  const answers: Message[] = [];
  for (const message of messages) {
    const response = await target.send("/mcp", {
      method: "POST",
      body: JSON.stringify(message),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        // Versions since 2025-06-18 send this header with every request but the first; earlier ones do not know it.
        ...(version >= "2025-06-18" && message.method !== "initialize" ? { "mcp-protocol-version": version } : {}),
      },
    });
    expect(response.status).toBe(message.id === undefined ? 202 : 200);
    const text = await response.text();
    for (const line of text.split("\n")) {
      if (line.startsWith("data: ")) answers.push(JSON.parse(line.slice("data: ".length)) as Message);
      else if (line.startsWith("{")) answers.push(JSON.parse(line) as Message);
    }
  }
  return answers;
};

/** All requests at the same time; stdin is closed after the last one. */
const overStdio: Exchange = (target, token, _, messages) =>
  stdio(target.url, token, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));

async function stdio(url: string, token: string, input: string): Promise<Message[]> {
  requireBinary();
  const child = Bun.spawn([binaryPath, "mcp"], {
    env: { INTAKE_URL: url, INTAKE_TOKEN: token },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Message);
}

describeTargets(
  "Model Context Protocol, raw",
  (target) => {
    for (const [how, exchange] of Object.entries({ http: overHttp, stdio: overStdio })) {
      for (const version of versions) {
        test(`${how}, ${version}: the version is agreed on, a ticket is created, a refusal can be read`, async () => {
          const { token } = await newToken(target().installation);
          const answers = await exchange(target(), token, version, [
            initialize(version),
            initialized,
            call(2, { title: `Raw ${version}`, idempotencyKey: "k" }),
            call(3, { title: "", dueAt: "2026-02-29" }),
            { jsonrpc: "2.0", id: 4, method: "ping" },
          ]);
          const result = (id: number) => answers.find((answer) => answer.id === id)?.result;
          expect(result(1)).toMatchObject({ protocolVersion: version, serverInfo: { name: "intake" } });
          const made = { title: `Raw ${version}`, idempotencyKey: "k", replayed: false };
          expect(result(2)).toMatchObject({ structuredContent: made });
          expect(result(2)?.["isError"] ?? false).toBe(false);
          // Clients from before structuredContent read the text.
          expect(told(result(2))).toEqual(result(2)?.["structuredContent"]);
          expect(result(3)).toMatchObject({ isError: true });
          expect(result(3)).not.toHaveProperty("structuredContent");
          expect(told(result(3))).toMatchObject({ error: "invalid_input" });
          expect(result(4)).toBeDefined();
          expect(answers).toHaveLength(4);
        });
      }
    }

    test("stdio: calls whose stdin closes right behind them are answered, also one without a line end", async () => {
      const { installation, url } = target();
      const { token } = await newToken(installation);
      const before = await ticketCount(installation);
      const calls = Array.from({ length: 20 }, (_, i) => call(i + 2, { title: `Ticket ${i}` }));
      const messages = [initialize("2025-11-25"), initialized, ...calls];
      const answers = await stdio(url, token, messages.map((message) => JSON.stringify(message)).join("\n"));
      expect(answers.map(({ id }) => id).toSorted((a = 0, b = 0) => a - b)).toEqual(
        Array.from({ length: 21 }, (_, i) => i + 1),
      );
      expect(await ticketCount(installation)).toBe(before + 20);
    });

    test("stdio: a cancelled call is not waited for", async () => {
      const { token } = await newToken(target().installation);
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } } as const;
      const messages = [initialize("2025-11-25"), initialized, call(2, { title: "Never mind" }), cancelled];
      const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
      const answers = await stdio(target().url, token, input);
      expect(answers.map(({ id }) => id)).toContain(1);
    });

    test("stdio: nothing but a closed stdin ends it at once", async () => {
      const { token } = await newToken(target().installation);
      expect(await stdio(target().url, token, "")).toEqual([]);
    });
  },
  ["over loopback", "compiled binary"],
);

/** Parses the text of an answer, which is JSON. */
function told(result: Record<string, unknown> | undefined): unknown {
  const [first] = (result?.["content"] ?? []) as { type: string; text: string }[];
  return JSON.parse(first?.text ?? "null");
}
