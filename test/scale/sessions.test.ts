import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { call, cookieOf } from "../support/call.ts";
import { startMailServer, type TestMailServer } from "../support/mail-server.ts";
import { databaseWithSchema } from "../support/postgres-schema.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

/** Two processes on one database, each with a folder of its own, as on two machines behind one address. */
let folder: string;
let one: RunningBinary;
let other: RunningBinary;
let sql: SQL;
let mails: TestMailServer;
let password: string;
let env: Record<string, string>;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  const [database, storage, mailServer] = await Promise.all([
    databaseWithSchema(),
    S3Server.start(),
    startMailServer(),
  ]);
  mails = mailServer;
  folder = mkdtempSync(join(tmpdir(), "intake-sessions-"));
  env = {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: storage.newPlace("sessions"),
    INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
    INTAKE_PUBLIC_URL: "http://intake.test",
    INTAKE_AUTH_HEADER: "Remote-Email",
    INTAKE_TRUSTED_PROXIES: "127.0.0.1",
    INTAKE_RATE_LIMITS: "off",
  };
  const made = await runJson<{ admin: { password: string } }>(
    ["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", join(folder, "init")],
    { env },
  );
  password = made.admin.password;
  sql = new SQL(database.url, { max: 1 });
  [one, other] = await Promise.all([
    serve(join(folder, "one"), [], { env }),
    serve(join(folder, "other"), [], { env }),
  ]);
  ending.push(
    () => Promise.all([one.stop(), other.stop()]),
    () => Promise.all([storage.stop(), mails.stop(), sql.close()]),
    () => database.drop(),
  );
}, 180_000);

afterAll(async () => {
  for (const end of ending) await end();
  rmSync(folder, { recursive: true });
}, 180_000);

const at = ({ url }: RunningBinary) => ({ send: (path: string, init?: RequestInit) => fetch(url + path, init) });
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function enter(process: RunningBinary, agent = firefox) {
  const body = { email: "admin@example.org", password };
  const answer = await call(at(process), "POST", "/internal/session", { body, headers: { "user-agent": agent } });
  expect([answer.status, answer.body["error"]]).toEqual([200, undefined]);
  return cookieOf(answer);
}

const alive = (cookie: string, headers = {}) =>
  Promise.all(
    [one, other].map(
      async (process) => (await call(at(process), "GET", "/internal/me", { cookie, headers })).status === 200,
    ),
  );

async function listen(process: RunningBinary, cookie: string) {
  const stream = await fetch(`${process.url}/internal/live`, { headers: { cookie } });
  const reader = stream.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  return { closed: () => until(async () => ((await reader?.read())?.done ? true : undefined)) };
}

test("a session that ends at one process ends at the other, with its open page there", async () => {
  const [ended, ending] = [await enter(one), await enter(other)];
  expect(await alive(ended)).toEqual([true, true]);
  const stream = await listen(other, ended);
  expect((await call(at(one), "DELETE", "/internal/sessions/others", { cookie: ending })).status).toBe(200);
  expect(await alive(ended)).toEqual([false, false]);
  expect(await stream.closed()).toBe(true);
});

test("limits hold at both processes as soon as they are set, for open pages too", async () => {
  const cookie = await enter(one);
  await sql`update session set seen_at = seen_at - 3700000, created_at = created_at - 3700000`;
  // A use would move the last one.
  const unattended = { "x-intake-unattended": "1" };
  expect(await alive(cookie, unattended)).toEqual([true, true]);
  const stream = await listen(other, cookie);
  const set = (value: string) =>
    runJson(["settings", "set", "session_idle_hours", value, "--data", join(folder, "init")], { env });
  await set("1");
  expect(await alive(cookie, unattended)).toEqual([false, false]);
  expect(await stream.closed()).toBe(true);
  await set("2");
  expect(await alive(cookie, unattended)).toEqual([true, true]);
  await sql`update session set created_at = created_at - 7776000000`;
  expect(await alive(cookie, unattended)).toEqual([false, false]);
});

test("a new device is mailed once, whichever process it comes to", async () => {
  const settings = {
    smtp_host: "127.0.0.1",
    smtp_port: `${mails.port}`,
    smtp_security: "none",
    mail_from: "i@example.org",
  };
  for (const [name, value] of Object.entries(settings)) {
    await runJson(["settings", "set", name, value, "--data", join(folder, "init")], { env });
  }
  const first = await enter(one);
  await Promise.all([enter(one, "curl/8.0"), enter(other, "curl/8.0"), enter(other, "curl/8.1")]);
  const states = () => sql`select mail from new_device where device = 'curl' order by mail`;
  await until(async () =>
    (await states()).every(({ mail }: { mail: string }) => mail !== "waiting") ? true : undefined,
  );
  expect((await states()).map(({ mail }: { mail: string }) => mail)).toEqual(["told"]);
  const [mail] = await mails.has(1);
  expect(mail?.to).toEqual(["admin@example.org"]);
  for (const process of [one, other]) {
    const { body } = await call(at(process), "GET", "/internal/sessions", { cookie: first });
    expect(body["newDevices"]).toMatchObject([{ device: "curl", network: "127.0.0.0/24" }]);
  }
  expect(mails.accepted.length).toBe(1);
});

test("whom the access proxy names is the same at both", async () => {
  const headers = { "remote-email": "admin@example.org" };
  const answer = await call(at(one), "POST", "/internal/session/proxy", { body: {}, headers });
  expect(await alive(cookieOf(answer), headers)).toEqual([true, true]);
  expect(await alive(cookieOf(answer))).toEqual([false, false]);
});
