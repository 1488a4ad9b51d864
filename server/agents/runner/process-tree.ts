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
 * The processes that a command has started: its process group and, on Linux, processes that have left the group but are
 * recognised by a trace of the run, such as daemons. A process without any trace is not found; one that may belong to
 * somebody else is left running.
 */
interface ProcessTree {
  group: number;
  /** Start time of the command, in clock ticks. While it is unknown only the mark counts as a trace. */
  begun: number | undefined;
  /** The pipe or socket that the runner made for the command's output. */
  output: string | undefined;
  traces: Traces;
}

/** Traces by which a process of a run is recognised outside of its process group. */
export interface Traces {
  /** A variable (`NAME=value`) in its environment; the value is the run's folder. */
  mark: string;
  /** The run's folder with all links resolved; the working folder of a process of the run lies in it. */
  folder: string;
}

const graceMilliseconds = 10_000;
const checkMilliseconds = 50;
/** How often SIGKILL is sent. Bounded, because killed processes that are not reaped by their parent stay in the table. */
const killsMax = 40;

/** Describes the processes of a command. Call it before the command begins: later its stdout may be a file that other processes have open too. */
export function treeOf(pid: number, traces: Traces): ProcessTree {
  return { group: pid, begun: processOf(pid)?.begun, output: outputOf(pid), traces };
}

/** Ends all processes: with SIGTERM, and after ten seconds with SIGKILL. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!signal(tree, "SIGTERM")) return;
  for (const until = performance.now() + graceMilliseconds; performance.now() < until; ) {
    await Bun.sleep(checkMilliseconds);
    if (!signal(tree, 0)) return;
  }
  // Repeated, because a process that keeps forking may have started another one since the last look at the table.
  for (let kills = 0; kills < killsMax && signal(tree, "SIGKILL"); kills++) await Bun.sleep(checkMilliseconds);
}

/** Processes that work in the run's folder or hold its output open, but may belong to somebody else. */
export function leftAlone(tree: ProcessTree): ProcessEntry[] {
  return otherProcesses().filter((entry) => kinshipOf(entry, tree) === "doubtful");
}

/** Sends a signal to all processes; 0 only checks that they exist. Returns whether there was any. */
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

/** Whether the id still is that of the same process. True without a process too: a group keeps its id after its leader has ended. */
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
    // A runner that was started by the run makes the folders of its own runs below this one.
    if (environment.some((variable) => variable === mark || variable.startsWith(`${mark}/`))) return "own";
    // A process that is older than the command was not started by it.
    if (tree.begun === undefined || entry.begun < tree.begun) return "stranger";
    const inFolder = `${workingFolderOf(entry.pid)}/`.startsWith(`${tree.traces.folder}/`);
    const holdsOutput = tree.output !== undefined && holdsOpen(entry.pid, tree.output);
    if (!inFolder && !holdsOutput) return "stranger";
    return hasOwner(entry, environment) || (entry.terminal && !holdsOutput) ? "doubtful" : "own";
  } catch {
    // The process has ended in the meantime, or may not be read.
    return "stranger";
  }
}

/**
 * Whether a process without the run's mark may belong to somebody else. A process of the run lacks the mark only when its
 * environment was cleared. An editor, a scheduled job or an ssh connection to which the output was passed has the
 * environment, or the control group, of a person, a service or another run.
 */
function hasOwner({ pid }: ProcessEntry, environment: string[]): boolean {
  const names = ["HOME=", "INTAKE_RUN_FOLDER="];
  if (environment.some((variable) => names.some((name) => variable.startsWith(name)))) return true;
  return controlGroupOf(pid) !== controlGroupOf(process.pid);
}
