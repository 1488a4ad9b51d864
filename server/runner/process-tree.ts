import { readdirSync, readFileSync } from "node:fs";

/**
 * What a command has started: its process group and, on Linux, also what has left the group but still has `mark`
 * (`NAME=value`) in its environment, such as a daemon.
 */
export interface ProcessTree {
  group: number;
  mark: string;
}

const graceMilliseconds = 10_000;
const lookMilliseconds = 50;
/** Of processes that nobody reaps, something always seems to be left. */
const killsMax = 40;

/** SIGTERM, and SIGKILL for what is there ten seconds later. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!signal(tree, "SIGTERM")) return;
  for (const until = performance.now() + graceMilliseconds; performance.now() < until; ) {
    await Bun.sleep(lookMilliseconds);
    if (!signal(tree, 0)) return;
  }
  // Again and again: what forks faster than it is looked at is there once more.
  for (let kills = 0; kills < killsMax && signal(tree, "SIGKILL"); kills++) await Bun.sleep(lookMilliseconds);
}

/** Returns whether there was anybody to signal. */
function signal({ group, mark }: ProcessTree, name: NodeJS.Signals | 0): boolean {
  const told = [-group, ...strays(group, mark)].map((pid) => {
    try {
      return process.kill(pid, name);
    } catch {
      return false;
    }
  });
  return told.includes(true);
}

function strays(group: number, mark: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark)) return false;
        // The name in brackets may be anything: the fields begin behind it.
        const [, , ofGroup] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
        return Number(ofGroup) !== group;
      } catch {
        // Ended meanwhile, another user's, or no process at all.
        return false;
      }
    });
}
