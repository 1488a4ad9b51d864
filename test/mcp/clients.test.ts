import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { binaryPath, requireBinary } from "../support/binary.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken } from "../support/tickets.ts";
import { installed, installMcpClients } from "./install.ts";

/** The result of a call: the members that the client understood, or the error that it threw. */
interface Given {
  isError?: boolean;
  content?: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  thrown?: string;
}

const program = (name: string) => join(import.meta.dir, "clients", name);
const clients = {
  "the official TypeScript SDK 1": ["node", program("with-sdk-1.js")],
  "the official Python SDK": [installed.python, program("with_mcp.py")],
};

beforeAll(() => installMcpClients(), 300_000);

describeTargets(
  "Clients that check what a tool gives against its outputSchema",
  (target) => {
    async function calls(command: string[], how: "http" | "stdio", token: string, list: object[]): Promise<Given[]> {
      requireBinary();
      const child = Bun.spawn([...command, how], {
        env: {
          PATH: process.env["PATH"] ?? "",
          INTAKE_URL: target().url,
          INTAKE_TOKEN: token,
          INTAKE_BINARY: binaryPath,
        },
        stdin: new Blob([JSON.stringify(list)]),
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Given[];
    }

    for (const [name, command] of Object.entries(clients)) {
      for (const how of ["http", "stdio"] as const) {
        test(`${name}, ${how}: tickets and refusals are read with code, faults and the time to wait`, async () => {
          const { token } = await newToken(target().installation, { limit: 4 });
          const key = crypto.randomUUID();
          const [made, again, faulty, absent, limited] = await calls(command, how, token, [
            { title: "From an assistant", idempotencyKey: key },
            { title: "From an assistant", idempotencyKey: key },
            { title: "", colour: 1 },
            { title: "x", projectId: crypto.randomUUID() },
            { title: "One too many", idempotencyKey: "later" },
          ]);
          expect(made).toMatchObject({ structuredContent: { title: "From an assistant", replayed: false } });
          expect(again?.structuredContent).toEqual({ ...made?.structuredContent, replayed: true });
          expect(told(again)).toEqual(again?.structuredContent ?? {});
          for (const refused of [faulty, absent, limited]) {
            expect(refused).toMatchObject({ isError: true });
            expect(refused).not.toHaveProperty("structuredContent");
          }
          expect(told(faulty)).toMatchObject({
            error: "invalid_input",
            details: expect.arrayContaining([
              expect.objectContaining({ path: "/title", code: "too_short" }),
              expect.objectContaining({ path: "/colour", code: "unknown_field" }),
            ]),
          });
          expect(told(absent)).toMatchObject({ error: "project_not_found" });
          expect(told(limited)).toMatchObject({ error: "rate_limit_exceeded", idempotencyKey: "later" });
          expect(told(limited)["retryAfterSeconds"]).toBeGreaterThan(0);
        });
      }
    }
  },
  ["over loopback", "compiled binary"],
);

function told(given: Given | undefined): Record<string, unknown> {
  return JSON.parse(given?.content?.[0]?.text ?? "{}") as Record<string, unknown>;
}
