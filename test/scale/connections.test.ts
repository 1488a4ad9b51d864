import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { run, runJson, serve } from "../support/binary.ts";
import { password, ScratchPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
let postgres: ScratchPostgres;
let env: Record<string, string>;
let token: string;

beforeAll(async () => {
  postgres = await ScratchPostgres.start({ fsync: "off" });
  const database = await postgres.createDatabase();
  env = { INTAKE_DATABASE_URL: database.url, INTAKE_SECRET_KEY_FILE: join(folder, "secret.key") };
  await intake("init", "--org", "Example", "--admin-email", "admin@example.org");
  ({ token } = await intake<{ token: string }>(
    ...["token", "create", "--name", "CI", "--all-projects", "--scope", "tickets:write", "--limit", "1000000"],
  ));
}, 180_000);

afterAll(async () => {
  await postgres.remove();
  rmSync(folder, { recursive: true });
});

const intake = <T>(...words: string[]) => runJson<T>([...words, "--data", join(folder, "command")], { env });
const start = (...words: string[]) => serve(join(folder, "server"), words, { env });
const allow = (connections: number) => postgres.administer(`alter role intake connection limit ${connections}`);

async function connections(): Promise<number> {
  const [row] = await postgres.administer<{ n: number }>(
    "select cast(count(*) as integer) as n from pg_stat_activity where usename = 'intake'",
  );
  return row?.n ?? 0;
}

/** Statuses of tickets of 64 clients at once, and of `/readyz` in between. */
async function load(url: string): Promise<Set<number>> {
  const create = () =>
    fetch(`${url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "A ticket" }),
    });
  const statuses = new Set<number>();
  for (let i = 0; i < 4; i++) {
    const answers = await Promise.all([fetch(`${url}/readyz`), ...Array.from({ length: 64 }, create)]);
    for (const { status } of answers) statuses.add(status);
  }
  return statuses;
}

test("connections are there before the first request, and no more are opened than was asked for", async () => {
  const server = await start("--database-connections", "9");
  expect(await connections()).toBeGreaterThanOrEqual(6);
  expect(await load(server.url)).toEqual(new Set([200, 201]));
  expect(await connections()).toBeLessThanOrEqual(9);
  expect(await server.stop()).toBe(0);
});

test("a server that gives out fewer connections is warned of, and served with those", async () => {
  // What a start opens, and not one more.
  await allow(7);
  const server = await start();
  try {
    expect(await load(server.url)).toEqual(new Set([200, 201]));
    await until(() => (server.stderr().includes("gives out fewer connections") ? true : undefined));
    expect(server.stderr()).not.toContain("storage cannot commit");
    await allow(-1);
    expect(await load(server.url)).toEqual(new Set([200, 201]));
  } finally {
    expect(await server.stop()).toBe(0);
    await allow(-1);
  }
});

test("a server that has none left ends the start with that reason", async () => {
  await allow(0);
  try {
    const { code, stderr } = await run(["serve", "--port", "0", "--metrics", "off", "--data", join(folder, "server")], {
      env,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("the database has no connection to spare")]);
  } finally {
    await allow(-1);
  }
});

test.each([
  ["a wrong password", { password: "wrong-password" }, "the database refuses this user or password"],
  ["a database that is not there", { pathname: "/nowhere" }, "there is no such database"],
  ["nobody at that address", { port: "1" }, "the database cannot be reached"],
  ["a parameter that is not known", { search: "?sslmod=require" }, "the parameter sslmod"],
  ["a password with a bare %", { password: "100%-safe" }, "the database's URL has a % without two hexadecimal digits"],
  ["a URL without a database", { pathname: "/" }, "the database's URL must name a database"],
])("%s ends every command with one line, without the password", async (_, changed, line) => {
  const url = Object.assign(new URL(env["INTAKE_DATABASE_URL"] as string), changed);
  for (const words of [
    ["serve", "--port", "0", "--metrics", "off"],
    ["project", "list"],
  ]) {
    const { code, stdout, stderr } = await run([...words, "--data", join(folder, "bad")], {
      env: { ...env, INTAKE_DATABASE_URL: url.href },
    });
    expect([code, stdout, stderr.trimEnd().split("\n")]).toEqual([1, "", [expect.stringContaining(line)]]);
    for (const secret of [url.password, password]) expect(stderr).not.toContain(`${secret}@`);
    expect(stderr).not.toContain("wrong-password");
  }
});
