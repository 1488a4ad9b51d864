import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Moved } from "../../server/app/move/move.ts";
import { migrateDatabase } from "../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../server/store/postgres/migrations/index.ts";
import { binaryPath, type Finished, finished, run, runJson, serve } from "../support/binary.ts";
import { install } from "../support/installation.ts";
import type { ScratchDatabase } from "../support/postgres.ts";
import { password, sharedPostgres } from "../support/postgres.ts";
import { connected, databaseWithSchema } from "../support/postgres-schema.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { until } from "../support/until.ts";
import { type Filled, fillInstallation } from "./fill-installation.ts";

setDefaultTimeout(180_000);

let scratch: string;
let storage: S3Server;
let filled: Filled;
/** The data directory that everything is moved from, and a copy of it for each test that needs one. */
let original: string;
const databases: ScratchDatabase[] = [];

const folder = (name: string) => join(scratch, name);

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-move-"));
  const [installation, server] = await Promise.all([install(), S3Server.start()]);
  storage = server;
  filled = await fillInstallation(installation);
  original = installation.folder;
});

afterAll(async () => {
  await storage.stop();
  await Promise.all(databases.map((database) => database.drop()));
  for (const path of [scratch, original]) rmSync(path, { recursive: true });
});

/** A place in a bucket and a database without rows; without a schema too, or with a part of it, where that matters. */
async function newPlace({ schema = true as boolean | "begun" } = {}): Promise<Record<string, string>> {
  const database = schema === true ? await databaseWithSchema() : await (await sharedPostgres()).createDatabase();
  if (schema === "begun") {
    const steps = postgresMigrations.slice(0, 2);
    await connected(database.url, (db) => migrateDatabase(db, steps, { now: Date.now }));
  }
  databases.push(database);
  return {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: storage.newPlace("moved"),
    INTAKE_SECRET_KEY_FILE: folder(`${database.name}.key`),
  };
}

let copies = 0;
function copyOfOriginal(): string {
  const copy = folder(`copy-${++copies}`);
  Bun.spawnSync(["cp", "-a", original, copy]);
  return copy;
}

const move = (data: string, env: Record<string, string>, ...flags: string[]) =>
  run(["db", "move", "--data", data, ...flags], { env });
const moveJson = (data: string, env: Record<string, string>, ...flags: string[]) =>
  runJson<Moved>(["db", "move", "--data", data, ...flags], { env });

/** Sends everything again that the first server has answered: each answer is the first one, byte for byte. */
async function expectReplays(url: string) {
  for (const { path, headers, body, answer } of filled.tickets) {
    const again = await fetch(`${url}${path}`, { method: "POST", headers, body });
    expect([again.status, again.headers.get("idempotent-replayed"), await again.text()]).toEqual([201, "true", answer]);
  }
  for (const { path, headers, body, answer } of filled.reports) {
    const again = await fetch(`${url}${path}`, { method: "POST", headers, body });
    expect([again.status, await again.json()]).toEqual([200, { ...JSON.parse(answer), idempotent: true }]);
  }
}

async function expectAttachments(data: string, env: Record<string, string> = {}) {
  const output = folder("attachment");
  for (const { eventId, bytes } of filled.attachments.slice(0, 3)) {
    const read = await run(["event", "attachment", eventId, "0", "--output", output, "--data", data], { env });
    expect([read.code, read.stderr]).toEqual([0, ""]);
    expect(Buffer.compare(readFileSync(output), bytes)).toBe(0);
    rmSync(output);
  }
}

