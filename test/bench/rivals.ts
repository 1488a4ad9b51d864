import { existsSync } from "node:fs";
import { join } from "node:path";
import { output } from "./output.ts";
import { progress } from "./progress.ts";
import { endWithRun } from "./scratch.ts";

const folder = join(import.meta.dir, "rivals");
const trial = 'require("fastify"); require("@fastify/multipart"); new (require("better-sqlite3"))(":memory:")';

/** Installs Fastify and better-sqlite3 in a folder of their own. What stands in the way otherwise: one line. */
export async function installRivals(): Promise<string | undefined> {
  if (!Bun.which("node") || !Bun.which("npm")) return "Fastify is left out: node and npm are not installed";
  if (existsSync(join(folder, "node_modules")) && (await loads())) return undefined;
  progress("installing Fastify and better-sqlite3 (compiles SQLite, about a minute)");
  const child = endWithRun(
    Bun.spawn(["npm", "ci", "--no-audit", "--no-fund"], { cwd: folder, stdout: "ignore", stderr: "pipe" }),
  );
  const complaints = await child.stderr.text();
  const complaint = complaints
    .split("\n")
    .findLast((line) => line.startsWith("npm error") && !line.includes("log of this run"));
  if ((await child.exited) !== 0) return `Fastify is left out: npm ci failed (${complaint ?? "no reason given"})`;
  if (!(await loads())) return "Fastify is left out: better-sqlite3 does not load";
  return undefined;
}

function loads(): Promise<boolean> {
  return output(["node", "-e", trial], folder).then(
    () => true,
    () => false,
  );
}

export function rivalCommand(script: string, ...args: string[]): string[] {
  return ["node", join(folder, script), ...args];
}
