import { readFileSync, readlinkSync } from "node:fs";
import { digestOf } from "./stored-object.ts";

/** The process that holds a lock in a bucket, so that other processes of its machine can tell that it was killed. */
export interface LockOwner {
  /** This start of the machine, and the container in which its processes are counted. */
  machine: string;
  pid: number;
  /** When the process started, as Linux counts: numbers of processes are used again. */
  started: string;
}

/** This process; undefined where nobody could tell that it has ended, as on macOS. */
export function thisOwner(): LockOwner | undefined {
  const machine = thisMachine();
  const started = machine && statOf(process.pid)?.started;
  return started ? { machine, pid: process.pid, started } : undefined;
}

/** Whether a process has certainly ended. Nothing is known of those of other machines. */
export function hasEnded({ machine, pid, started }: LockOwner): boolean {
  if (machine !== thisMachine() || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as { code?: string }).code === "ESRCH") return true;
  }
  const stat = statOf(pid);
  return stat !== undefined && (stat.started !== started || stat.state === "Z");
}

function thisMachine(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    return digestOf(Buffer.from(`${boot} ${readlinkSync("/proc/self/ns/pid")}`)).slice(0, 32);
  } catch {
    return undefined;
  }
}

/** The fields of `/proc/PID/stat` stand behind the name of the program, which may have anything in it. */
function statOf(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