describe("there and back", () => {
  let data: string;
  let env: Record<string, string>;
  let there: Moved;

  beforeAll(async () => {
    data = copyOfOriginal();
    // As an earlier run leaves it that was killed while it made the tables.
    env = await newPlace({ schema: "begun" });
    there = await moveJson(data, env);
  });

  test("everything arrives, as it was", () => {
    expect(there.moved).toMatchObject({ attachments: { files: 11, missing: [], differing: [] }, keysCompared: 40 });
    const tables = there.moved?.tables ?? {};
    expect([tables["ticket"]?.rows, tables["idempotency"]?.rows, tables["event"]?.rows]).toEqual([39, 40, 11]);
    for (const name of ["activity", "session", "setting", "sealing", "subscriber", "delivery", "audit", "receipt"])
      expect([name, tables[name]?.rows ?? 0]).not.toEqual([name, 0]);
  });

  test("what a server on the other side answers again is what the first one had answered", async () => {
    // Beside the database the old directory may be a process's own.
    const server = await serve(data, [], { env });
    await expectReplays(server.url);
    const page = await fetch(`${server.url}/`, { headers: { cookie: filled.cookie }, redirect: "manual" });
    expect(page.headers.get("location") ?? "").not.toContain("sign-in");
    await server.stop();
    await expectAttachments(data, env);
    expect(server.stderr()).not.toContain("fatal");
  });

  test("a server refuses the old directory, and so does a command; both name the new place without a password", async () => {
    for (const args of [["serve", "--port", "0", "--metrics", "off"], ["token", "list"], ["doctor"]]) {
      const { code, stdout, stderr } = await run([...args, "--data", data]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`the data directory ${data} was moved on`);
      expect(stderr).toContain(new URL(env["INTAKE_DATABASE_URL"] as string).pathname);
      expect(stderr).not.toContain(password);
    }
  });

  test("the same command again says that nothing is left to do", async () => {
    const again = await move(data, env);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(again.stdout).toContain("nothing was left to do");
  });

  test("back in an empty directory everything is the same again, and servers refuse the database", async () => {
    const home = folder("home");
    const tried = await runJson<{ rows: number }>(["db", "move", "--back", "--dry-run", "--data", home], { env });
    expect(tried.rows).toBeGreaterThan(there.moved?.rows ?? 0);
    expect(readdirSync(scratch).filter((name) => name.startsWith("home"))).toEqual([]);
    const back = await moveJson(home, env, "--back");
    // A server has run meanwhile, and has noted who asked it.
    const noted = [
      ...["api_token", "api_request_group", "sdk_key", "tally", "ticket", "delivery", "attempt", "clock_mark"],
      ...["event", "report_repeat"],
    ];
    const changed = Object.entries(back.moved?.tables ?? {}).filter(
      ([name, table]) => !Bun.deepEquals(table, there.moved?.tables[name]),
    );
    expect(changed.map(([name]) => name).filter((name) => !noted.includes(name))).toEqual([]);
    const { code, stderr } = await run(["serve", "--port", "0", "--data", folder("spool")], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`was moved on`)]);
    expect(stderr).toContain(home);
    const server = await serve(home);
    await expectReplays(server.url);
    await server.stop();
    await expectAttachments(home);
  });
});

test("there and back without a server between, every table has the same digest, and so has a second round", async () => {
  let data = copyOfOriginal();
  let before: Moved | undefined;
  for (const name of ["first", "second"]) {
    const env = await newPlace();
    const there = await moveJson(data, env);
    if (before) expect(there.moved?.tables).toEqual(before.moved?.tables ?? {});
    data = folder(name);
    before = await moveJson(data, env, "--back");
    expect(before.moved?.tables).toEqual(there.moved?.tables ?? {});
  }
});

