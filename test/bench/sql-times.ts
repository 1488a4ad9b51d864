import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoadWork } from "./load-work.ts";
import { output } from "./output.ts";
import { prepareMachine } from "./prepare.ts";
import { progress } from "./progress.ts";
import { describe, rowsTable } from "./report-tables.ts";
import { freshFolder, removeFolder } from "./scratch.ts";
import { connections, loadOnce, requireWrk } from "./wrk.ts";

const root = join(import.meta.dir, "../..");

/** Prints what each SQL statement of a load took. The build is one of its own: a release has no timer. */
export async function showStatementTimes(name: string, work: LoadWork, seconds: number): Promise<boolean> {
  const { machine, leftOut } = await prepareMachine();
  await requireWrk();
  const server = await work.start(await timingBinary());
  progress(`${name} for ${seconds} s`);
  const load = await loadOnce(server, { ...work.load, seconds });
  await server.stop();
  const { answers, refusals } = load;
  const rows = work.count(server, { name, answers, refusals, underWayMax: connections + load.broken });
  const log = readFileSync(join(server.folder, "log"), "utf8");
  removeFolder(server.folder);
  const from = log.lastIndexOf("SQL statements: ");
  if (from < 0) throw new Error(`the server printed no times: ${log.trim().slice(-500)}`);
  const title = `${name}: ${load.answers} answers in ${load.seconds.toFixed(1)} s`;
  const sections = [title, ...leftOut, log.slice(from).trimEnd(), rowsTable([rows]), describe(machine)];
  process.stdout.write(`${sections.join("\n\n")}\n`);
  return rows.right;
}

/** A script that starts the build with a timer, and turns the timer on. */
async function timingBinary(): Promise<string> {
  progress("building dist/intake-sql-times");
  await output([process.execPath, "server/build.ts", "--sql-times"], root);
  const folder = freshFolder("sql-times");
  const [copy, script] = [join(folder, "program"), join(folder, "intake")];
  copyFileSync(join(root, "dist/intake-sql-times"), copy);
  writeFileSync(script, `#!/bin/sh\nINTAKE_SQL_TIMES=1 exec '${copy}' "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}
