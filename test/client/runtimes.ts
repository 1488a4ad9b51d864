import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newCredential } from "../../server/core/credential.ts";
import { chromiumFlags } from "../support/chromium-flags.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Env, Result } from "./cases/env.ts";
import { startControl } from "./control.ts";
import { installed } from "./install.ts";

/** How a runtime is started with `main.mjs` in a folder, beside the bundle. */
type Command = (folder: string, control: string) => string[];

const deno = [installed.deno, "run", "--allow-all", "--no-config", "--no-lock", "--quiet", "--v8-flags=--expose-gc"];
const chromium = [installed.chromium, ...chromiumFlags];

const browse =
  (page: string): Command =>
  (folder, control) => [...chromium, `--user-data-dir=${join(folder, "profile")}`, `${control}/${page}`];

export const runtimes = {
  "Node 20": (folder) => [installed.node20, "--expose-gc", join(folder, "main.mjs")],
  "Node 22": (folder) => [installed.node22, "--expose-gc", join(folder, "main.mjs")],
  "Node 24": (folder) => [installed.node24, "--expose-gc", join(folder, "main.mjs")],
  Bun: (folder) => [installed.bun, join(folder, "main.mjs")],
  Deno: (folder) => [...deno, join(folder, "main.mjs")],
  workerd: (folder) => [installed.workerd, "test", join(folder, "config.capnp"), "--no-verbose"],
  "Chromium page": browse("page.html"),
  "Chromium worker": browse("worker.html"),
} satisfies Record<string, Command>;
export type Runtime = keyof typeof runtimes;

/** Browsers are ended from outside; every other runtime has to end by itself when its script has ended. */
export const isBrowser = (runtime: Runtime) => runtime.startsWith("Chromium");

const exitSeconds = 60;
const runSeconds = 240;

/** A time zone far from UTC and off the hour, which reveals a date that is read as local time. */
const zone = "America/St_Johns";

export const exits = "the process ends by itself, without an error";

/** Runs a bundled script in a real process of that runtime. */
export async function runIn(runtime: Runtime, bundle: Uint8Array): Promise<Result[]> {
  const folder = temporaryFolder();
  const files: Record<string, string | Uint8Array> = { "bundle.mjs": bundle };
  const control = await startControl(files);
  const env: Env = {
    runtime,
    control: control.url,
    baseUrl: isBrowser(runtime) ? control.url : control.intake,
    ingestUrl: control.intake,
    token: newCredential("itk_"),
    key: newCredential("isk_"),
    crossOrigin: isBrowser(runtime),
  };
  Object.assign(files, launchers(env));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

  const child = Bun.spawn(runtimes[runtime](folder, control.url), {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, TZ: zone },
    // A group of processes of its own: Debian starts Chromium from a shell script, which a signal ends alone.
    detached: true,
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  try {
    const results = await Promise.race([control.results, gaveUp(child, said)]);
    if (!isBrowser(runtime)) results.push(await exitOf(child, said));
    return results;
  } finally {
    endGroup(child.pid);
    await child.exited;
    await control.stop();
    // The child processes of a browser end a moment after it, and write files until then.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function endGroup(leader: number) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    // The group is gone when all of its processes have ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The scripts are modules everywhere; runtimes differ in how they are started. */
function launchers(env: Env): Record<string, string> {
  const start = `import { run } from "./bundle.mjs";\nconst env = ${JSON.stringify(env)};\n`;
  const page = (script: string) => `<!doctype html><script type="module" src="${script}"></script>`;
  return {
    "main.mjs": `${start}await run(env);\n`,
    "workerd.mjs": `${start}export default { test: () => run(env) };\n`,
    "config.capnp": workerdConfig,
    "page.html": page("main.mjs"),
    "worker.html": page("begin.mjs"),
    "begin.mjs": `new Worker("main.mjs", { type: "module" });\n`,
  };
}

const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "workerd.mjs", esModule = embed "workerd.mjs"),
        (name = "bundle.mjs", esModule = embed "bundle.mjs"),
      ],
      compatibilityDate = "2026-11-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private", "public"])),
  ],
);
`;

async function gaveUp(child: Bun.Subprocess, said: Promise<string[]>): Promise<never> {
  const timer = setTimeout(() => child.kill("SIGKILL"), runSeconds * 1_000);
  const code = await child.exited;
  clearTimeout(timer);
  throw new Error(`it ended with ${code} and no results: ${(await said).join("").slice(-3_000)}`);
}

async function exitOf(child: Bun.Subprocess, said: Promise<string[]>): Promise<Result> {
  const began = Date.now();
  const timer = setTimeout(() => child.kill("SIGKILL"), exitSeconds * 1_000);
  const code = await child.exited;
  clearTimeout(timer);
  const result = { name: exits, ms: Date.now() - began };
  return code === 0 ? result : { ...result, error: `it ended with ${code}: ${(await said).join("").slice(-3_000)}` };
}