test("tables that PostgreSQL takes for empty are looked up by the right index once they have rows", async () => {
  const env = await newPlace();
  const url = env["INTAKE_DATABASE_URL"] as string;
  await connected(url, async (db) => {
    // Clearing up behind a run that was killed leaves pages without rows.
    await db.run("begin");
    await db.run("insert into project (id, name, position, created_at) values ('p', 'p', 1, 0)");
    await db.run("insert into board (id, project_id, name, position, created_at) values ('b', 'p', 'b', 1, 0)");
    await db.run("insert into board_column (id, board_id, name, position, created_at) values ('c', 'b', 'c', 1, 0)");
    await db.run(`insert into ticket (id, column_id, position, title, priority, author_name, created_at)
      select cast(n as text), 'c', n, 't', 'none', 'a', 0 from generate_series(1, 1000) n`);
    await db.run("rollback");
    await db.run("vacuum (truncate off) ticket");
    const emptied = "select 1 as emptied from pg_class where relname = 'ticket' and reltuples = 0 and relpages > 0";
    expect(await db.run(emptied)).toEqual([{ emptied: 1 }]);
  });
  const { moved } = await moveJson(copyOfOriginal(), env);
  expect(moved?.tables["activity"]?.rows).toBeGreaterThan(30);
  const [scans] = await connected(url, async (db) => {
    // The connections of the command have counted what they did once they have ended, which is after the command's end.
    const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`;
    await until(async () => (await db.run(others)).length === 0 || undefined);
    return db.run(
      "select cast(idx_scan as integer) as count from pg_stat_user_indexes where indexrelname = 'ticket_order'",
    );
  });
  // Two go through all tickets in order.
  expect(scans).toEqual({ count: 2 });
});

test("killed at any moment, the next run goes on; in the end everything is there once", async () => {
  const data = copyOfOriginal();
  const env = await newPlace({ schema: false });
  const home = folder("after-kills");
  for (const [place, ...flags] of [[data], [home, "--back"]] as [string, ...string[]][]) {
    let ended: Finished | undefined;
    for (let i = 0; ended?.code !== 0; i++) {
      const child = Bun.spawn([binaryPath, "db", "move", "--data", place, ...flags], {
        env: { PATH: process.env["PATH"] ?? "", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const killing = i < 8 ? setTimeout(() => child.kill("SIGKILL"), Math.random() * 400) : undefined;
      ended = await finished(child as never);
      clearTimeout(killing);
      expect([ended.stderr, ended.code === 0 || ended.code === 137]).toEqual([ended.stderr, true]);
    }
  }
  const server = await serve(home);
  await expectReplays(server.url);
  await server.stop();
  await expectAttachments(home);
});

describe("refused, with a reason, and nothing is changed:", () => {
  let data: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    data = copyOfOriginal();
    env = await newPlace({ schema: false });
  });

  async function refused(reason: string | RegExp, given = env, ...flags: string[]) {
    const { code, stdout, stderr } = await move(data, given, ...flags);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(password);
    expect(readdirSync(data)).not.toContain("moved.json");
  }

  test("no database is named", async () => {
    const { code, stderr } = await move(data, {});
    expect([code, stderr]).toEqual([2, expect.stringContaining("INTAKE_DATABASE_URL is not set")]);
  });

  test("no bucket is named", () => refused("INTAKE_FILES is not set", { ...env, INTAKE_FILES: "" }));

  test("a dry run leaves nothing behind and says how much there is", async () => {
    const told = await runJson<{ rows: number; seconds: number; attachments: object }>(
      ["db", "move", "--data", data, "--dry-run"],
      { env },
    );
    expect(told).toMatchObject({ rows: expect.any(Number), seconds: expect.any(Number), attachments: { files: 11 } });
    expect(readdirSync(data)).not.toContain("moved.json");
    const tables = await connected(env["INTAKE_DATABASE_URL"] as string, (db) =>
      db.run("select relname from pg_class where relnamespace = 'public'::regnamespace"),
    );
    expect(tables).toEqual([]);
  });

  test("a server uses the directory, which a dry run does not mind", async () => {
    const server = await serve(data);
    expect((await move(data, env, "--dry-run")).code).toBe(0);
    await refused(/in use by process \d+ \(intake serve\)/);
    await server.stop();
  });

  test("another sealing key stands at the other side", async () => {
    const other = folder("other.key");
    writeFileSync(other, `${"ab".repeat(32)}\n`);
    await refused("other.key is another key", { ...env, INTAKE_SECRET_KEY_FILE: other });
  });

  test("the target has an organisation, a live server, another schema, or files", async () => {
    const used = await newPlace();
    await runJson(["init", "--org", "Other", "--admin-email", "a@example.org", "--data", folder("init")], {
      env: used,
    });
    await refused("is not empty: it has rows of", used);

    const url = env["INTAKE_DATABASE_URL"] as string;
    await run(["migrate", "up", "--data", folder("init")], { env });
    const now = "extract(epoch from now()) * 1000";
    await connected(url, (db) =>
      db.run(`insert into process values ('p', 'http://10.0.0.9:3000', '1', 18, 0, ${now})`),
    );
    await refused("is in use by the server at http://10.0.0.9:3000");
    await connected(url, (db) => db.run("delete from process"));

    await connected(url, (db) => db.run("insert into migration values (99, 'later', 'expand', 'x', 0)"));
    await refused("schema 99");
    await connected(url, (db) => db.run("delete from migration where number = 99"));

    await refused("attachments in the bucket", { ...env, INTAKE_FILES: await placeWithFile() });
  });

  test("the directory has an older schema", async () => {
    const { Database } = await import("bun:sqlite");
    const db = new Database(`${data}/intake.db`);
    db.run("delete from migration where number = (select max(number) from migration)");
    db.close();
    await refused("older than this binary");
  });

  /** The address of a place in a bucket that has a file. */
  async function placeWithFile(): Promise<string> {
    const { S3Files } = await import("../../server/store/s3-files.ts");
    const { readS3Address } = await import("../../server/core/s3-address.ts");
    const { S3Credentials } = await import("../../server/store/s3/credentials.ts");
    const place = storage.newPlace("used");
    const files = new S3Files(readS3Address(place), {
      spool: folder("used"),
      credentials: new S3Credentials(s3Environment),
    });
    const bytes = Buffer.from("used");
    await files.keepBytes(bytes, Bun.randomUUIDv7(), () => Bun.SHA256.hash(bytes) as unknown as Uint8Array);
    return place;
  }
});
