import { afterAll, beforeAll, expect, setSystemTime, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { clockTrouble, requireClock } from "../../server/app/clock-offset.ts";
import type { Finding } from "../../server/app/doctor/finding.ts";
import { readS3Address } from "../../server/core/s3-address.ts";
import { S3Credentials } from "../../server/store/s3/credentials.ts";
import { S3Files } from "../../server/store/s3-files.ts";
import { run, runJson } from "../support/binary.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { password, type ScratchDatabase, ScratchPostgres } from "../support/postgres.ts";
import { connected } from "../support/postgres-schema.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let postgres: ScratchPostgres;
let storage: S3Server;
let database: ScratchDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  [postgres, storage] = await Promise.all([ScratchPostgres.start(), S3Server.start()]);
  database = await postgres.createDatabase();
  env = {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: storage.newPlace("reports"),
    INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
  };
  await runJson(["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", join(folder, "data")], {
    env,
  });
}, 180_000);

afterAll(async () => {
  await Promise.all([postgres.remove(), storage.stop()]);
  rmSync(folder, { recursive: true });
});

/** What doctor finds, by the name of the check; says nothing that is secret. */
async function findings(changed: Record<string, string> = {}): Promise<Record<string, Finding>> {
  const { code, stdout, stderr } = await run(["doctor", "--json", "--data", join(folder, "data")], {
    env: { ...env, ...changed },
  });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  expect([code, stderr]).toEqual([ok ? 0 : 1, ""]);
  for (const secret of [`:${password}@`, s3Environment.AWS_SECRET_ACCESS_KEY]) expect(stdout).not.toContain(secret);
  return Object.fromEntries(checks.map((finding) => [finding.check, finding]));
}

const failed = (found: Record<string, Finding>) =>
  Object.values(found).flatMap(({ check, ok, text }) => (ok ? [] : [[check, text]]));

test("doctor finds a sound server, bucket and folder in order, and says what is not safe about it", async () => {
  const found = await findings();
  expect(failed(found)).toEqual([]);
  expect(found["postgresql"]?.text).toStartWith("PostgreSQL 1");
  expect(found["standbys"]?.text).toContain("none is synchronous");
  expect(found["pooler"]?.text).toBe("none between this machine and the server");
  expect(found["connections"]?.text).toContain("0 running processes");
  expect(found["bucket"]?.text).toMatch(
    /^bucket-1\/reports\/ in the region us-east-1 at 127\.0\.0\.1:\d+, its name in the path$/,
  );
  expect(found["bucket: replace"]?.text).toContain("If-None-Match");
  expect(found["attachments"]?.text).toBe("0 attachments have their bytes");
});

test("doctor names the settings of a server that would lose what it has acknowledged, and how to change them", async () => {
  await postgres.set({ fsync: "off", full_page_writes: "off", synchronous_standby_names: "nobody" });
  try {
    const found = failed(await findings());
    expect(found).toEqual([
      [
        "durability",
        expect.stringMatching(/^fsync and full_page_writes are switched off.*alter system set fsync = on/),
      ],
      ["standbys", expect.stringContaining("none of synchronous_standby_names is connected")],
    ]);
  } finally {
    await postgres.set({ synchronous_standby_names: "", fsync: "on", full_page_writes: "on" });
  }
});

test("doctor says what else a server refuses to start with", async () => {
  await postgres.administer("alter role intake set synchronous_commit = off");
  expect(failed(await findings())).toEqual([
    ["durability", expect.stringContaining("alter role … set synchronous_commit = on")],
    ["contents", expect.stringContaining("synchronous_commit is off for this user")],
  ]);
  await postgres.administer("alter role intake reset synchronous_commit");
});

test("doctor counts the connections of all processes against those that the server gives out", async () => {
  const insert = "insert into process (id, url, version, schema, started_at, seen_at) values ($1, '', '0', 0, 0, 0)";
  await connected(database.url, async (db) => {
    for (let i = 0; i < 6; i++) await db.run(insert, [`${i}`]);
  });
  expect(failed(await findings())).toEqual([
    [
      "connections",
      expect.stringMatching(/^6 running processes open up to 102; the server gives out 97, .*Raise max_connections/),
    ],
  ]);
  await connected(database.url, (db) => db.run("delete from process"));
});

test("doctor says how a pooler gives out connections", async () => {
  const through = async (settings: Record<string, string>) => {
    const bouncer = await startPgBouncer(postgres, settings);
    const found = await findings({ INTAKE_DATABASE_URL: bouncer.url(database.name) });
    await bouncer.stop();
    return found;
  };
  const transaction = await through({});
  expect([failed(transaction), transaction["pooler"]?.text]).toEqual([
    [],
    expect.stringMatching(/^by transaction, with/),
  ]);
  expect((await through({ pool_mode: "session" }))["pooler"]?.text).toContain("for a whole session");
  expect(failed(await through({ pool_mode: "statement" }))).toEqual([
    ["database", expect.stringContaining("set pool_mode = transaction")],
  ]);
});

test("a database that cannot be reached is one finding, and the bucket is looked at all the same", async () => {
  const found = await findings({ INTAKE_DATABASE_URL: `postgres://intake:${password}@127.0.0.1:1/none` });
  expect(failed(found)).toEqual([["database", expect.stringContaining("the database cannot be reached")]]);
  expect(found["bucket: delete"]?.ok).toBe(true);
});

