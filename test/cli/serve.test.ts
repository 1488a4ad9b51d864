import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { binaryPath, type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { type DataFolder, newDataFolder, newestSchema } from "../support/installation.ts";
import { withStoreOf } from "../support/open-store.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

const directories: DataFolder[] = [];
const running: RunningBinary[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});
afterAll(async () => {
  for (const { remove } of directories) await remove();
});

async function fresh(): Promise<string> {
  const directory = await newDataFolder();
  directories.push(directory);
  return directory.folder;
}
async function start(...args: Parameters<typeof serve>): Promise<RunningBinary> {
  const server = await serve(...args);
  running.push(server);
  return server;
}
const init = (data: string, ...args: string[]) =>
  runJson<{ apiToken: { token: string }; admin: { password?: string } }>([
    "init",
    "--data",
    data,
    "--org",
    "Example",
    "--admin-email",
    "a@example.org",
    ...args,
  ]);

test("stdout has exactly one line, stderr only JSON lines, and both end well", async () => {
  const data = await fresh();
  await init(data);
  const server = await start(data);
  expect(await server.stop()).toBe(0);
  expect(server.stdout()).toBe(`listening on ${server.url}\n`);
  for (const line of server.stderr().trimEnd().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ logger: "intake", level: expect.any(String) });
  }
});

test("the log line of a refused request has the trace that traceparent names, and nothing of a malformed one", async () => {
  const data = await fresh();
  await init(data);
  const server = await start(data);
  const [trace, span] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const refused = async (path: string, traceparent: string) => {
    const response = await fetch(server.url + path, { method: "POST", headers: { traceparent } });
    const requestId = response.headers.get("x-request-id");
    const line = await until(() =>
      server
        .stderr()
        .split("\n")
        .find((one) => one.includes(`"requestId":"${requestId}"`)),
    );
    return JSON.parse(line) as Record<string, unknown>;
  };
  for (const path of ["/api/v1/tickets", "/internal/session", "/nowhere"]) {
    expect(await refused(path, `00-${trace}-${span}-01`)).toMatchObject({ trace_id: trace, span_id: span });
    const malformed = await refused(path, `00-${trace}-${span}-01-x`);
    expect([malformed["trace_id"], malformed["span_id"], malformed["message"]]).toEqual([
      undefined,
      undefined,
      "refused",
    ]);
  }
});

test("a second server on one data directory is refused with the pid of the first", async () => {
  const data = await fresh();
  const first = await start(data);
  const second = await run(["serve", "--data", data, "--port", "0", "--metrics", "off"]);
  expect(second).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`process ${first.pid} (intake serve)`),
  });
});

test("a port in use is refused, by the public listener and by the one of metrics", async () => {
  const [first, data] = [await start(await fresh()), await fresh()];
  const { port } = new URL(first.url);
  const taken = await run(["serve", "--data", data, "--port", port, "--metrics", "off"]);
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`127.0.0.1:${port} is in use; choose another with --port`),
  });
  const metrics = await run(["serve", "--data", data, "--port", "0", "--metrics", `127.0.0.1:${port}`]);
  expect(metrics).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is in use; choose another with --metrics"),
  });
  expect(existsSync(`${data}/lock.json`)).toBe(false);
});

test("a start that fails half-way leaves nothing running", async () => {
  const data = await fresh();
  mkdirSync(`${data}/setup-link`);
  expect(await run(["serve", "--data", data, "--port", "0", "--metrics", "off"])).toMatchObject({
    code: 1,
    stdout: "",
  });
});

test("a data directory that cannot be written is refused", async () => {
  const data = await fresh();
  writeFileSync(`${data}/file`, "");
  const under = await run(["serve", "--data", `${data}/file/data`, "--port", "0"]);
  expect(under).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be used") });
});

