import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildClientIfChanged, packed } from "../../client/build.ts";
import { version } from "../../client/package.json";
import { listTickets } from "../../server/tickets/list.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { json, step } from "../client/fault-script.ts";
import { type FaultServer, startFaultServer } from "../client/fault-server.ts";
import { packedClient } from "../client/packed-client.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newToken } from "../support/tickets.ts";
import { action, type Place, type Ran, runAction } from "./action.ts";
import { serveRegistry } from "./registry.ts";

setDefaultTimeout(300_000);
let installation: Installation;
let server: RunningBinary;
let registry: ReturnType<typeof serveRegistry>;
let token: string;
/** The home folder of all steps but those that show where the package comes from. */
const home = temporaryFolder();
/** Has a program in place of npx. */
const programs = temporaryFolder();

beforeAll(async () => {
  buildClientIfChanged();
  registry = serveRegistry();
  installation = await install();
  server = await serve(installation.folder);
  ({ token } = await newToken(installation));
  const command = join(await packedClient(), "@intake/client/esm/cli/main.js");
  writeFileSync(join(programs, "npx"), insteadOfNpx(`${server.url}/sdk/intake-client.tgz`, command), { mode: 0o755 });
});
afterAll(async () => {
  await server.stop();
  await registry.stop(true);
  await installation.remove();
  rmSync(home, { recursive: true });
  rmSync(programs, { recursive: true });
});

/**
 * A program that takes the words that npx is started with, and starts the command of the package at once. For steps that
 * are not about npx, which takes most of the time of a step.
 */
const insteadOfNpx = (address: string, command: string) => `#!/usr/bin/env bash
set -eu
[ "$1 $2 $3 $4" = "--yes --package=${address} -- intake-client" ]
shift 4
exec node ${command} "$@"
`;

const place = (github: Record<string, string> = {}, index = "0"): Place => ({
  github: { repository: "example/shop", run_id: "7312", job: "build", action: "ticket", ...github },
  strategy: { "job-index": index },
  registry: registry.url.href,
  home,
});
const withoutNpx = (...at: Parameters<typeof place>): Place => ({ ...place(...at), programs });
/** A machine that has no package yet. */
const freshPlace = (url = registry.url.href): Place => {
  const { home: _, ...fresh } = place();
  return { ...fresh, registry: url };
};
const created = (inputs: Record<string, string>, at = place()): Promise<Ran> =>
  runAction({ url: server.url, token, ...inputs }, at);
const titles = async () =>
  (await listTickets({ ctx: installation.ctx, input: { limit: 200 } })).items.map(({ title }) => title);

test("a ticket with every field, and its id and address as outputs", async () => {
  const { project, board, columns, admin } = installation.made;
  const { code, outputs, stdout } = await created({
    title: "Nightly build failed",
    description: "See the log.\n\nAnd the other one.",
    project: project.id,
    board: board.id,
    column: columns[1]?.id ?? "",
    priority: "high",
    assignee: admin.id,
    starts: "2026-11-21",
    due: "2026-11-22",
  });
  expect(code).toBe(0);
  expect(Object.keys(outputs)).toEqual(["id", "url"]);
  expect(outputs["url"]).toEndWith(`/cards/${outputs["id"]}`);
  expect(stdout).toContain(`\n${outputs["url"]}\n`);
  expect(await showTicket({ ctx: installation.ctx, input: { id: outputs["id"] ?? "" } })).toMatchObject({
    title: "Nightly build failed",
    description: "See the log.\n\nAnd the other one.",
    columnId: columns[1]?.id ?? "",
    priority: "high",
    assigneeUserId: admin.id,
    startsAt: "2026-11-21",
    dueAt: "2026-11-22",
  });
});

test("a workflow that is run again makes no second ticket; another run, job, leg, step or title does", async () => {
  const inputs = { title: "Run again" };
  const first = await created(inputs);
  const again = await created(inputs);
  expect(again.outputs).toEqual(first.outputs);
  const others = await Promise.all([
    created(inputs, withoutNpx({ run_id: "7313" })),
    created(inputs, withoutNpx({ job: "test" })),
    created(inputs, withoutNpx({}, "1")),
    created(inputs, withoutNpx({ action: "ticket_2" })),
    created({ title: "Run again, differently" }, withoutNpx()),
    created({ ...inputs, "idempotency-key": "of my own" }, withoutNpx()),
  ]);
  expect(new Set([first, ...others].map(({ outputs }) => outputs["id"])).size).toBe(7);
  const mine = await created({ title: "Anything", "idempotency-key": "of my own" }, withoutNpx());
  expect(mine.outputs["id"]).toBe(others.at(-1)?.outputs["id"] ?? "none");
});

