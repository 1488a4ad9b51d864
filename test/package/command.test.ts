import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../client/package.json";
import { showTicket } from "../../server/tickets/show.ts";
import { accept, json, type Step, step, write } from "../client/fault-script.ts";
import { startFaultServer } from "../client/fault-server.ts";
import { type Finished, finished, type RunningBinary, serve } from "../support/binary.ts";
import { runUnread } from "../support/closed-output.ts";
import { newSdkKey, shown, storedAttachment } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { newToken } from "../support/tickets.ts";
import { Consumer } from "./consumer.ts";

setDefaultTimeout(180_000);
const absent = "0198c0de-0000-7000-8000-00000000dead";
const consumer = new Consumer();
let installation: Installation;
let server: RunningBinary;
let token: string;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  ({ token } = await newToken(installation));
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
  consumer.remove();
});

/** The command as npm installs it. */
function command(args: string[], env: Record<string, string> = {}): Promise<Finished> {
  const child = Bun.spawn([join(consumer.folder, "node_modules/.bin/intake-client"), ...args], {
    env: { PATH: process.env["PATH"] ?? "", INTAKE_URL: server.url, INTAKE_TOKEN: token, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  return finished(child);
}
const create = (args: string[], env?: Record<string, string>) => command(["ticket", "create", ...args], env);

/** Runs the command against a server that answers by a script. */
async function createBefore(steps: Step[], args: string[]) {
  const faults = await startFaultServer(steps);
  try {
    return { ...(await create(args, { INTAKE_URL: faults.url })), ...faults.record() };
  } finally {
    faults.close();
  }
}

test("prints the address of the card, and a new key on stderr", async () => {
  const { code, stdout, stderr } = await create(["--title", "Nightly build failed"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^http:\/\/\S+\/cards\/\S+\n$/);
  expect(stderr).toMatch(/^Idempotency-Key: [\da-f-]{36}\n$/);
});

test("--json prints the answer; every field arrives", async () => {
  const { project, board, columns, admin } = installation.made;
  const { stdout } = await create([
    ...["--json", "--url", server.url, "--title=-x", "--description=--description", "--priority", "low"],
    ...["--project", project.id, "--board", board.id, "--column", columns[2]?.id ?? "", "--assignee", admin.id],
    ...["--starts", "2026-02-28", "--due", "2026-03-01"],
  ]);
  const { id, ...answer } = JSON.parse(stdout);
  expect(answer).toMatchObject({ title: "-x", projectId: project.id, url: expect.stringContaining(id) });
  expect(await showTicket({ ctx: installation.ctx, input: { id } })).toMatchObject({
    description: "--description",
    columnId: columns[2]?.id ?? "",
    priority: "low",
    assigneeUserId: admin.id,
    startsAt: "2026-02-28",
    dueAt: "2026-03-01",
  });
});

test("the same key twice is one ticket, and says so", async () => {
  const args = ["--title", "Once", "--idempotency-key", "build-7312"];
  const [first, second] = [await create(args), await create(args)];
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(second.stdout).toBe(first.stdout);
  expect(second.stderr).toContain("nothing new was created");
  const third = await create(["--title", "Other", "--idempotency-key", "build-7312"]);
  expect(third.stderr).toContain("the body of then was another one");
});

test("the token may come from a file", async () => {
  const file = join(consumer.folder, "token.txt");
  writeFileSync(file, `${token}\n`);
  expect((await create(["--title", "x"], { INTAKE_TOKEN: "", INTAKE_TOKEN_FILE: file })).code).toBe(0);
});

test("refused is exit 1, on one line with code and request id; the token stands nowhere", async () => {
  const { code, stdout, stderr } = await create(["--title", "x", "--idempotency-key", "k", "--board", absent]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^intake-client: board_not_found: .+ \(request [\w-]+\)\n$/);
  expect(stderr).not.toContain(token);
  const { token: other } = await newToken(installation, { scopes: [] });
  const unscoped = await create(["--title", "x"], { INTAKE_TOKEN: other });
  expect(unscoped).toMatchObject({ code: 1, stderr: expect.stringContaining("insufficient_scope") });
});

test("a wait for a 429 is told, and the same key goes along again", async () => {
  const busy = step(json(429, { error: "rate_limit_exceeded", message: "Too many." }, { "retry-after": "1" }));
  const { code, stderr, requests } = await createBefore([busy, accept], ["--title", "x"]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^rate_limit_exceeded; trying again in 1\.0 s \(1\d\d s left\)$/m);
  const [first, second, ...others] = requests.map(({ headers }) => headers["idempotency-key"]);
  expect({ second, others }).toEqual({ second: first ?? "none", others: [] });
});

test("it keeps trying as long as --wait says, with pauses whatever the server asks", async () => {
  const asked = { "retry-after": "0" };
  const since = performance.now();
  const broken = await createBefore([step(write(503, { headers: asked }))], ["--title", "x", "--wait", "4s"]);
  const seconds = (performance.now() - since) / 1_000;
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain("intake-client: http_503");
  expect(seconds).toBeLessThan(30);
  expect(broken.requests.length).toBeGreaterThan(1);
  expect(broken.requests.length).toBeLessThan(30);
  expect(broken.stderr).toMatch(/\nhttp_503; trying again in \d+\.\d s \(\d s left\)\n/);
});

test("--wait 0 means one try, of the usual length", async () => {
  const slow = step({ do: "wait", ms: 500 }, { do: "accept" });
  expect(await createBefore([slow], ["--title", "x", "--wait", "0"])).toMatchObject({ code: 0 });
  const once = await createBefore([step(write(503))], ["--title", "x", "--wait", "0"]);
  expect(once).toMatchObject({ code: 1, requests: [{}] });
  expect(once.stderr).not.toContain("trying again");
});

test("a Retry-After beyond --wait, two minutes unless told, is not waited for", async () => {
  const paused = step(json(429, { error: "rate_limit_exceeded" }, { "retry-after": "121" }));
  const refused = await createBefore([paused], ["--title", "x"]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("rate_limit_exceeded"), requests: [{}] });
  const busy = step(json(429, { error: "rate_limit_exceeded" }, { "retry-after": "2" }));
  expect(await createBefore([busy], ["--title", "x", "--wait", "1s"])).toMatchObject({ code: 1, requests: [{}] });
  const later = await createBefore([busy, accept], ["--title", "x", "--wait", "10s"]);
  expect(later).toMatchObject({ code: 0, requests: [{}, {}] });
});

test("a server that is started again costs no ticket", async () => {
  const own = await install();
  const { token } = await newToken(own);
  const first = await serve(own.folder);
  const { port } = new URL(first.url);
  await first.stop();
  const waiting = Bun.spawn(
    [join(consumer.folder, "node_modules/.bin/intake-client"), "ticket", "create", "--title=x"],
    {
      env: { PATH: process.env["PATH"] ?? "", INTAKE_URL: first.url, INTAKE_TOKEN: token },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const told = waiting.stderr.getReader();
  for (let text = ""; !text.includes("trying again"); ) text += new TextDecoder().decode((await told.read()).value);
  const again = await serve(own.folder, ["--port", port]);
  expect([await waiting.exited, await waiting.stdout.text()]).toEqual([0, expect.stringMatching(/\/cards\//)]);
  await again.stop();
  await own.remove();
});

test("what a server writes steers no terminal and ends no line", async () => {
  const text = "x\u001b[2J\u202e\u2028::stop\n::error::forged";
  const members = { id: "1", title: text, projectId: "1", boardId: "1", columnId: "1", createdAt: "now", url: text };
  const answer = step(write(201, { body: JSON.stringify(members).replace(/[^ -~]/g, escaped) }));
  const plain = await createBefore([answer], ["--title", "x"]);
  expect(plain.stdout).toBe("x [2J  ::stop ::error::forged\n");
  const printed = await createBefore([answer], ["--title", "x", "--json"]);
  expect(printed.stdout).toMatch(/^[ -~]+\n$/);
  expect(JSON.parse(printed.stdout)).toEqual(members);
});

const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;

const wrong: [string, string[], Record<string, string>][] = [
  ["no title", [], {}],
  ["an empty title", ["--title="], {}],
  ["a title that is too long", ["--title", "x".repeat(201)], {}],
  ["an unknown flag", ["--title", "x", "--token", "itk_secret"], {}],
  ["a flag twice", ["--title", "x", "--title", "y"], {}],
  ["a flag without a value", ["--title"], {}],
  ["a value for a flag that takes none", ["--title", "x", "--json=yes"], {}],
  ["a word too many", ["--title", "x", "y"], {}],
  ["a priority that is none", ["--title", "x", "--priority", "urgent"], {}],
  ["a day that does not exist", ["--title", "x", "--due", "2026-02-30"], {}],
  ["an id that is none", ["--title", "x", "--board", "1"], {}],
  ["an empty key", ["--title", "x", "--idempotency-key="], {}],
  ["a key that no header carries", ["--title", "x", "--idempotency-key", "a\nb"], {}],
  ["a wait that is no duration", ["--title", "x", "--wait", "5"], {}],
  ["a wait that is too long", ["--title", "x", "--wait", "25h"], {}],
  ["no address", ["--title", "x"], { INTAKE_URL: "" }],
  ["an address that is none", ["--title", "x", "--url", "ftp://x"], {}],
  ["no token", ["--title", "x"], { INTAKE_TOKEN: "" }],
  ["a file of a token that is not there", ["--title", "x"], { INTAKE_TOKEN: "", INTAKE_TOKEN_FILE: "/nowhere" }],
  ["a mistyped token", ["--title", "x"], { INTAKE_TOKEN: "itk_secret" }],
];

test.each(wrong)("typed wrongly, exit 2, one line: %s", async (_, args, env) => {
  const { code, stdout, stderr } = await create(args, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.split("\n").at(-2)).toStartWith("intake-client: ");
  expect(stderr.replace(/^Idempotency-Key: .*\n/, "").split("\n")).toHaveLength(2);
  expect(stderr).not.toContain("secret");
});

test("a credential in a wrong place is not repeated", async () => {
  for (const args of [[token, "--title", "x"], [`--${token}`], ["--title", "x", "isk_abc"], ["--json", `x=${token}`]]) {
    const { code, stderr } = await create(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining("[credential]")]);
    expect(stderr).not.toMatch(/i[st]k_/);
  }
});

test("ends quietly when nobody reads what it prints", async () => {
  const path = join(consumer.folder, "node_modules/.bin/intake-client");
  const env = { INTAKE_URL: server.url, INTAKE_TOKEN: token };
  for (const args of [["--help"], ["ticket", "create", "--json", "--title", "x", "--idempotency-key", "unread"]]) {
    expect(await runUnread([path, ...args], env)).toEqual({ code: 0, stdout: "", stderr: "" });
  }
});

test("--help shows every flag, --version the version", async () => {
  for (const args of [[], ["--help"], ["ticket", "create", "-h"]]) {
    const { code, stdout } = await command(args);
    expect(code).toBe(0);
    for (const flag of ["--title", "--idempotency-key", "--wait", "--json", "INTAKE_TOKEN_FILE"])
      expect(stdout).toContain(flag);
  }
  expect(await command(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await command(["ticket"])).toMatchObject({ code: 2, stdout: "" });
});

describe("report", () => {
  const report = async (args: string[], env: Record<string, string> = {}) => {
    const { key } = await newSdkKey(installation);
    return command(["report", ...args], { INTAKE_KEY: key, INTAKE_TOKEN: "", ...env });
  };

  test("is stored with its files, and its id is printed", async () => {
    consumer.write("build.log", "it failed");
    const [log, own] = [join(consumer.folder, "build.log"), join(consumer.folder, "package.json")];
    const { code, stdout, stderr } = await report([
      ...["--title", "Build failed", "--type", "crash", "--level", "fatal", "--app", "shop", "--app-version", "4.2.0"],
      ...["--attach", log, "--attach", own],
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const event = await shown(installation, stdout.trim());
    expect(event).toMatchObject({ title: "Build failed", type: "crash", level: "fatal", release: "4.2.0" });
    expect(event.attachments.map(({ filename }) => filename)).toEqual(["build.log", "package.json"]);
    expect(String(Buffer.from(await storedAttachment(installation, event.id, 0)))).toBe("it failed");
  });

  test("is tried again under the same id", async () => {
    const faults = await startFaultServer([step({ do: "reset" }), step({ do: "accept" })]);
    const { code, stderr } = await report(["--title", "x"], { INTAKE_URL: faults.url });
    expect([code, faults.record().requests.length, faults.record().stored]).toEqual([0, 2, 1]);
    expect(stderr).toContain("trying again in");
    faults.close();
  });

  test.each([
    [["--title", "x", "--level", "loud"], "--level: must be one of fatal"],
    [["--message", "x"], "--title is required"],
    [["--title", "x", "--attach", "/absent"], "--attach: cannot read /absent (ENOENT)"],
    [["--title", "x", "--title", "y"], "--title is given twice"],
    [["--title", "x", "--report-id", "7"], "--report-id: must be a UUID"],
  ])("that is typed wrongly sends nothing: %j", async (args, said) => {
    const { code, stderr } = await report(args);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  test("wants an SDK key, and says where it looks for it", async () => {
    const { code, stderr } = await report(["--title", "x"], { INTAKE_KEY: "" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("set INTAKE_KEY, or INTAKE_KEY_FILE")]);
    const wrong = await report(["--title", "x"], { INTAKE_KEY: token });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("not an API token")]);
  });
});