test("an unprivileged user runs it from an empty folder with nothing else installed", async () => {
  const folder = await fresh();
  chmodSync(folder, 0o755);
  mkdirSync(`${folder}/home`);
  Bun.spawnSync(["cp", binaryPath, `${folder}/intake`]);
  Bun.spawnSync(["chown", "nobody", `${folder}/home`]);
  const command = ["setpriv", "--reuid", "nobody", "--clear-groups", "env", "-i", `${folder}/intake`];
  const { exitCode, stderr } = Bun.spawnSync(
    [...command, "init", "--org", "Example", "--admin-email", "a@example.org"],
    {
      cwd: `${folder}/home`,
    },
  );
  expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining("schema 0")]);
  expect(statSync(`${folder}/home/data`).mode & 0o777).toBe(0o700);
});

test("what lies in the working directory is not loaded", async () => {
  const folder = await fresh();
  writeFileSync(`${folder}/bunfig.toml`, 'preload = ["./evil.ts"]\n');
  writeFileSync(`${folder}/evil.ts`, 'require("node:fs").writeFileSync("ran", "");\n');
  writeFileSync(`${folder}/.env`, `INTAKE_DATA=${folder}/from-env\n`);
  await run(["init", "--org", "Example", "--admin-email", "a@example.org"], { cwd: folder });
  expect({
    ran: existsSync(`${folder}/ran`),
    env: existsSync(`${folder}/from-env`),
    data: existsSync(`${folder}/data`),
  }).toEqual({
    ran: false,
    env: false,
    data: true,
  });
});

test("a newer schema is refused in plain words, by serve and by commands", async () => {
  const data = await fresh();
  await init(data);
  const [columns, values] = onPostgres ? [", phase", ", 'contract'"] : ["", ""];
  const insert = `insert into migration (number, name, checksum, applied_at${columns}) values (99, 'future', 'x', 0${values})`;
  await withStoreOf(data, (store) => store.write((tx) => tx.run(insert)));
  for (const args of [
    ["serve", "--port", "0"],
    ["token", "list"],
    ["migrate", "status"],
  ]) {
    const { code, stderr } = await run([...args, "--data", data]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`schema 99, .*(this binary|this binary uses, which) knows up to ${newestSchema}`),
      ),
    ]);
  }
});

test("flag goes before environment, environment before file, file before default", async () => {
  const data = await fresh();
  const file = `${data}/url`;
  writeFileSync(file, "https://file.example.org\n");
  const linkOf = async (args: string[], env: Record<string, string>) => {
    const folder = await fresh();
    const server = await start(folder, args, { env });
    const link = readFileSync(`${folder}/setup-link`, "utf8");
    await server.stop();
    return new URL(link).origin;
  };
  const env = { INTAKE_PUBLIC_URL: "https://env.example.org", INTAKE_PUBLIC_URL_FILE: file };
  expect(await linkOf(["--public-url", "https://flag.example.org"], env)).toBe("https://flag.example.org");
  expect(await linkOf([], env)).toBe("https://env.example.org");
  expect(await linkOf([], { INTAKE_PUBLIC_URL_FILE: file })).toBe("https://file.example.org");
  expect(await linkOf([], {})).toStartWith("http://127.0.0.1:");
});

test("a public URL with a path is refused in words, by flag, by environment and from an older setting", async () => {
  const data = await fresh();
  await init(data);
  const refused = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stderr, stdout } = await run(["serve", "--port", "0", "--data", data, ...args], { env });
    expect([code, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 1]);
    expect(stderr).toContain("must have no path: Intake serves its pages at the root of a host");
  };
  await refused(["--public-url", "https://example.org/intake/"]);
  await refused([], { INTAKE_PUBLIC_URL: "https://example.org/intake" });
  const insert = "insert into setting (name, value) values ('public_url', 'https://example.org/intake')";
  await withStoreOf(data, (store) => store.write((tx) => tx.run(insert)));
  await refused([]);
  expect((await run(["settings", "set", "public_url", "https://intake.example.org", "--data", data])).code).toBe(0);
  const server = await start(data);
  expect(await server.stop()).toBe(0);
});

