import { type ClaimedRun, type Completion, isApiError, isIntakeError, type Run } from "../../../client/src/runner.ts";
import { checkoutCommand } from "./checkout.ts";
import { completionOf, creditsSoFar } from "./completion.ts";
import { commandEnvironment, tracesOf } from "./environment.ts";
import { executeCommand } from "./execute-command.ts";
import { LeaseKeeper, type StopReason } from "./lease-keeper.ts";
import { LogWriter } from "./log-writer.ts";
import { makeRunFolder, type RunFolder, removeRunFolder } from "./run-folder.ts";

export interface Execution {
  /** What the shell runs. */
  command: string;
  workDir: string;
  /** Whether to clone the repository first. */
  clone: boolean;
  /** How long output is collected before it is sent to the log, in milliseconds. */
  logEveryMs: number;
  /** Aborting it leaves the run to another runner. */
  giveUp: AbortSignal;
  /** Prints a line for the operator of the runner. */
  note(text: string): void;
}

/**
 * Executes one run and completes it. Undefined when the lease was lost or `giveUp` was aborted: then the run is not
 * completed, and the server queues it again when the lease ends.
 */
export async function executeRun(run: ClaimedRun, execution: Execution): Promise<Run | undefined> {
  const { giveUp, note } = execution;
  const stop = new AbortController();
  const onGiveUp = () => stop.abort("given up" satisfies StopReason);
  giveUp.addEventListener("abort", onGiveUp);
  if (giveUp.aborted) onGiveUp();
  const log = new LogWriter(run, { everyMs: execution.logEveryMs });
  const status: Status = { progress: "Preparing" };
  const lease = new LeaseKeeper(run, stop, () => ({ progress: status.progress, ...creditsSoFar(status.folder) }));
  try {
    const completion = await work(run, execution, { log, stop: stop.signal, status });
    const reason = reasonOf(stop.signal);
    if (reason === "given up") {
      await log.write("\nThe runner was stopped. The run is queued again when its lease ends.\n");
      await log.send({ maxRetries: 0, timeoutMs: 5_000 });
    }
    if (reason === "lost" || reason === "given up") throw new RunLeft(reason);
    await log.send({ maxRetries: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY, signal: giveUp });
    return await complete(run, completion, giveUp);
  } catch (error) {
    if (!isIntakeError(error) && !(error instanceof RunLeft)) throw error;
    note(`run ${run.run.id}: not completed: ${error.message}`);
    return undefined;
  } finally {
    lease.release();
    giveUp.removeEventListener("abort", onGiveUp);
  }
}

class RunLeft extends Error {}

/** What heartbeats report. */
interface Status {
  progress: string;
  folder?: RunFolder;
}

interface Tools {
  log: LogWriter;
  stop: AbortSignal;
  status: Status;
}

/** Executes a run in a new folder, which is removed afterwards. An error of this machine, such as a full disk, fails the run. */
async function work(run: ClaimedRun, execution: Execution, tools: Tools): Promise<Completion> {
  try {
    const folder = makeRunFolder(execution.workDir, run);
    try {
      return await workIn(folder, run, execution, tools);
    } finally {
      await removeRunFolder(folder).catch((error: Error) => execution.note(`${folder.path} stays: ${error.message}`));
    }
  } catch (error) {
    return failed(`The runner could not execute it: ${(error as Error).message}`);
  }
}

async function workIn(
  folder: RunFolder,
  run: ClaimedRun,
  { command, clone }: Execution,
  { log, stop, status }: Tools,
): Promise<Completion> {
  status.folder = folder;
  const env = commandEnvironment(process.env, run, folder);
  const place = { cwd: folder.work, env, traces: tracesOf(folder), log, stop };
  if (run.repository && clone) {
    status.progress = "Cloning the repository";
    await log.write(`Cloning ${run.repository.url} on the branch ${run.run.branch}\n`);
    const author = { name: "Intake agent", email: `agent@${new URL(run.ticket.url).hostname}` };
    const checkout = checkoutCommand({ ...run.repository, branch: run.run.branch, author });
    const exit = await executeCommand({ ...place, argv: checkout });
    if (stop.aborted) return completionOf(exit, folder, reasonOf(stop));
    if (exit.code !== 0) return failed("The repository could not be cloned; the log says why.");
  }
  status.progress = "Running the command";
  await log.write("Running the command\n");
  const exit = await executeCommand({ ...place, argv: ["/bin/sh", "-c", command], stdin: folder.ticket });
  return completionOf(exit, folder, reasonOf(stop));
}

/** Completes a run. If the server refuses the result, such as a pull request of another repository, the run is completed as failed. */
async function complete(run: ClaimedRun, completion: Completion, signal: AbortSignal): Promise<Run> {
  try {
    return await run.complete(completion, { signal });
  } catch (error) {
    if (!isApiError(error) || error.code !== "invalid_input") throw error;
    const faults = (error.details ?? []).map(({ path, message }) => `${path} ${message}`).join(" ");
    const refused = { ...failed(`The result was refused: ${faults}`), creditsUsed: completion.creditsUsed };
    return run.complete(refused, { signal });
  }
}

function failed(summary: string): Completion {
  return { outcome: "failed", summary, creditsUsed: 0 };
}

function reasonOf({ reason }: AbortSignal): StopReason | undefined {
  return reason as StopReason | undefined;
}