/** Object storage that answers requests of a kind by itself. */
async function withProxy(answer: (request: Request) => Response | undefined) {
  const { host: target } = new URL(storage.endpoint);
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const own = answer(request);
      if (own) return own;
      const { method, headers } = request;
      const body = method === "GET" || method === "HEAD" ? null : await request.bytes();
      return fetch(`http://${target}${pathname}${search}`, { method, headers, body });
    },
  });
  const address = (env["INTAKE_FILES"] as string).replace(storage.endpoint, `http://127.0.0.1:${proxy.port}`);
  const found = failed(await findings({ INTAKE_FILES: address }));
  await proxy.stop(true);
  return found;
}

test.each([
  ["PUT", "store", "s3:PutObject"],
  ["GET", "read", "s3:GetObject"],
  ["LIST", "list", "s3:ListBucket"],
  ["POST", "delete", "s3:DeleteObject"],
])("a key that may not %s is told which right it lacks", async (kind, check, right) => {
  const denied = "<Error><Code>AccessDenied</Code></Error>";
  const found = await withProxy(({ method, url }) => {
    const asked = method === "GET" && url.includes("list-type") ? "LIST" : method;
    return asked === kind ? new Response(denied, { status: 403 }) : undefined;
  });
  expect(found).toEqual([[`bucket: ${check}`, expect.stringMatching(new RegExp(`403 AccessDenied.*${right}`))]]);
});

test("object storage that replaces what it is asked not to is found out", async () => {
  let puts = 0;
  const found = await withProxy(({ method }) =>
    method === "PUT" && ++puts > 1 ? new Response("", { headers: { etag: '"x"' } }) : undefined,
  );
  expect(found).toEqual([["bucket: replace", expect.stringContaining("If-None-Match")]]);
});

test("every attachment is looked for in the bucket, whatever its age, and its size counts", async () => {
  const files = new S3Files(readS3Address(env["INTAKE_FILES"] as string, env), {
    spool: join(folder, "spool"),
    credentials: new S3Credentials(env),
  });
  const keep = async (id: string, text: string) => {
    const bytes = Buffer.from(text);
    await files.keepBytes(bytes, id, () => new Bun.SHA256().update(bytes).digest() as unknown as Uint8Array);
  };
  // The first has an id of 2001, so that others come before it and after it in the list.
  const old = "00e40000-0000-7000-8000-000000000001";
  const [whole, cut, gone] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  for (const id of [whole, cut, Bun.randomUUIDv7()]) await keep(id, "12345");
  const insert = `insert into attachment (event_id, number, id, part, size, kind, state)
    values ('event', $1, $2, 'part', $3, 'other', 'stored')`;
  await connected(database.url, async (db) => {
    await db.run(`insert into event (id, project_id, key_id, digest, received_at, envelope_bytes, stored_bytes, delivery_count, repeat_count)
      select 'event', id, '', '', 0, 0, 0, 1, 0 from project limit 1`);
    await db.run(insert, [1, whole, 5]);
  });
  const found = await findings();
  expect([failed(found), found["attachments"]?.text]).toEqual([[], "1 attachment has its bytes"]);
  await connected(database.url, async (db) => {
    for (const [number, id, size] of [
      [2, cut, 6],
      [3, gone, 5],
      [4, old, 5],
    ]) {
      await db.run(insert, [number as number, id as string, size as number]);
    }
  });
  const missing = await findings();
  expect(failed(missing)).toEqual([
    ["attachments", expect.stringMatching(/^the bytes of 3 attachments are missing or cut; .*INTAKE_FILES/)],
  ]);
  expect(missing["attachments"]?.code).toBe("attachments_missing");
  await connected(database.url, (db) => db.run("delete from event"));
});

test("a bucket that is not there, or in another region, is told as that", async () => {
  const address = env["INTAKE_FILES"] as string;
  expect(failed(await findings({ INTAKE_FILES: address.replace("bucket-1", "bucket-2") }))).toEqual([
    ["bucket: store", expect.stringContaining("the bucket does not exist")],
  ]);
  expect(failed(await findings({ INTAKE_FILES: address.replace("us-east-1", "eu-west-9") }))).toEqual([
    ["bucket: store", expect.stringMatching(/region|403|400/)],
  ]);
});

test("a clock that is seconds off is warned of, and one that is more than a minute off ends the start", async () => {
  await connected(database.url, async (db) => {
    const ask = (sql: string) => db.run(sql);
    const warned: string[] = [];
    expect(await clockTrouble(ask)).toBeUndefined();
    for (const [seconds, where] of [
      [20, "ahead of"],
      [-20, "behind"],
    ] as const) {
      setSystemTime(new Date(Date.now() + seconds * 1_000));
      await requireClock(ask, (text) => warned.push(text));
      setSystemTime();
      expect(warned.pop()).toMatch(new RegExp(`^this machine's clock is (19|20|21) s ${where} the database's`));
    }
    setSystemTime(new Date(Date.now() + 90_000));
    await expect(requireClock(ask, (text) => warned.push(text))).rejects.toThrow(
      "ahead of the database's; set both right",
    );
    setSystemTime();
    expect(warned).toEqual([]);
  });
});
