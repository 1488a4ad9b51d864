import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../client/build.ts";
import { version } from "../../client/package.json";
import { blocksOf } from "../docs/blocks.ts";
import { binaryPath, type RunningBinary, serve } from "../support/binary.ts";
import { newSdkKey } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newToken } from "../support/tickets.ts";

setDefaultTimeout(180_000);
const pinned = `/sdk/intake-client-${version}.tgz`;
const current = "/sdk/intake-client.tgz";

let installation: Installation;
let server: RunningBinary;
const project = temporaryFolder();

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
  rmSync(project, { recursive: true, force: true });
});

/** The commands of client/README.md, in their order, for this server and this token. */
function commandsOfReadme(token = ""): string[] {
  const page = readFileSync(join(import.meta.dir, "../../client/README.md"), "utf8");
  return blocksOf(page)
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text.replaceAll("https://intake.example.org", server.url).replace("itk_…", token));
}

/** Runs npm in the project without any registry: it can ask the server only. */
async function inProject(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: project,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: project,
      npm_config_registry: "http://127.0.0.1:9",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

test("npm installs the SDK from the server, which then gets a ticket and a report with it", async () => {
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const [install = ""] = commandsOfReadme();
  expect(install).toContain(pinned);
  const installed = await inProject(["bash", "-euc", install]);
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("added 1 package") });

  const { token } = await newToken(installation);
  const { key } = await newSdkKey(installation);
  writeFileSync(
    join(project, "send.js"),
    `import { IngestClient, TicketsClient } from "@intake/client";
const tickets = new TicketsClient({ baseUrl: process.env.INTAKE_URL, token: process.env.INTAKE_TOKEN });
const reports = new IngestClient({ ingestUrl: process.env.INTAKE_URL, key: process.env.INTAKE_KEY });
const ticket = await tickets.create({ title: "From an installed package" });
const receipt = await reports.submit({ type: "crash", title: "From an installed package" });
console.log(JSON.stringify({ ticket: ticket.id, event: receipt.eventId }));
`,
  );
  const env = { INTAKE_URL: server.url, INTAKE_TOKEN: token, INTAKE_KEY: key };
  const sent = await inProject(["node", "send.js"], env);
  expect(sent).toMatchObject({ code: 0, stderr: "" });
  const { ticket, event } = JSON.parse(sent.stdout) as { ticket: string; event: string };
  const { store } = installation.ctx;
  const title = "From an installed package";
  expect(await store.one("select title from ticket where id = $1", [ticket])).toEqual({ title });
  expect(await store.one("select title from event where id = $1", [event])).toEqual({ title });
});

test("npx runs its command from there, without a version in the address too", async () => {
  const { token } = await newToken(installation);
  const env = { INTAKE_URL: server.url, INTAKE_TOKEN: token };
  for (const path of [pinned, current]) {
    const command = [
      "npx",
      "--yes",
      "--package",
      server.url + path,
      "intake-client",
      "ticket",
      "create",
      "--title",
      path,
    ];
    const { code, stdout } = await inProject(command, env);
    expect([path, code, stdout]).toEqual([path, 0, expect.stringMatching(/\/cards\/[\w-]+\n$/)]);
  }
});

test("the command of the README creates a ticket, and only once", async () => {
  const { token } = await newToken(installation);
  const [, create = "", ...others] = commandsOfReadme(token);
  expect(others).toEqual([]);
  const [first, again] = [await inProject(["bash", "-euc", create]), await inProject(["bash", "-euc", create])];
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/cards\/[\w-]+\n$/) });
  expect([again.code, again.stdout]).toEqual([0, first.stdout]);
});

test("the file is the one that the build makes, for ever under its version, and not sent again to whoever has it", async () => {
  const built = await Bun.file(packed.file).bytes();
  for (const [path, caching] of [
    [pinned, "public, max-age=31536000, immutable"],
    [current, "no-cache"],
  ] as const) {
    const answer = await fetch(server.url + path);
    const { headers } = answer;
    expect([path, answer.status, Buffer.compare(await answer.bytes(), built)]).toEqual([path, 200, 0]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/gzip",
      "content-length": String(built.length),
      "content-disposition": `attachment; filename="intake-client-${version}.tgz"`,
      "cache-control": caching,
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "x-content-type-options": "nosniff",
    });
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await fetch(server.url + path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await fetch(server.url + path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(built.length)]);
  }
});

test("another version is not there", async () => {
  const answer = await fetch(`${server.url}/sdk/intake-client-0.0.1.tgz`);
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: "not_found" })]);
});

test("it comes from the binary, wherever that lies", async () => {
  const elsewhere = temporaryFolder();
  const copy = join(elsewhere, "intake");
  await Bun.write(copy, Bun.file(binaryPath));
  const { exitCode } = Bun.spawnSync(["chmod", "755", copy]);
  expect(exitCode).toBe(0);
  const words = [copy, "serve", "--data", join(elsewhere, "data"), "--port", "0", "--metrics", "off"];
  const child = Bun.spawn(words, { cwd: elsewhere, env: {}, stdout: "pipe", stderr: "ignore" });
  let told = "";
  for await (const chunk of child.stdout) {
    told += new TextDecoder().decode(chunk);
    if (/listening on \S+\n/.test(told)) break;
  }
  const url = /listening on (\S+)\n/.exec(told)?.[1];
  expect((await fetch(`${url}${pinned}`)).headers.get("content-type")).toBe("application/gzip");
  child.kill();
  await child.exited;
  rmSync(elsewhere, { recursive: true });
});
