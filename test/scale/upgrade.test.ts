import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "../../server/store/postgres/migrate.ts";
import { type PhasedMigration, postgresMigrations } from "../../server/store/postgres/migrations/index.ts";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { type ScratchDatabase, sharedPostgres } from "../support/postgres.ts";
import { connected } from "../support/postgres-schema.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const newest = postgresMigrations.at(-1)?.number ?? 0;
/** The steps of a version to come, beside which the binary under test is an older one. */
const expand: PhasedMigration = {
  number: newest + 1,
  name: "new",
  phase: "expand",
  sql: "alter table setting add column note text",
};
const contract: PhasedMigration = {
  number: newest + 2,
  name: "old",
  phase: "contract",
  sql: "alter table process drop column version",
};
const known = [...postgresMigrations, expand, contract];

const folder = temporaryFolder();
let database: ScratchDatabase;
let env: Record<string, string>;
let older: RunningBinary;
let token: string;

beforeAll(async () => {
  database = await (await sharedPostgres()).createDatabase();
  env = { INTAKE_DATABASE_URL: database.url, INTAKE_SECRET_KEY_FILE: join(folder, "secret.key") };
  const made = await runJson<{ apiToken: { token: string } }>(
    ["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", join(folder, "command")],
    { env },
  );
  token = made.apiToken.token;
  older = await serve(join(folder, "older"), [], { env });
}, 180_000);

afterAll(async () => {
  await older.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const migrateUp = (contractToo: boolean) =>
  connected(database.url, (db) => migrateDatabase(db, known, { now: Date.now, contract: contractToo }));

const createTicket = () =>
  fetch(`${older.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "A ticket" }),
  });

test("an older process works on beside a newer one, whose steps that take something away wait until it has ended", async () => {
  await migrateUp(false);
  expect((await createTicket()).status).toBe(201);
  const status = await runJson<{ current: number }>(["migrate", "status", "--data", join(folder, "command")], { env });
  expect(status.current).toBe(expand.number);

  await expect(migrateUp(true)).rejects.toThrow(
    `step ${contract.number} (old) takes away what running processes use: ${older.url} (version `,
  );
  expect((await createTicket()).status).toBe(201);

  expect(await older.stop()).toBe(0);
  await migrateUp(true);
  const refused = await run(["serve", "--port", "0", "--metrics", "off", "--data", join(folder, "older")], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("took away what this binary uses")]);
});

test("migrate up --contract is for PostgreSQL, and does nothing where nothing waits", async () => {
  const other = await (await sharedPostgres()).createDatabase();
  const up = ["migrate", "up", "--contract", "--data", join(folder, "command")];
  const status = await runJson<{ current: number; pending: unknown[] }>(up, {
    env: { INTAKE_DATABASE_URL: other.url },
  });
  expect(status).toMatchObject({ current: newest, pending: [] });
  await other.drop();
  const onDisk = await run(up);
  expect([onDisk.code, onDisk.stderr]).toEqual([2, expect.stringContaining("--contract is for PostgreSQL")]);
});

test("intake version tells the schema of the engine that is configured", async () => {
  const schemaOf = async (environment: Record<string, string>) =>
    (await runJson<{ schema: number }>(["version"], { env: environment })).schema;
  expect(await schemaOf({ INTAKE_DATABASE_URL: "postgres://u@127.0.0.1:1/none" })).toBe(newest);
  expect(await schemaOf({ INTAKE_DATABASE_URL_FILE: "/nowhere" })).toBe(newest);
});
