import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import type { CreatedOrganisation } from "../../server/organisation/create-organisation.ts";
import { binaryPath, type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { databaseEnvironment, onPostgres } from "../support/databases.ts";
import { faultsFound } from "../support/doctor.ts";
import { type DataFolder, install, newDataFolder, newestSchema } from "../support/installation.ts";
import { newToken, ticketCount } from "../support/tickets.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

interface Id {
  id: string;
}
interface Page<T> {
  items: T[];
  next: string | null;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";
let data: DataFolder;
let folder: string;
let made: CreatedOrganisation;
let server: RunningBinary;

const intake = <T>(...args: string[]) => runJson<T>([...args, "--data", folder]);
const ends = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, "--data", folder]);
  return { code, stdout, lines: stderr.trimEnd().split("\n") };
};

beforeAll(async () => {
  data = await newDataFolder();
  folder = data.folder;
  made = await runJson<CreatedOrganisation>([
    "init",
    "--data",
    folder,
    "--org",
    "Example",
    "--admin-email",
    "Admin@Example.org",
  ]);
  server = await serve(folder);
});
afterAll(async () => {
  await server.stop();
  await data.remove();
});

/** `ticket create` as a CI job runs it. */
function create(args: string[], env: Record<string, string> = {}) {
  return run(["ticket", "create", ...args], {
    env: { INTAKE_URL: server.url, INTAKE_TOKEN: made.apiToken.token, ...env },
  });
}

describe("init", () => {
  test("prints ids and secrets once, in the members that scripts rely on", () => {
    expect(made.admin).toMatchObject({ email: "admin@example.org", password: expect.stringMatching(/^\w{20}$/) });
    expect(made.columns.map(({ name }) => name)).toEqual(["Backlog", "To do", "In progress", "Done"]);
    expect(made.apiToken.token).toMatch(/^itk_[0-9A-Za-z]{36}$/);
  });

  test("what comes next is told on stderr, and to scripts nothing", async () => {
    const own = `${folder}/it's new`;
    const databases = [await newDataFolder(own), await newDataFolder(`${own} too`)];
    const args = ["init", "--data", own, "--org", "Next", "--admin-email", "n@example.org"];
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([0, expect.stringContaining("apiToken:")]);
    expect(stderr).toContain(`intake serve --data '${folder}/it'\\''s new'\n`);
    expect(stderr).toContain("intake ticket create --title");
    const scripted = await run([...args, "--json", "--data", `${own} too`].toSpliced(1, 2));
    expect([scripted.code, scripted.stderr.includes("Next:")]).toEqual([0, false]);
    for (const { remove } of databases) await remove();
  });

  test("a second time fails, and names who holds the directory", async () => {
    const args = ["init", "--org", "Second", "--admin-email", "b@example.org"];
    // A database is nobody's alone.
    const words = onPostgres ? "has its organisation already" : `process ${server.pid} (intake serve)`;
    expect(await ends(...args)).toMatchObject({ code: 1, lines: [expect.stringContaining(words)] });
  });

  test("files are for the owner only", () => {
    for (const path of [folder, ...readdirSync(folder).map((name) => `${folder}/${name}`)]) {
      expect(statSync(path).mode & 0o077).toBe(0);
    }
  });
});

