import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** One process as Linux shows it. */
export interface ProcessEntry {
  pid: number;
  /** When it began, in clock ticks since the machine did: with its id it is this process and no later one. */
  begun: number;
  group: number;
  terminal: boolean;
  /** What it calls itself. */
  name: string;
}

/** Undefined when there is none, or on a system other than Linux. */
export function processOf(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may be anything: the fields begin behind it.
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    return {
      pid,
      begun: Number(fields[19]),
      group: Number(fields[2]),
      terminal: fields[4] !== "0",
      name: stat.slice(stat.indexOf("(") + 1, end),
    };
  } catch {
    return undefined;
  }
}

/** The other processes of this user. */
export function otherProcesses(): ProcessEntry[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isOurs(pid))
    .flatMap((pid) => processOf(pid) ?? []);
}

function isOurs(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** `NAME=value`, as it was started with. Throws where it cannot be read. */
export function environmentOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
}

/** Throws where it cannot be read. */
export function workingFolderOf(pid: number): string {
  return readlinkSync(`/proc/${pid}/cwd`);
}

/** What a service manager or a container has put it into; the same text for whatever it starts. */
export function controlGroupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1");
  } catch {
    return "";
  }
}

/** The pipe or socket that is its stdout. Never a file or a device: others have those open too. */
export function outputOf(pid: number): string | undefined {
  const output = linkOf(pid, "1");
  return output !== undefined && /^(?:pipe|socket):\[\d+\]$/.test(output) ? output : undefined;
}

/** Throws where that cannot be read. */
export function holdsOpen(pid: number, output: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(pid, fd) === output);
}

function linkOf(pid: number, fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}
