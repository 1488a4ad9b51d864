import {
  controlGroupOf,
  environmentOf,
  holdsOpen,
  otherProcesses,
  outputOf,
  type ProcessEntry,
  processOf,
  workingFolderOf,
} from "./process-table.ts";

/**
 * What a command has started: its process group and, on Linux, also what has left the group but is known by a trace of
 * the run, such as a daemon. A process that sheds every trace is not found, and one that may be somebody else's is left
 * alone.
 */
export interface ProcessTree {
  group: number;
  /** When the command began, as the process table says it. Without it nothing but the mark is a trace. */
  begun: number | undefined;
  /** The pipe or socket that was made for the command's output. */
  output: string | undefined;
  traces: Traces;
}

/** How a process of a run is known outside of its process group. */
export interface Traces {
  /** `NAME=value` in its environment, the value being the run's folder. */
  mark: string;
  /** Its working folder lies in here, with all links resolved. */
  folder: string;
}

const graceMilliseconds = 10_000;
const lookMilliseconds = 50;
/** Of processes that nobody reaps, something always seems to be left. */
const killsMax = 40;

/** Only of a command that waits: once it runs, its output may be any file, which others have open as well. */
export function treeOf(pid: number, traces: Traces): ProcessTree {
  return { group: pid, begun: processOf(pid)?.begun, output: outputOf(pid), traces };
}

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

/** What works in the run's folder or holds its output open, and may all the same be somebody else's. */
export function leftAlone(tree: ProcessTree): ProcessEntry[] {
  return otherProcesses().filter((entry) => kinshipOf(entry, tree) === "doubtful");
}

/** Returns whether there was anybody to signal. */
function signal(tree: ProcessTree, name: NodeJS.Signals | 0): boolean {
  const group = isStill(tree.group, tree.begun) && send(-tree.group, name);
  const strays = otherProcesses()
    .filter((entry) => kinshipOf(entry, tree) === "own")
    .map(({ pid, begun }) => isStill(pid, begun) && send(pid, name));
  return group || strays.includes(true);
}

function send(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** False once the id is that of a later process. A group keeps its id from being used again after its leader has ended. */
function isStill(pid: number, begun: number | undefined): boolean {
  const now = processOf(pid);
  return now === undefined || begun === undefined || now.begun === begun;
}

type Kinship = "own" | "doubtful" | "stranger";

function kinshipOf(entry: ProcessEntry, tree: ProcessTree): Kinship {
  try {
    if (entry.group === tree.group) return "stranger";
    const environment = environmentOf(entry.pid);
    const { mark } = tree.traces;
    // A runner that the run has started gives its own runs folders within this one.
    if (environment.some((variable) => variable === mark || variable.startsWith(`${mark}/`))) return "own";
    // What was there before the command cannot have been started by it.
    if (tree.begun === undefined || entry.begun < tree.begun) return "stranger";
    const inFolder = `${workingFolderOf(entry.pid)}/`.startsWith(`${tree.traces.folder}/`);
    const holdsOutput = tree.output !== undefined && holdsOpen(entry.pid, tree.output);
    if (!inFolder && !holdsOutput) return "stranger";
    return hasOwner(entry, environment) || (entry.terminal && !holdsOutput) ? "doubtful" : "own";
  } catch {
    // Ended meanwhile, or nothing that may be looked at.
    return "stranger";
  }
}

/**
 * Whether somebody else may have started it. A process of the run without the run's mark had its environment cleared.
 * An editor, a scheduled job or a connection of ssh that was handed the output has one: that of a person, a service or
 * another run.
 */
function hasOwner({ pid }: ProcessEntry, environment: string[]): boolean {
  const names = ["HOME=", "INTAKE_RUN_FOLDER="];
  if (environment.some((variable) => names.some((name) => variable.startsWith(name)))) return true;
  return controlGroupOf(pid) !== controlGroupOf(process.pid);
}
