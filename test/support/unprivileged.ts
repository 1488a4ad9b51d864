import { chownSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Debian's `nobody`. Programs such as PostgreSQL refuse to run as root. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** A new folder that an unprivileged program may write to. */
export function unprivilegedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  giveAway(folder);
  return folder;
}

/** Makes a file belong to the user that unprivileged programs run as. */
export function giveAway(path: string) {
  if (isRoot) chownSync(path, nobody, nobody);
}

/** Runs a program to its end, as `nobody` when the tests run as root; throws with its complaints when it fails. */
export async function runUnprivileged(command: string[], folder: string): Promise<void> {
  const user = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  const child = Bun.spawn([...user, ...command], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaints = await new Response(child.stderr).text();
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${complaints}`);
}

/**
 * When this process ends, however it ends, kills the daemon whose id stands in the first line of a file, with its
 * children, and removes the folder.
 */
export function removeAtExit({ pidFile, folder }: { pidFile: string; folder: string }) {
  const script = `
    tail --pid="$1" -f /dev/null
    if pid=$(head -n 1 "$2" 2>/dev/null); then kill -9 "$pid" $(cat "/proc/$pid/task/$pid/children") 2>/dev/null; fi
    rm -rf "$3"`;
  const command = ["setsid", "-f", "bash", "-c", script, "remove-at-exit", String(process.pid), pidFile, folder];
  Bun.spawnSync(command, { cwd: "/", stdio: ["ignore", "ignore", "ignore"] });
}

/** A port that nobody listens on. Somebody else may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether the process runs: one that was killed and not yet waited for by its parent does not. */
export function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) [ZX]/.test(readFileSync(path, "utf8"));
}
