import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryPath, finished, type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { envelope, submit } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

let folder: DataFolder;
let data: string;
let scratch: string;
let server: RunningBinary;
/** What must not be in a bundle, by where it was planted. */
const planted: Record<string, string> = {};
/** A secret that looks like ordinary words, so that no pattern finds it. */
const plant = (where: string, text = `plain words of ${where}`) => {
  planted[where] = text;
  return text;
};
const env: Record<string, string> = {};

beforeAll(async () => {
  folder = await newDataFolder();
  data = folder.folder;
  scratch = mkdtempSync(join(tmpdir(), "intake-bundle-"));
  const email = plant("the admin's e-mail", "ada.lovelace@people.test");
  const made = await runJson<{
    apiToken: { token: string };
    sdkKey: { key: string };
    project: { id: string };
    admin: { password: string };
  }>(["init", "--data", data, "--org", plant("the organisation"), "--admin-email", email]);
  plant("an API token", made.apiToken.token);
  plant("an SDK key", made.sdkKey.key);
  plant("the admin's password", made.admin.password);
  const subscriber = await runJson<{ secret: string }>([
    ...["subscriber", "add", "--project", made.project.id, "--data", data, "--webhook-allow", "127.0.0.0/8"],
    ...["--url", `http://127.0.0.1:9/${plant("a subscriber's address", "hooks-of-the-shop")}`],
  ]);
  plant("a subscriber's secret", subscriber.secret);
  plant("the sealing key", readFileSync(`${data}/secret.key`, "utf8").trim());
  const invited = await runJson<{ inviteUrl: string }>([
    ...[
      "member",
      "add",
      "--email",
      plant("a member's e-mail", "grace@people.test"),
      "--role",
      "member",
      "--data",
      data,
    ],
    ...["--name", plant("a member's name")],
  ]);
  plant("an invitation", invited.inviteUrl.split("#").at(-1) ?? "");
  env["INTAKE_TOKEN"] = plant("a token in the environment", "just-a-word-or-two");
  env["AWS_SECRET_ACCESS_KEY"] = plant("a key in the environment", "another word or two");
  env["INTAKE_PUBLIC_URL"] = `https://someone:${plant("a password in an address", "pass-of-the-proxy")}@intake.test`;
  env["INTAKE_INGEST_URL"] = `https://reports.test/?key=${plant("a query in an address", "query-of-reports")}`;

  server = await serve(data, ["--metrics", "127.0.0.1:0", "--rate-limits", "off"]);
  await until(() => server.stderr().includes('"metrics"'));
  const headers = { authorization: `Bearer ${made.apiToken.token}`, "content-type": "application/json" };
  const title = plant("a ticket's title");
  const description = plant("a ticket's description");
  const answer = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { ...headers, "x-intake-sdk": `${plant("an SDK's name", "sdk-of-the-shop")}/1.0` },
    body: JSON.stringify({ title, description }),
  });
  expect(answer.status).toBe(201);
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  const report = { title: plant("a report's title"), user: { email: plant("a reporter", "reporter@people.test") } };
  expect((await submit({ send }, { key: made.sdkKey.key, parts: [envelope(report)] })).status).toBe(200);
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
  rmSync(scratch, { recursive: true });
});

/** Every file of a bundle, by its name. */
async function contentsOf(path: string): Promise<Record<string, string>> {
  const files = await new Bun.Archive(readFileSync(path)).files();
  const texts: Record<string, string> = {};
  for (const [name, file] of files) texts[name] = await file.text();
  return texts;
}

function logWith(): string {
  const stack = `Error: ${plant("an error's message")}\n    at run (/app/server/core/periodic.ts:12:3)\n    at /app/x.ts:1:2`;
  const lines = [
    {
      "@timestamp": "2026-01-02T03:04:05.000Z",
      level: "INFO",
      message: "refused",
      logger: "intake",
      requestId: "r-1",
      status: 401,
      sdk: plant("an SDK in the log"),
    },
    {
      level: "ERROR",
      message: "request failed",
      logger: "intake",
      requestId: "r-2",
      error: { name: "Error", code: "SQLITE_IOERR", message: planted["an error's message"], stack },
    },
    {
      level: "WARNING",
      message: `mail to ${plant("an address in the log", "linus@people.test")} at https://h.test/x?sig=${plant("a signature", "sig-in-a-query")}`,
      logger: "intake",
    },
    {
      level: "INFO",
      message: `Authorization: Bearer ${plant("a bearer", "opaque-bearer-value")} password=${plant("a password in the log", "hunter2-hunter2")}`,
      logger: "intake",
    },
    {
      level: "INFO",
      message: `key ${plant("a generated key", "Zk3vQ9fLmT7xB2nR8sWd")} ${plant("a digest", "0123456789abcdef".repeat(4))}`,
      logger: "intake",
    },
    { level: "INFO", message: planted["a token in the environment"], logger: "intake" },
    { level: "INFO", message: plant("a line of another program"), logger: "other" },
  ].map((line) => JSON.stringify(line));
  return [...lines, plant("a line that is no JSON"), `Jan 02 host intake[1]: ${lines[0]?.replace("r-1", "r-3")}`].join(
    "\n",
  );
}