test("the setup link makes the organisation once, stands in no log record and is for the owner's eyes", async () => {
  const data = await fresh();
  const server = await start(data);
  const link = readFileSync(`${data}/setup-link`, "utf8").trim();
  const secret = new URL(link).hash.slice(1);
  expect(statSync(`${data}/setup-link`).mode & 0o777).toBe(0o600);
  const records = server
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  expect(records.join("\n")).not.toContain(secret);

  const setUp = async (body: unknown, headers: Record<string, string> = { "sec-fetch-site": "same-origin" }) => {
    const response = await fetch(`${server.url}/internal/setup`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
  };
  const body = { secret, organisation: "Example", email: "a@example.org", password: "correct horse battery" };
  expect(await setUp({ ...body, secret: "guess" })).toMatchObject({ status: 403, error: "permission_denied" });
  expect(await setUp(body, { "sec-fetch-site": "cross-site" })).toMatchObject({ status: 403 });
  expect(await setUp({ ...body, password: "short" })).toMatchObject({ status: 400 });
  const outcomes = await Promise.all([setUp(body), setUp(body), setUp(body)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(existsSync(`${data}/setup-link`)).toBe(false);
  expect((await setUp(body)).status).toBeGreaterThanOrEqual(403);
});

test("metrics stand on their own listener and count by route, status and code", async () => {
  const data = await fresh();
  const { apiToken } = await init(data);
  const server = await start(data, ["--metrics", "127.0.0.1:0"]);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  // The log is another pipe than the line that the server listens on.
  const metrics = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
  const headers = { authorization: `Bearer ${apiToken.token}`, "content-type": "application/json" };
  await fetch(`${server.url}/api/v1/tickets`, { method: "POST", headers, body: '{"title":"x"}' });
  await fetch(`${server.url}/api/v1/tickets`, { method: "POST", headers, body: "{}" });
  await fetch(`${server.url}/api/v1/tickets`, { method: "POST" });
  const text = await (await fetch(metrics)).text();
  expect(text).toContain('intake_requests_total{route="createTicket",status="201",code="ok"} 1');
  expect(text).toContain('intake_requests_total{route="createTicket",status="400",code="invalid_input"} 1');
  expect(text).toContain('intake_requests_total{route="createTicket",status="401",code="invalid_api_token"} 1');
  expect(text).toContain("intake_storage_ready 1");
});

test("no secret's value is in the data directory, a log or any answer but the one that made it", async () => {
  const data = await fresh();
  const { apiToken, admin } = await init(data);
  const server = await start(data);
  const made = await runJson<{ token: string }>(["token", "create", "--name", "T", "--all-projects", "--data", data]);
  const invited = await runJson<{ inviteUrl: string }>([
    "member",
    "add",
    "--email",
    "b@example.org",
    "--name",
    "B",
    "--role",
    "member",
    "--data",
    data,
  ]);
  const secrets = [apiToken.token, made.token, admin.password ?? "", invited.inviteUrl.split("#").at(-1) ?? ""];
  const answers: string[] = [];
  for (const token of secrets.slice(0, 2)) {
    for (const body of ['{"title":"x"}', "{}", `{"title":"x","${"y".repeat(10)}":1}`]) {
      const response = await fetch(`${server.url}/api/v1/tickets`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "k" },
        body,
      });
      answers.push(JSON.stringify([...response.headers]), await response.text());
    }
  }
  for (const list of [
    ["token", "list"],
    ["audit", "list"],
    ["member", "list"],
    ["ticket", "list"],
  ]) {
    answers.push(JSON.stringify(await runJson([...list, "--data", data])));
  }
  await server.stop();
  const bytes = await everythingStored(data);
  expect(bytes).toContain("Example");
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(15);
    expect([bytes.includes(secret), server.stderr().includes(secret), answers.join().includes(secret)]).toEqual([
      false,
      false,
      false,
    ]);
  }
});

/** The bytes of all files of a data directory; with a database, its rows too. */
async function everythingStored(data: string): Promise<string> {
  const files = Bun.spawnSync(["cat", ...new Bun.Glob("*").scanSync({ cwd: data, absolute: true })]);
  const bytes = files.stdout.toString("latin1");
  if (!onPostgres) return bytes;
  return withStoreOf(data, async (store) => {
    const tables = await store.all<{ name: string }>(
      "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'",
    );
    const rows = tables.map(({ name }) => store.all(`select one::text as row from ${name} one`));
    return bytes + JSON.stringify(await Promise.all(rows));
  });
}
