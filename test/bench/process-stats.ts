import { readFileSync } from "node:fs";

/** USER_HZ is 100 for every program on Linux, whatever the kernel's own tick is. */
const ticksPerSecond = 100;

/** User and system time of a process with all its threads, in microseconds (proc(5), fields 14 and 15 of stat). */
export function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name, which may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
}

export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/** The largest that residentBytes was since the start of the process. */
export function peakResidentBytes(pid: number): number {
  return statusBytes(pid, "VmHWM");
}

function statusBytes(pid: number, name: string): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