test("no secret, address of a person or content is in a bundle, wherever it was planted", async () => {
  const log = `${scratch}/intake.log`;
  writeFileSync(log, logWith());
  const to = `${scratch}/bundle.tar.gz`;
  const made = await run(["support-bundle", "--to", to, "--log", log, "--yes", "--data", data], { env });
  expect([made.code, made.stdout]).toEqual([0, `${to}\n`]);
  const texts = await contentsOf(to);
  const everything = [...Object.entries(texts).flat(), made.stdout, made.stderr].join("\n");
  expect(Object.keys(planted).length).toBeGreaterThan(25);
  for (const [where, secret] of Object.entries(planted)) {
    expect(secret.length).toBeGreaterThan(5);
    for (const form of [secret, encodeURIComponent(secret), btoa(secret), Buffer.from(secret).toString("hex")]) {
      expect([where, everything.includes(form)]).toEqual([where, false]);
    }
  }
});

test("a bundle has what a maintainer asks for, was listed before, and is for its owner's eyes", async () => {
  const log = `${scratch}/again.log`;
  writeFileSync(log, logWith());
  const to = `${scratch}/again.tar.gz`;
  const { stderr } = await run(["support-bundle", "--to", to, "--log", log, "--yes", "--data", data], { env });
  expect(statSync(to).mode & 0o777).toBe(0o600);
  const texts = await contentsOf(to);
  const names = ["README.txt", "version.json", "doctor.json", "doctor.txt", "environment.json", "settings.json"];
  expect(Object.keys(texts).sort()).toEqual(
    [...names, "schema.json", "counts.json", "metrics.txt", "log.jsonl"].sort(),
  );
  for (const name of Object.keys(texts)) expect([name, stderr.includes(`  ${name}  `)]).toEqual([name, true]);
  expect(texts["README.txt"]).toContain("Left out");
  expect(JSON.parse(texts["version.json"] ?? "")).toMatchObject({
    version: expect.any(String),
    server: { running: true },
  });
  expect(JSON.parse(texts["counts.json"] ?? "")).toMatchObject({
    ticket: 1,
    event: 1,
    subscriber: 1,
    member: expect.any(Number),
  });
  expect(JSON.parse(texts["settings.json"] ?? "")).toMatchObject({
    retention_days: 90,
    source_ip: "cut",
    public_url: null,
  });
  expect(JSON.parse(texts["environment.json"] ?? "")).toMatchObject({
    INTAKE_TOKEN: true,
    AWS_SECRET_ACCESS_KEY: true,
  });
  expect(JSON.parse(texts["schema.json"] ?? "").steps.length).toBeGreaterThan(0);
  expect(texts["doctor.txt"]).toContain("permissions: only the owner can read the data directory");
  expect(JSON.parse(texts["doctor.json"] ?? "").length).toBeGreaterThan(10);
  expect(texts["metrics.txt"]).toContain('intake_requests_total{route="createTicket",status="201",code="ok"} 1');
  const log1 = (texts["log.jsonl"] ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(log1.map(({ requestId }) => requestId).filter(Boolean)).toEqual(["r-1", "r-2", "r-3"]);
  expect(log1[1].error).toEqual({
    name: "Error",
    code: "SQLITE_IOERR",
    at: ["at run (/app/server/core/periodic.ts:12:3)", "at /app/x.ts:1:2"],
  });
});

test("a named pipe in the place of secret.key is named, and not waited for", async () => {
  const key = `${data}/secret.key`;
  renameSync(key, `${key}.right`);
  expect(Bun.spawnSync(["mkfifo", key]).exitCode).toBe(0);
  try {
    const to = `${scratch}/pipe.tar.gz`;
    const pipes = { ...env, INTAKE_OTHER_SECRET_FILE: key };
    expect((await run(["support-bundle", "--to", to, "--yes", "--data", data], { env: pipes })).code).toBe(0);
    expect((await contentsOf(to))["doctor.txt"]).toContain("key cannot be read (not a regular file)");
  } finally {
    renameSync(`${key}.right`, key);
  }
});

test.if(process.getuid?.() === 0)("a refusal does not wait for a name server that does not answer", async () => {
  const mute = await Bun.udpSocket({ hostname: "127.53.0.1", port: 53, socket: { data() {} } });
  const names = `${scratch}/resolv.conf`;
  writeFileSync(names, "nameserver 127.53.0.1\noptions timeout:30 attempts:3\n");
  await runJson(["settings", "set", "public_url", "https://intake.example.com", "--data", data]);
  const started = performance.now();
  const child = Bun.spawn(
    [
      ...["unshare", "--mount", "sh", "-c", 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"', "sh", names],
      ...[binaryPath, "support-bundle", "--to", `${scratch}/refused.tar.gz`, "--data", data],
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { PATH: process.env["PATH"] ?? "" } },
  );
  const { code, stderr } = await finished(child);
  expect([code, stderr]).toEqual([1, expect.stringContaining("nothing was written; say --yes")]);
  // The name server would be asked three times, and waited for 30 s each time.
  expect(performance.now() - started).toBeLessThan(80_000);
  await runJson(["settings", "set", "public_url", server.url, "--data", data]);
  mute.close();
});

test("without --yes and without a terminal it is listed, and not written", async () => {
  const to = `${scratch}/asked.tar.gz`;
  const { code, stdout, stderr } = await run(["support-bundle", "--to", to, "--data", data]);
  expect([code, stdout, existsSync(to)]).toEqual([1, "", false]);
  expect(stderr).toContain("  counts.json  ");
  expect(stderr).toEndWith("intake: nothing was written; say --yes to write it\n");
});

test("no file is overwritten, and no link is followed, to write or to read", async () => {
  const there = `${scratch}/there.tar.gz`;
  writeFileSync(there, "mine");
  const [dangling, link] = [`${scratch}/dangling.tar.gz`, `${scratch}/link.log`];
  symlinkSync(`${scratch}/elsewhere`, dangling);
  writeFileSync(`${scratch}/target.log`, '{"logger":"intake","level":"INFO","message":"seen through a link"}\n');
  symlinkSync(`${scratch}/target.log`, link);
  for (const to of [there, dangling]) {
    const refused = await run(["support-bundle", "--to", to, "--yes", "--data", data]);
    expect([refused.code, refused.stderr.includes("is there already")]).toEqual([1, true]);
  }
  expect([readFileSync(there, "utf8"), existsSync(`${scratch}/elsewhere`)]).toEqual(["mine", false]);
  for (const log of [link, scratch, "/dev/zero", `${scratch}/absent`]) {
    const to = `${scratch}/${Bun.randomUUIDv7()}.tar.gz`;
    expect((await run(["support-bundle", "--to", to, "--log", log, "--yes", "--data", data])).code).toBe(0);
    expect((await contentsOf(to))["log.jsonl"]).toStartWith("could not be made: it ");
  }
  expect((await run(["support-bundle", "--to", `${scratch}/x.zip`, "--yes", "--data", data])).code).toBe(2);
});

test("what lock.json names as the server's metrics is asked over HTTP only", async () => {
  const posing = await newDataFolder();
  await runJson(["init", "--data", posing.folder, "--org", "Example", "--admin-email", "a@example.org"]);
  writeFileSync(`${scratch}/metrics`, "read from a file");
  writeFileSync(
    `${posing.folder}/lock.json`,
    JSON.stringify({ pid: process.pid, command: "serve", metricsUrl: `file://${scratch}/metrics` }),
  );
  const to = `${scratch}/posing.tar.gz`;
  expect((await run(["support-bundle", "--to", to, "--yes", "--data", posing.folder])).code).toBe(0);
  expect((await contentsOf(to))["metrics.txt"]).toBe("could not be made: lock.json names no /metrics\n");
  await posing.remove();
});

test("a damaged database leaves out what cannot be read, and says why", async () => {
  const broken = await newDataFolder();
  writeFileSync(`${broken.folder}/intake.db`, "no database".repeat(1_000));
  const to = `${scratch}/broken.tar.gz`;
  const { code } = await run(["support-bundle", "--to", to, "--yes", "--data", broken.folder], { env: {} });
  const texts = await contentsOf(to);
  expect([code, texts["counts.json"]?.startsWith("could not be made: ")]).toEqual([0, true]);
  expect(texts["doctor.txt"]).toContain("FAIL");
  await broken.remove();
});