describe("inputs are values, never code:", () => {
  const folder = temporaryFolder();
  const stolen = join(folder, "s");
  afterAll(() => rmSync(folder, { recursive: true }));
  const hostile = {
    quotes: `it's "quoted" \\" \\' \\`,
    substitution: `$(touch ${stolen}) \`touch ${stolen}\` \${HOME} $HOME`,
    separators: `a; touch ${stolen} && touch ${stolen} | touch ${stolen} > ${stolen}`,
    "a flag": "--url=http://127.0.0.1:9",
    "an output": "x\nid=forged\nurl<<END\nforged\nEND",
    "a command of the runner": "::set-output name=id::forged\n##[set-output name=id]forged",
    "a glob": "* ? [a-z] ~ {a,b}",
    "an expression": ["$", "{{ github.token }}"].join(""),
  };

  test.each(Object.entries(hostile))("%s", async (_, text) => {
    const { code, outputs, stdout } = await created({ title: text, description: text });
    expect(code).toBe(0);
    expect(Object.keys(outputs)).toEqual(["id", "url"]);
    const stored = await showTicket({ ctx: installation.ctx, input: { id: outputs["id"] ?? "" } });
    expect(stored).toMatchObject({ title: text, description: text });
    expect(existsSync(stolen)).toBe(false);
    expect(stdout).not.toContain("forged");
  });

  test("not one of them stands in the script", () => {
    expect(action.runs.steps.map(({ run }) => run).filter((run) => /\$\{\{/.test(run))).toEqual([]);
  });

  test("nor is the package", async () => {
    const { code } = await created({ title: "Packages", package: `@intake/client@0.1.0; touch ${stolen}` });
    expect(code).not.toBe(0);
    expect(existsSync(stolen)).toBe(false);
  });
});

describe("an answer cannot", () => {
  let faults: FaultServer;
  afterAll(() => faults.close());

  test("make further outputs or steer the runner", async () => {
    const url = "https://x/\nid=forged\n::set-output name=id::forged";
    const answer = { id: "1", title: "x", projectId: "1", boardId: "1", columnId: "1", createdAt: "now", url };
    faults = await startFaultServer([step(json(201, answer))]);
    const { code, outputs, stdout } = await created({ url: faults.url, title: "x", package: packed.file });
    expect(code).toBe(0);
    expect(outputs).toEqual({ id: "1", url });
    const [, mark] = /^::stop-commands::(\w{64})$/m.exec(stdout) ?? [];
    const [before, after] = stdout.split("id=forged");
    expect(before).toContain(`::stop-commands::${mark}`);
    expect(after?.trimEnd()).toEndWith(`::${mark}::`);
  });
});

test("what is refused fails the step, tells why, and has no outputs", async () => {
  const before = await titles();
  const refused = await created({ title: "x", board: "0198c0de-0000-7000-8000-00000000dead" });
  expect(refused).toMatchObject({ code: 1, outputs: {} });
  expect(refused.stderr).toMatch(/intake-client: board_not_found: .*\(request [\w-]+\)/);
  expect(refused.stdout).toMatch(/^::stop-commands::(\w{64})\n::\1::\n$/);
  const wrong = await created({ title: "" });
  expect(wrong).toMatchObject({ code: 2, outputs: {}, stderr: expect.stringContaining("--title is required") });
  expect(refused.stdout + refused.stderr + wrong.stderr).not.toContain(token);
  expect(await titles()).toEqual(before);
});

test("takes the client from the server, and from no registry, also with a slash behind the address", async () => {
  await using unasked = serveNothing();
  for (const url of [server.url, `${server.url}/`]) {
    const { code, outputs } = await created({ url, title: "From the server" }, freshPlace(unasked.url));
    expect([url, code, Object.keys(outputs)]).toEqual([url, 0, ["id", "url"]]);
  }
  expect(unasked.packages).toEqual([]);
});

test("takes it from a registry that is named, once it is there", async () => {
  const inputs = { title: "From a registry", package: `@intake/client@${version}` };
  const { code, outputs } = await created(inputs, freshPlace());
  expect([code, Object.keys(outputs)]).toEqual([0, ["id", "url"]]);
});

test("takes the client from a file, and then from no registry", async () => {
  await using unasked = serveNothing();
  // As seen from the folder that the step is run in.
  const file = relative(join(tmpdir(), "workspace"), packed.file);
  const { code, outputs } = await created({ title: "From a file", package: file }, freshPlace(unasked.url));
  expect([code, Object.keys(outputs)]).toEqual([0, ["id", "url"]]);
  expect(unasked.packages).toEqual([]);
});

test("the token is on no command line", async () => {
  const folder = temporaryFolder();
  const calls = join(folder, "calls");
  const strace = [
    "strace",
    "--follow-forks",
    // Stops a process at these calls only, and not at every one.
    "--seccomp-bpf",
    "--trace=execve",
    "--string-limit=100000",
    "--no-abbrev",
    `--output=${calls}`,
  ];
  const inputs = { url: server.url, token, title: "Command lines" };
  expect((await runAction(inputs, place(), strace)).code).toBe(0);
  // The environment stands behind the command line, where only the same user reads it.
  const lines = [...readFileSync(calls, "utf8").matchAll(/execve\("[^"]*", (\[.*?\]), \[/g)].map(
    ([, words = ""]) => words,
  );
  expect(lines.filter((words) => words.includes("intake-client")).length).toBeGreaterThan(0);
  expect(lines.filter((words) => words.includes(token))).toEqual([]);
  rmSync(folder, { recursive: true });
});

/** A registry that has no package, and the packages that were asked for; npm looks for a newer npm by itself. */
function serveNothing() {
  const packages: string[] = [];
  const nothing = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/npm" && !pathname.startsWith("/-/")) packages.push(pathname);
      return new Response("{}", { status: 404 });
    },
  });
  return { url: nothing.url.href, packages, [Symbol.asyncDispose]: () => nothing.stop(true) };
}