describe("beside a live server, from the next request on", () => {
  test("token: create, use, list, update, log, revoke", async () => {
    const token = await intake<{ id: string; token: string; fingerprint: string }>(
      "token",
      "create",
      "--name",
      "Release",
      "--all-projects",
      "--limit",
      "100",
    );
    const env = { INTAKE_TOKEN: token.token };
    expect((await create(["--title", "x", "--project", made.project.id], env)).code).toBe(0);
    const { items } = await intake<Page<Record<string, unknown>>>("token", "list");
    expect(items.at(-1)).toMatchObject({
      id: token.id,
      name: "Release",
      fingerprint: token.fingerprint,
      scopes: ["tickets:write"],
      reach: "all",
      revokedAt: null,
    });
    await intake("token", "update", token.id, "--name", "Renamed", "--project", made.project.id, "--no-scope");
    expect(await create(["--title", "x"], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("insufficient_scope"),
    });
    const log = await until(async () => {
      const page = await intake<Page<Record<string, unknown>>>("token", "log", token.id);
      return page.items.length === 2 ? page.items : undefined;
    });
    expect(log).toMatchObject([{ status: 201 }, { status: 403, code: "insufficient_scope" }]);
    await intake("token", "revoke", token.id);
    expect(await create(["--title", "x"], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("invalid_api_token"),
    });
    expect(await ends("token", "revoke", token.id)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("revoked already")],
    });
    expect(await ends("token", "update", token.id, "--name", "x")).toMatchObject({ code: 1 });
  });

  test("project, board, column: create, list, archive, delete", async () => {
    const project = await intake<{ id: string; board: Id; columns: Id[] }>("project", "create", "--name", "Shop");
    const board = await intake<{ id: string; columns: Id[] }>(
      "board",
      "create",
      "--project",
      project.id,
      "--name",
      "B",
      "--no-columns",
    );
    expect(board.columns).toEqual([]);
    const column = await intake<Id>("column", "create", "--board", board.id, "--name", "Inbox");
    const columns = await intake<Page<Id>>("column", "list", "--board", board.id);
    expect(columns).toMatchObject({ items: [{ id: column.id, name: "Inbox" }], next: null });
    await intake("column", "delete", column.id);
    await intake("board", "archive", board.id);
    expect(await ends("board", "archive", board.id)).toMatchObject({ code: 1 });
    await intake("board", "delete", board.id);
    const boards = await intake<Page<Id>>("board", "list", "--project", project.id);
    expect(boards.items.map(({ id }) => id)).toEqual([project.board.id]);
    await intake("project", "archive", project.id);
    await intake("project", "delete", project.id, "--yes");
    const projects = await intake<Page<Id>>("project", "list");
    expect(projects.items.map(({ id }) => id)).toEqual([made.project.id]);
  });

  test("a column with cards is not deleted; a project with cards is", async () => {
    const project = await intake<{ id: string; columns: Id[] }>("project", "create", "--name", "Full");
    const { token } = await intake<{ token: string }>("token", "create", "--name", "T", "--project", project.id);
    await create(["--title", "card"], { INTAKE_TOKEN: token });
    expect(await ends("column", "delete", project.columns[0]?.id ?? "")).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("holds cards")],
    });
    await intake("project", "delete", project.id, "--yes");
    expect(await ends("project", "delete", project.id, "--yes")).toMatchObject({ code: 1 });
  });

  test("project delete: asks on a terminal, and elsewhere wants --yes", async () => {
    const { id } = await intake<Id>("project", "create", "--name", "Precious");
    const named = async () => (await intake<Page<Id>>("project", "list")).items.some((one) => one.id === id);
    expect(await ends("project", "delete", id)).toMatchObject({ code: 2, lines: [expect.stringContaining("--yes")] });
    const asked = async (answer: string) => {
      const spawn = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
      const command = [binaryPath, "project", "delete", id, "--data", folder];
      const env = { ...process.env, ...databaseEnvironment(folder) };
      const child = Bun.spawn(["python3", "-c", spawn, ...command], { env, stdin: "pipe", stdout: "pipe" });
      const reader = child.stdout.getReader();
      let told = "";
      while (!told.includes("Type yes:")) told += new TextDecoder().decode((await reader.read()).value);
      child.stdin.write(answer);
      await child.stdin.flush();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        told += new TextDecoder().decode(read.value);
      }
      return { code: await child.exited, told };
    };
    expect(await asked("no\n")).toEqual({ code: 1, told: expect.stringContaining('the project "Precious"') });
    expect(await named()).toBe(true);
    expect(await asked("yes\n")).toMatchObject({ code: 0 });
    expect(await named()).toBe(false);
  });

  test("member: add, list, invite, role, remove, reset-password", async () => {
    const ada = await intake<{ id: string; inviteUrl: string }>(
      "member",
      "add",
      "--email",
      "ada@example.org",
      "--name",
      "Ada",
      "--role",
      "member",
    );
    expect(ada.inviteUrl).toMatch(new RegExp(`^${server.url}/invite#\\w{43}$`));
    expect(
      await ends("member", "add", "--email", "ADA@example.org", "--name", "Ada", "--role", "member"),
    ).toMatchObject({ code: 1 });
    const invited = await intake<{ inviteUrl: string }>("member", "invite", ada.id);
    expect(invited.inviteUrl).not.toBe(ada.inviteUrl);
    await intake("member", "role", ada.id, "admin");
    await intake("member", "reset-password", ada.id);
    const list = await intake<Page<{ id: string; role: string }>>("member", "list");
    expect(list.items.map(({ role }) => role)).toEqual(["admin", "agent", "admin"]);
    await intake("member", "remove", ada.id);
    expect(await ends("member", "invite", ada.id)).toMatchObject({ code: 1 });
    expect(await ends("member", "remove", made.agent.id)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("AI agent")],
    });
    expect(await ends("member", "remove", made.admin.id)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("only admin")],
    });
    expect(await ends("member", "role", made.admin.id, "member")).toMatchObject({ code: 1 });
  });

  test("repository: bind, list, unbind", async () => {
    const url = "https://git.example.org/shop.git";
    const { id } = await intake<Id>("repository", "bind", "--project", made.project.id, "--url", url);
    expect(await ends("repository", "bind", "--project", made.project.id, "--url", url)).toMatchObject({ code: 1 });
    expect(await intake<Page<Id>>("repository", "list")).toMatchObject({ items: [{ id, url }] });
    await intake("repository", "unbind", id);
    expect(await intake<Page<Id>>("repository", "list")).toMatchObject({ items: [] });
    expect(await ends("repository", "unbind", id)).toMatchObject({ code: 1 });
    const based = ["--url", "git@git.example.org:shop.git", "--base-branch", "develop"];
    const other = await intake<Id>("repository", "bind", "--project", made.project.id, ...based);
    const bases = async () => (await intake<Page<{ baseBranch: string | null }>>("repository", "list")).items;
    expect(await bases()).toMatchObject([{ baseBranch: "develop" }]);
    expect(await intake<object>("repository", "update", other.id, "--base-branch", "main")).toEqual({
      id: other.id,
      baseBranch: "main",
    });
    await intake("repository", "update", other.id, "--default-branch", "--run-credits", "7");
    expect(await bases()).toMatchObject([{ baseBranch: null }]);
    for (const wrong of [[], ["--base-branch", "a b"], ["--base-branch", "x", "--default-branch"]]) {
      expect(await ends("repository", "update", other.id, ...wrong)).toMatchObject({ code: 2 });
    }
    await intake("repository", "unbind", other.id);
    const secret = "https://user:pass@git.example.org/shop.git";
    const refused = await ends("repository", "bind", "--project", made.project.id, "--url", secret);
    expect(refused.code).toBe(2);
    expect(refused.lines.join()).not.toContain("pass@");
  });

  test("what turns text round or hides in it is shown in tables and messages, and stays as it is in JSON", async () => {
    const name = "CI \u202eniam\u200b";
    const { id } = await intake<Id>("project", "create", "--name", name);
    const listed = await intake<Page<{ name: string }>>("project", "list");
    expect(listed.items.map((project) => project.name)).toContain(name);
    expect((await ends("project", "list")).stdout).toContain("CI [U+202E]niam[U+200B]");
    const { lines } = await ends("project", "archive", "\u202e\u2066");
    expect(lines.join()).not.toMatch(/[\u202e\u2066]/);
    await intake("project", "archive", id);
  });

  test("ticket: create, list, show, update, move, delete", async () => {
    const { code, stdout, stderr } = await create([
      "--title",
      "Nightly build failed",
      "--priority",
      "high",
      "--due",
      "2026-12-24",
      "--json",
    ]);
    expect({ code, key: /^Idempotency-Key: [0-9a-f-]{36}\n$/.test(stderr) }).toEqual({ code: 0, key: true });
    const { id, url } = JSON.parse(stdout) as { id: string; url: string };
    expect(url).toBe(`${server.url}/cards/${id}`);
    expect((await intake<Page<Id>>("ticket", "list", "--project", made.project.id)).items[0]?.id).toBe(id);
    await intake("ticket", "update", id, "--title", "Renamed");
    await intake("ticket", "move", id, "--column", made.columns[3]?.id ?? "");
    expect(await intake<unknown>("ticket", "show", id)).toMatchObject({
      id,
      title: "Renamed",
      columnId: made.columns[3]?.id,
      priority: "high",
      dueAt: "2026-12-24",
      startsAt: null,
      author: "First token",
      activity: [
        { actor: "First token", kind: "created" },
        { actor: "command line", kind: "edited" },
        { actor: "command line", kind: "moved" },
      ],
    });
    const other = await intake<{ id: string; columns: Id[] }>("project", "create", "--name", "Other");
    expect(await ends("ticket", "move", id, "--column", other.columns[0]?.id ?? "")).toMatchObject({ code: 1 });
    await intake("project", "delete", other.id, "--yes");
    await intake("ticket", "delete", id);
    expect(await ends("ticket", "show", id)).toMatchObject({ code: 1 });
  });

  test("ticket create: the same key twice is one ticket, and says so", async () => {
    const args = ["--title", "Once", "--idempotency-key", "build-7312"];
    const [first, second] = [await create(args), await create(args)];
    expect(second.stdout).toBe(first.stdout);
    expect(second.stderr).toContain("nothing new was created");
  });

  test("ticket create: errors are one clear line, and the token stands in none", async () => {
    const wrong = await create(["--title", "x", "--board", absent]);
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("board_not_found");
    const missing = await create(["--title", "x"], { INTAKE_TOKEN: "" });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("INTAKE_TOKEN") });
    const noFile = await create(["--title", "x"], { INTAKE_TOKEN: "", INTAKE_TOKEN_FILE: `${folder}/absent` });
    expect(noFile).toMatchObject({ code: 2, stderr: "intake: INTAKE_TOKEN_FILE: cannot read the file (ENOENT)\n" });
    expect(wrong.stderr + missing.stderr).not.toContain(made.apiToken.token);
  });

  test("ticket create: without an address nothing is sent anywhere", async () => {
    const { code, stdout, stderr } = await create(["--title", "x"], { INTAKE_URL: "" });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("intake: say where Intake answers, by --url or INTAKE_URL\n");
  });

  test("ticket create: it keeps trying as long as --wait says, so a restart of the server costs no ticket", async () => {
    const own = await install();
    const { token } = await newToken(own);
    const first = await serve(own.folder);
    const { port } = new URL(first.url);
    await first.stop();
    const [before, given] = [await ticketCount(own), { INTAKE_URL: first.url, INTAKE_TOKEN: token }];
    expect(await create(["--title", "x", "--wait", "0"], given)).toMatchObject({ code: 1, stdout: "" });
    const child = Bun.spawn([binaryPath, "ticket", "create", "--title=x", "--wait=1m"], {
      env: given,
      stdout: "pipe",
      stderr: "pipe",
    });
    const told = child.stderr.getReader();
    for (let text = ""; !text.includes("trying again"); ) text += new TextDecoder().decode((await told.read()).value);
    const again = await serve(own.folder, ["--port", port]);
    expect([await child.exited, await child.stdout.text()]).toEqual([0, expect.stringContaining("/cards/")]);
    expect(await ticketCount(own)).toBe(before + 1);
    await again.stop();
    await own.remove();
  });

  test("--version prints the version", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, stdout: `intake ${version}\n`, stderr: "" });
    expect(JSON.parse((await run(["--version", "--json"])).stdout)).toMatchObject({ version });
  });

  test("ticket create: the token may come from a file", async () => {
    const file = `${folder}/token.txt`;
    writeFileSync(file, `${made.apiToken.token}\n`);
    expect((await create(["--title", "x"], { INTAKE_TOKEN: "", INTAKE_TOKEN_FILE: file })).code).toBe(0);
  });

  test("settings: list, set, back to the default", async () => {
    await intake("settings", "set", "public_url", "https://intake.example.org/");
    const { items } = await intake<Page<Record<string, unknown>>>("settings", "list");
    expect(items).toContainEqual(expect.objectContaining({ name: "public_url", value: "https://intake.example.org" }));
    expect((await create(["--title", "x"])).stdout).toStartWith("https://intake.example.org/cards/");
    await intake("settings", "set", "public_url", "");
    expect(await ends("settings", "set", "colour", "red")).toMatchObject({ code: 1 });
    expect(await ends("settings", "set", "public_url", "ftp://x")).toMatchObject({ code: 2 });
  });

  test("audit list: newest first, paged by cursor without gap or repeat", async () => {
    const all = await intake<Page<{ at: string; actor: string; action: string }>>("audit", "list", "--limit", "200");
    expect(all.items.at(-1)).toMatchObject({ actor: "command line", action: "organisation.create" });
    const paged: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page<unknown> = await intake(
        "audit",
        "list",
        "--limit",
        "7",
        ...(cursor ? ["--cursor", cursor] : []),
      );
      paged.push(...page.items);
      cursor = page.next;
    }
    expect(paged).toEqual(all.items);
  });

  test("audit export: the same entries as JSON Lines, filtered, to stdout and to a file", async () => {
    for (const name of ["One", "Two"]) await intake("project", "create", "--name", name);
    const { items } = await intake<Page<{ at: string; action: string }>>("audit", "list", "--limit", "200");
    const projects = items.filter(({ action }) => action.startsWith("project."));
    const args = ["audit", "export", "--format", "jsonl", "--action", "project", "--actor", "command line"];
    const { stdout } = await ends(...args);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(projects);
    const since = projects[0]?.at ?? "";
    const { stdout: none } = await ends(...args, "--until", projects.at(-1)?.at ?? "");
    expect(none).toBe("");
    const output = join(folder, "audit.csv");
    const saved = await intake<{ bytes: number }>("audit", "export", "--since", since, "--output", output);
    expect(saved.bytes).toBe(statSync(output).size);
    expect(readFileSync(output, "utf8").split("\r\n")[1]).toContain('"audit.export"');
    expect(await ends("audit", "export", "--output", join(folder, "absent/audit.csv"))).toMatchObject({ code: 1 });
    expect(await ends("audit", "export", "--format", "xml")).toMatchObject({ code: 2 });
  });

  test("doctor, migrate status, version, healthcheck", async () => {
    expect(await faultsFound(folder)).toEqual([]);
    expect(await intake<unknown>("migrate", "status")).toMatchObject({
      current: newestSchema,
      newest: newestSchema,
      pending: [],
    });
    expect(await intake<unknown>("version")).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      schema: newestSchema,
    });
    expect(await intake<unknown>("healthcheck")).toEqual({ status: "ready" });
    expect(await run(["healthcheck", "--url", "http://127.0.0.1:1"])).toMatchObject({ code: 1 });
    const refused = { code: 1, lines: [expect.stringContaining(`process ${server.pid}`)] };
    // Processes of several versions share a database, so its schema grows beside them.
    expect(await ends("migrate", "up")).toMatchObject(onPostgres ? { code: 0 } : refused);
  });
});

