import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { pgbouncerTracksStatements, startPgBouncer } from "../support/pgbouncer.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

/** Two processes whose only way to PostgreSQL is pgbouncer in transaction mode, with fewer backends than connections. */
const folder = temporaryFolder();
let env: Record<string, string>;
let servers: RunningBinary[];
let token: string;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const postgres = await sharedPostgres();
  const database = await postgres.createDatabase();
  const bouncer = await startPgBouncer(postgres, { default_pool_size: 4 });
  env = { INTAKE_DATABASE_URL: bouncer.url(database.name), INTAKE_SECRET_KEY_FILE: join(folder, "secret.key") };
  const made = await intake<{ apiToken: { token: string } }>(
    "init",
    "--org",
    "Example",
    "--admin-email",
    "a@example.org",
  );
  token = made.apiToken.token;
  servers = await Promise.all(["one", "other"].map((name) => serve(join(folder, name), [], { env })));
  ending.push(
    () => Promise.all(servers.map((server) => server.stop())),
    () => bouncer.stop(),
    () => database.drop(),
  );
}, 180_000);

afterAll(async () => {
  for (const end of ending) await end();
  rmSync(folder, { recursive: true });
}, 180_000);

const intake = <T>(...words: string[]) => runJson<T>([...words, "--data", join(folder, "command")], { env });

const send = (n: number, key: string, bearer = token) =>
  fetch(`${servers[n % 2]?.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify({ title: "A ticket" }),
  });

test("behind pgbouncer one key at two processes makes one ticket, and a limit counts at both", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n, "one key")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  const limited = await intake<{ token: string }>(
    ...["token", "create", "--name", "CI", "--all-projects", "--scope", "tickets:write", "--limit", "10"],
  );
  const counted = await Promise.all(Array.from({ length: 30 }, (_, n) => send(n, `limited ${n}`, limited.token)));
  expect(counted.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(20).fill(429)]);
  const { items } = await intake<{ items: unknown[] }>("ticket", "list");
  expect(items).toHaveLength(11);
});

test("behind pgbouncer another process starts and stops beside those that run, and none has trouble", async () => {
  const schema = await intake<{ current: number; pending: unknown[] }>("migrate", "status");
  expect(schema.pending).toEqual([]);
  const third = await serve(join(folder, "third"), [], { env });
  expect(await third.stop()).toBe(0);
  expect(servers.map(({ stderr }) => stderr()).join("")).not.toContain('"level":"ERROR"');
  await until(() => (third.stderr().includes('"stopped"') ? true : undefined));
});

test("a process says that a pooler knows of no prepared statements, and no password", () => {
  for (const { stderr } of servers) {
    expect(stderr().includes("knows of no prepared statements")).toBe(!pgbouncerTracksStatements());
    expect(stderr()).not.toContain(new URL(env["INTAKE_DATABASE_URL"] as string).password);
  }
});
