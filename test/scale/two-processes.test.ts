import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { attachment, boundary, envelope, form } from "../support/ingest.ts";
import { databaseWithSchema } from "../support/postgres-schema.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { until } from "../support/until.ts";

/** Two processes on one database and one bucket, each with a folder of its own, as on two machines. */
let folders: string[];
let env: Record<string, string>;
let storage: S3Server;
let one: RunningBinary;
let other: RunningBinary;
let made: { apiToken: { token: string }; sdkKey: { key: string } };
const ending: (() => Promise<unknown>)[] = [];

const folder = (name: string) => join(folders[0] as string, name);

beforeAll(async () => {
  const [database, server] = await Promise.all([databaseWithSchema(), S3Server.start()]);
  storage = server;
  folders = [mkdtempSync(join(tmpdir(), "intake-scale-"))];
  env = {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: server.newPlace("reports"),
    INTAKE_SECRET_KEY_FILE: folder("secret.key"),
  };
  made = await runJson(["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", folder("init")], {
    env,
  });
  const { token } = await newToken("1000000");
  made.apiToken.token = token;
  [one, other] = await Promise.all([serve(folder("one"), [], { env }), serve(folder("other"), [], { env })]);
  ending.push(
    () => Promise.all([one.stop(), other.stop()]),
    () => storage.stop(),
    () => database.drop(),
  );
}, 180_000);

afterAll(async () => {
  for (const end of ending) await end();
  rmSync(folders[0] as string, { recursive: true });
}, 180_000);

const newToken = (limit: string) =>
  runJson<{ token: string }>(
    [
      ...["token", "create", "--name", "CI", "--all-projects", "--scope", "tickets:write"],
      ...["--limit", limit, "--data", folder("one")],
    ],
    { env },
  );

const createTicket = (url: string, key: string, body: unknown = { title: "A ticket" }) =>
  fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${made.apiToken.token}`,
      "idempotency-key": key,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });

const sendReport = (url: string, parts: Parameters<typeof form>[0]) =>
  fetch(`${url}/api/ingest`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${made.sdkKey.key}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    },
    body: new Uint8Array(form(parts)),
  });

test("a ticket that one creates is replayed by the other, byte for byte", async () => {
  const created = await createTicket(one.url, "first");
  expect(created.status).toBe(201);
  const replayed = await createTicket(other.url, "first");
  expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(await replayed.text()).toBe(await created.text());
});

test("one key at both at once makes one ticket", async () => {
  for (let i = 0; i < 10; i++) {
    const urls = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one.url : other.url));
    const answers = await Promise.all(urls.map((url) => createTicket(url, `race ${i}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  }
});

interface Listed {
  items: { rule: string; name: string | null; level: string; times: number }[];
}

function untilNotice(name: string, state: "open" | "over") {
  return until(async () => {
    const words = ["notice", "list", "--state", state, "--data", folder("one")];
    const { items } = await runJson<Listed>(words, { env });
    return items.find(({ rule }) => rule === name);
  });
}

test("the first fatal report of a title, sent to both at once, makes one notice", async () => {
  await Promise.all(
    [one, other].map(({ url }) => sendReport(url, [envelope({ title: "It fell", level: "fatal", n: url })])),
  );
  const fatal = await untilNotice("fatal_new", "open");
  expect(fatal).toMatchObject({ name: "It fell", times: 1 });
}, 180_000);

test("a report with an attachment at both at once is stored once, and read back from the bucket", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(200_000));
  const parts = [envelope({ reportId: crypto.randomUUID(), title: "Crash" }), attachment(bytes)];
  const urls = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one.url : other.url));
  const answers = await Promise.all(urls.map((url) => sendReport(url, parts)));
  const stored = (await Promise.all(answers.map((answer) => answer.json()))) as {
    eventId: string;
    idempotent: boolean;
  }[];
  expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
  expect(new Set(stored.map(({ eventId }) => eventId)).size).toBe(1);
  expect(stored.filter(({ idempotent }) => !idempotent)).toHaveLength(1);
  const file = folder("attachment");
  const read = await run(
    ["event", "attachment", stored[0]?.eventId ?? "", "0", "--output", file, "--data", folder("other")],
    {
      env,
    },
  );
  expect([read.code, read.stderr]).toEqual([0, ""]);
  expect(Buffer.compare(await Bun.file(file).bytes(), bytes)).toBe(0);
});

test("the limit of a token counts requests at both", async () => {
  const { token } = await newToken("10");
  const send = (url: string) =>
    fetch(`${url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Limited" }),
    });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => send(n % 2 === 0 ? one.url : other.url)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(20).fill(429)]);
});

test("while the bucket does not answer, only reports with attachments are refused, and it is ready all the same", async () => {
  await storage.pause();
  try {
    const [refused, stored, ticket] = await Promise.all([
      sendReport(one.url, [envelope({ title: "With" }), attachment(new Uint8Array(100_000).fill(7))]),
      sendReport(one.url, [envelope({ title: "Without" })]),
      createTicket(one.url, "outage"),
    ]);
    expect([stored.status, ticket.status]).toEqual([200, 201]);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    const ready = await fetch(`${one.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", degraded: ["attachments"] }]);
    // The machine of both processes is this one.
    expect(await untilNotice("storage_refuses", "open")).toMatchObject({ name: hostname(), level: "error" });
  } finally {
    storage.resume();
  }
  await untilNotice("storage_refuses", "over");
}, 180_000);

test("another process with another sealing key does not start", async () => {
  const failed = await run(["serve", "--port", "0", "--metrics", "off", "--data", folder("third")], {
    env: { ...env, INTAKE_SECRET_KEY_FILE: folder("another.key") },
  });
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("another.key is missing")]);
});

test("no output of a process has the password of the database or the key of the bucket", async () => {
  const { password } = new URL(env["INTAKE_DATABASE_URL"] as string);
  for (const text of [one.stderr(), other.stderr(), one.stdout(), other.stdout()]) {
    expect(text).not.toContain(`:${password}@`);
    expect(text).not.toContain(s3Environment.AWS_SECRET_ACCESS_KEY);
  }
});
