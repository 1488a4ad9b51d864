import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportSnippets as keySnippets } from "../../server/dashboard/page/pages/settings/keys/snippets.ts";
import { ticketSnippets as tokenSnippets } from "../../server/dashboard/page/pages/settings/tokens/snippets.ts";
import { reportSnippets, ticketSnippets } from "../../server/dashboard/page/pages/setup/snippets.ts";
import { signatureSnippets } from "../../server/dashboard/page/pages/subscribers/snippets.ts";
import { runnerCommand } from "../../server/dashboard/page/parts/runner-command.ts";
import { type RunningBinary, run, serve } from "../support/binary.ts";
import { newSdkKey } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newToken } from "../support/tickets.ts";

setDefaultTimeout(180_000);
let installation: Installation;
let server: RunningBinary;
let token: string;
let key: string;
const folder = temporaryFolder();
/** Where snippets are installed, apart from what npx is run in. */
const app = join(folder, "app");

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  ({ token } = await newToken(installation));
  ({ key } = await newSdkKey(installation));
  mkdirSync(app);
  for (const home of [folder, app]) {
    writeFileSync(join(home, "package.json"), '{ "private": true, "type": "module" }');
  }
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function shell(command: string, env: Record<string, string> = {}, cwd = folder) {
  const child = Bun.spawn(["bash", "-euc", command], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, npm_config_registry: "http://127.0.0.1:9", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

const titles = async (table: "ticket" | "event") =>
  (await installation.ctx.store.all<{ title: string }>(`select title from ${table}`)).map(({ title }) => title);

const textOf = (snippets: readonly { name: string; text: string }[], name: string) =>
  snippets.find((one) => one.name === name)?.text ?? "";

/** The command that installed what the app has. */
let ran = "";

/**
 * Runs the `npm install` of the snippet, unless the snippet before had the same, and then the snippet; `end` stands for
 * the rest of the app.
 */
async function runScript(text: string, env: Record<string, string> = {}, end = "") {
  const command = /^\/\/ (npm install http\S+)$/m.exec(text)?.[1] ?? "";
  expect(command).not.toBe("");
  if (command !== ran) {
    rmSync(join(app, "node_modules"), { recursive: true, force: true });
    expect(await shell(`${command} --no-audit --no-fund`, {}, app)).toMatchObject({ code: 0 });
    ran = command;
  }
  writeFileSync(join(app, "snippet.mjs"), text + end);
  expect(await shell("node snippet.mjs", env, app)).toMatchObject({ code: 0, stderr: "" });
}

test("the set-up page: what installs, runs and sends", async () => {
  const tickets = ticketSnippets(server.url, token);
  expect(await shell(textOf(tickets, "curl"))).toMatchObject({ code: 0 });
  const sdk = textOf(tickets, "SDK");
  const [, variable = ""] = /^\/\/ INTAKE_TOKEN=(\S+) node /m.exec(sdk) ?? [];
  expect(variable).toBe(token);
  await runScript(sdk, { INTAKE_TOKEN: variable });
  expect(await titles("ticket")).toEqual(["Hello from my terminal", "Hello from the SDK"]);

  const reports = reportSnippets(server.url, server.url, key);
  expect(await shell(textOf(reports, "curl"))).toMatchObject({ code: 0 });
  // A web page stays open, and so does a process that serves requests.
  await runScript(textOf(reports, "Web"), {}, "\nawait reports.flush(5_000);");
  await runScript(textOf(reports, "Node, Bun"));
  expect(await titles("event")).toEqual(["First crash", "First crash", "First crash"]);
});

test("the pages of tokens and keys", async () => {
  const env = { INTAKE_TOKEN: token, BUILD_ID: "7", GITHUB_RUN_ID: "1", GITHUB_JOB: "test", GITHUB_WORKFLOW: "CI" };
  for (const project of [undefined, installation.made.project.id]) {
    const snippets = tokenSnippets(server.url, project);
    const curl = await shell(textOf(snippets, "curl"), env);
    expect([curl.code, JSON.parse(curl.stdout)]).toEqual([0, expect.objectContaining({ title: "Deploy gate failed" })]);
    await runScript(textOf(snippets, "TypeScript"), env);
    const [step] = Bun.YAML.parse(textOf(snippets, "GitHub Actions")) as { run: string }[];
    const ran = await shell(step?.run ?? "", env);
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, expect.objectContaining({ title: "CI failed" })]);
  }
  const snippets = keySnippets(server.url, server.url, key);
  const before = (await titles("event")).length;
  expect(await shell(textOf(snippets, "curl"))).toMatchObject({ code: 0 });
  await runScript(textOf(snippets, "TypeScript"));
  expect((await titles("event")).slice(before)).toEqual(["It works", "It works"]);
});

test("the page of a subscriber's secret", async () => {
  const text = textOf(signatureSnippets(server.url), "TypeScript");
  // The snippet stands in a handler and has a request; the request of this test is not signed.
  const around = text.replace(
    /const message = (await verifyWebhook\([\s\S]*?\n\));/,
    (_, call: string) => `import { WebhookError } from "@intake/client/webhooks";
const request = new Request("http://x", { method: "POST", body: "{}" });
const thrown = await (async () => ${call})().catch((error) => error);
if (!(thrown instanceof WebhookError)) throw thrown;`,
  );
  expect(around).not.toBe(text);
  await runScript(around, { INTAKE_WEBHOOK_SECRET: `whsec_${Buffer.from("x".repeat(32)).toString("base64")}` });
});

test("the runner's command has the address of this server, flags that there are, and a path that holds in a clone", async () => {
  const command = runnerCommand(server.url);
  expect(command).toContain(` --url ${server.url} `);
  expect(command).toContain('--exec "$PWD/');
  const { stdout } = await run(["runner", "--help"]);
  for (const [flag] of command.matchAll(/--[\w-]+/g)) expect(stdout).toContain(`${flag} `);
});

test("commands that empty pages offer have flags that there are", async () => {
  const page = join(import.meta.dir, "../../server/dashboard/page");
  const commands: string[] = [];
  for (const path of new Bun.Glob("**/*.{ts,tsx}").scanSync(page)) {
    const text = await Bun.file(join(page, path)).text();
    commands.push(
      ...[...text.matchAll(/command=(?:"|\{['`])(intake [^`{}]*?)(?:"|['`]\})>?/g)].map(([, one = ""]) => one),
    );
  }
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) {
    const [, subject = "", verb = ""] = command.split(" ");
    const { code, stdout } = await run([subject, verb, "--help"]);
    const unknown = [...command.matchAll(/--[\w-]+/g)].filter(([flag]) => !stdout.includes(flag));
    expect([command, code, unknown.map(([flag]) => flag)]).toEqual([command, 0, []]);
  }
});