describe("typed wrongly: exit 2, one line, nothing changed", () => {
  const wrong: [string, string[]][] = [
    ["no such command", ["frobnicate"]],
    ["a group alone", ["token"]],
    ["an unknown flag", ["token", "list", "--colour"]],
    ["a flag twice", ["project", "create", "--name", "a", "--name", "b"]],
    ["a flag without its value", ["project", "create", "--name"]],
    ["a flag as a value", ["project", "create", "--name", "--json"]],
    ["a value for a switch", ["project", "list", "--json=yes"]],
    ["a required flag missing", ["project", "create"]],
    ["a blank name", ["project", "create", "--name", "  "]],
    ["a name of 81", ["project", "create", "--name", "n".repeat(81)]],
    ["no reach", ["token", "create", "--name", "x"]],
    ["two reaches", ["token", "create", "--name", "x", "--all-projects", "--project", absent]],
    ["an unknown scope", ["token", "create", "--name", "x", "--all-projects", "--scope", "admin"]],
    ["scope and none", ["token", "create", "--name", "x", "--all-projects", "--scope", "runs:execute", "--no-scope"]],
    ["a limit of 0", ["token", "create", "--name", "x", "--all-projects", "--limit", "0"]],
    ["a limit that is no number", ["token", "create", "--name", "x", "--all-projects", "--limit", "many"]],
    ["a page above 200", ["audit", "list", "--limit", "201"]],
    ["a page of 1e2", ["audit", "list", "--limit", "1e2"]],
    ["a forged cursor", ["audit", "list", "--cursor", "nonsense"]],
    ["a cursor of another list", ["project", "list", "--cursor", Buffer.from('["x"]').toString("base64url")]],
    ["no ID", ["token", "revoke"]],
    ["an ID that is no UUID", ["token", "revoke", "shop"]],
    ["an unknown role", ["member", "role", absent, "owner"]],
    ["a bad e-mail", ["member", "add", "--email", "ada", "--name", "Ada", "--role", "member"]],
    ["a day that does not exist", ["ticket", "create", "--title", "x", "--due", "2026-02-30"]],
    ["a wait that is no duration", ["ticket", "create", "--title", "x", "--wait", "soon"]],
    ...(
      [
        ["ticket", "create", "--title", "x", "--url"],
        ["repository", "bind", "--project", absent, "--url"],
        ["subscriber", "add", "--project", absent, "--url"],
        ["subscriber", "update", absent, "--url"],
        ["key", "create", "--project", absent, "--name", "x", "--origin"],
        ["key", "update", absent, "--origin"],
        ["runner", "--token-file", "/dev/null", "--exec", "true", "--url"],
        ["mcp", "--url"],
        ["healthcheck", "--url"],
        ["serve", "--public-url"],
        ["serve", "--ingest-url"],
      ] as string[][]
    ).flatMap((args) =>
      ["nonsense", "https://", "http:", "https://a b"].map((url): [string, string[]] => [
        `${args.slice(0, 2).join(" ")} ${args.at(-1)} ${url}`,
        [...args, url],
      ]),
    ),
    ["settings set public_url nonsense", ["settings", "set", "public_url", "nonsense"]],
    ["a port that is none", ["serve", "--port", "70000"]],
    ["another host without public URL", ["serve", "--host", "0.0.0.0"]],
    ["a public URL with a query", ["serve", "--public-url", "https://example.org/?x"]],
    ["a public URL with a path", ["serve", "--public-url", "https://example.org/intake"]],
    ["a public URL with a path as a setting", ["settings", "set", "public_url", "https://example.org/intake"]],
    [
      "limits off in public",
      ["serve", "--host", "0.0.0.0", "--public-url", "https://example.org", "--rate-limits", "off"],
    ],
    ["a metrics address without port", ["serve", "--metrics", "localhost"]],
  ];
  for (const [name, args] of wrong) {
    test(name, async () => {
      const { code, stdout, lines } = await ends(...args);
      expect({ code, stdout, lines: lines.length }).toEqual({ code: 2, stdout: "", lines: 1 });
      expect(lines[0]).toStartWith("intake: ");
    });
  }

  test.each([
    [["token", "revoke", absent, "now"], '"now" is a word too many'],
    [["token", "revoke", "now", absent, "soon"], `"${absent}" is a word too many`],
    [
      ["ticket", "create", "--title", "Deploy", "is", "broken"],
      '"is" after --title is a word too many: a value with blanks needs quotes',
    ],
    [
      ["ticket", "create", "--title=Deploy", "is"],
      '"is" after --title is a word too many: a value with blanks needs quotes',
    ],
    [["project", "list", "--json", "yes"], '"yes" after --json is a word too many: the flag takes no value'],
    [["project", "list", "a\u001b[2J\u202eb\n"], '"a\\u001b[2J\\u202eb\\n" is a word too many'],
    [["project", "list", "x".repeat(300)], `"${"x".repeat(80)}" is a word too many`],
  ])("a word too many is named, with the flag right before it: %j", async (args, told) => {
    expect(await ends(...args)).toMatchObject({ code: 2, stdout: "", lines: [`intake: ${told}`] });
  });

  test("a secret typed where none belongs is not repeated", async () => {
    for (const args of [
      ["ticket", "create", made.apiToken.token],
      ["ticket", "create", "--title", "x", `token=${made.apiToken.token}`],
      ["token", "list", "--limit", made.apiToken.token],
    ]) {
      const { code, lines } = await ends(...args);
      expect([code, lines.join().includes(made.apiToken.token)]).toEqual([2, false]);
    }
  });

  test("an unknown ID is exit 1 for every command that takes one", async () => {
    for (const args of [
      ["token", "revoke", absent],
      ["token", "update", absent, "--name", "x"],
      ["token", "log", absent],
      ["token", "create", "--name", "x", "--project", absent],
      ["project", "archive", absent],
      ["project", "delete", absent, "--yes"],
      ["board", "create", "--project", absent, "--name", "x"],
      ["board", "archive", absent],
      ["board", "delete", absent],
      ["column", "create", "--board", absent, "--name", "x"],
      ["column", "delete", absent],
      ["member", "invite", absent],
      ["member", "role", absent, "admin"],
      ["member", "remove", absent],
      ["member", "reset-password", absent],
      ["repository", "bind", "--project", absent, "--url", "https://git.example.org/x.git"],
      ["repository", "unbind", absent],
      ["ticket", "show", absent],
      ["ticket", "list", "--project", absent],
      ["ticket", "move", absent, "--column", absent],
      ["ticket", "update", absent, "--title", "x"],
      ["ticket", "delete", absent],
    ]) {
      expect([args.join(" "), (await ends(...args)).code]).toEqual([args.join(" "), 1]);
    }
  });
});

describe("help", () => {
  test("the binary alone shows every command", async () => {
    const { code, stdout } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toContain("token create");
  });

  test("every command has help with an example that begins with its name", async () => {
    const { stdout } = await run(["--help"]);
    const names = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?)(?: [A-Z]+)*\s{2,}/gm)].map(([, name = ""]) =>
      name.trim(),
    );
    expect(names.length).toBeGreaterThan(35);
    for (const name of names) {
      const help = await run([...name.split(" "), "--help"]);
      expect([name, help.code]).toEqual([name, 0]);
      expect(help.stdout).toMatch(new RegExp(`Example:\\n.*intake ${name}`));
    }
  });
});
