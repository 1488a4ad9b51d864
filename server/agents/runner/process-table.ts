import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** A process, as read from `/proc`. */
export interface ProcessEntry {
  pid: number;
  /** Start time in clock ticks since the machine was booted. Together with the id it identifies a process; ids are used again. */
  begun: number;
  /** Id of the process group. */
  group: number;
  /** Whether it has a controlling terminal. */
  terminal: boolean;
  /** Name of the command, which a process may choose freely. */
  name: string;
}

/** Reads a process; undefined when there is none with this id, and on systems other than Linux. */
export function processOf(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may contain spaces and brackets, so the fields are those behind the last closing bracket.
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

/** All processes of the current user but this one. Empty on systems other than Linux. */
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

/** The environment (`NAME=value`) with which a process was started. Throws when it cannot be read. */
export function environmentOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
}

/** The working folder of a process. Throws when it cannot be read. */
export function workingFolderOf(pid: number): string {
  return readlinkSync(`/proc/${pid}/cwd`);
}

/** The control group of a process, which a service manager or container sets and child processes inherit. Empty when it cannot be read. */
export function controlGroupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1");
  } catch {
    return "";
  }
}

/** The pipe or socket that is stdout of a process; undefined for a file or device, which unrelated processes may have open too. */
export function outputOf(pid: number): string | undefined {
  const output = linkOf(pid, "1");
  return output !== undefined && /^(?:pipe|socket):\[\d+\]$/.test(output) ? output : undefined;
}

/** Whether a process has the pipe or socket `output` open. Throws when its files cannot be read. */
export function holdsOpen(pid: number, output: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(pid, fd) === output);
}

function linkOf(pid: number, fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    // The file was closed in the meantime.
    return undefined;
  }
}
