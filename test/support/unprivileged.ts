import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
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

/**
 * A port that nobody listens on, for a program that has to be told one. It is none of those that the kernel gives to
 * connections and to servers on any port: of these, another test takes one at any moment. Another caller may have it too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (lowestOfKernel() - lowestPort));
    const server = createServer();
    const listens = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!listens) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Above the ports of well-known services. */
const lowestPort = 10_000;

function lowestOfKernel(): number {
  const [lowest = 0] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/).map(Number);
  return Math.max(lowest, lowestPort + 1_000);
}

/** Whether a process, and no other one, listens on a port of this machine. */
export function isListening(pid: number, port: number): boolean {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = [...readFileSync("/proc/net/tcp", "utf8").matchAll(listeningSocket)]
    .filter(([, local]) => local === hexadecimal)
    .map(([, , inode]) => `socket:[${inode}]`);
  return sockets.length > 0 && openFilesOf(pid).some((file) => sockets.includes(file));
}

/** A line of `/proc/net/tcp` in the state LISTEN: the port in hexadecimal digits, and the inode of the socket. */
const listeningSocket = /^ *\d+: [0-9A-F]{8}:([0-9A-F]{4}) \S+ 0A \S+ \S+ \S+ +\d+ +\d+ (\d+) /gm;

/** None of a process that has ended. */
function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** Whether the process runs: one that was killed and not yet waited for by its parent does not. */
export function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) [ZX]/.test(readFileSync(path, "utf8"));
}
