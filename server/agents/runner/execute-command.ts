import type { LogWriter } from "./log-writer.ts";
import { endTree, leftAlone, type Traces, treeOf } from "./process-tree.ts";

interface CommandInput {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Path of a file for the command's stdin. Default: empty. */
  stdin?: string;
  /** Marks by which processes are recognised that have left the command's process group. */
  traces: Traces;
  log: Pick<LogWriter, "write">;
  /** Aborting it ends the command. */
  stop: AbortSignal;
}

/** How a command ended: by an exit status, or by a signal. The other is null. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | number | null;
}

/**
 * Waits for a line on stdin before it runs the command, so that the runner can first note which pipe the output is (the
 * command may redirect it later). stderr goes to stdout, so that lines stay in order. The umask is the usual one, not
 * that of the runner.
 */
const script = 'umask 022; (read -r line) || exit; exec "$@" <"$0" 2>&1';

/** How long the output is read after the command has ended: a process that was not recognised may hold it open. */
const drainMilliseconds = 5_000;

/** How many processes that were left running are named in the log. */
const namedMax = 10;

/**
 * Runs a command to its end, or until `stop` is aborted. Then ends every process that the command has surely started; the
 * log names processes that may belong to somebody else and were left running.
 */
export async function executeCommand({ argv, cwd, env, stdin, traces, log, stop }: CommandInput): Promise<Exit> {
  const child = Bun.spawn(["/bin/sh", "-c", script, stdin ?? "/dev/null", ...argv], {
    cwd,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  const tree = treeOf(child.pid, traces);
  child.stdin.write("\n");
  void Promise.resolve(child.stdin.end()).catch(() => {});
  const reader = child.stdout.getReader();
  const printed = stream(reader, log);
  const stopped = Promise.withResolvers<void>();
  const onStop = () => stopped.resolve();
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();
  await Promise.race([child.exited, stopped.promise]);
  stop.removeEventListener("abort", onStop);
  await endTree(tree);
  const others = leftAlone(tree).slice(0, namedMax);
  const cut = setTimeout(() => void reader.cancel().catch(() => {}), drainMilliseconds);
  await Promise.all([child.exited, printed]);
  clearTimeout(cut);
  if (others.length > 0) {
    const named = others.map(({ pid, name }) => `${pid} (${name})`).join(", ");
    await log.write(`\nNot ended, because they may not be of this run: ${named}\n`);
  }
  return { code: child.exitCode, signal: child.signalCode };
}

interface Output {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

/** Writes the output to the log. Waits for the log before it reads on, so that a command which prints much does not fill the memory. */
async function stream(output: Output, log: CommandInput["log"]): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (;;) {
    const { done, value } = await output.read();
    if (done) break;
    await log.write(decoder.decode(value, { stream: true }));
  }
  await log.write(decoder.decode());
}
