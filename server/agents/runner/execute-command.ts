import type { LogWriter } from "./log-writer.ts";
import { endTree, leftAlone, type Traces, treeOf } from "./process-tree.ts";

export interface CommandInput {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** A file that it reads on stdin; nothing when absent. */
  stdin?: string;
  /** By which its processes are known, beside its output. */
  traces: Traces;
  log: Pick<LogWriter, "write">;
  /** Ends it. */
  stop: AbortSignal;
}

/** How it ended: a status, or the signal that ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | number | null;
}

/**
 * It waits for a line, and does nothing without it: until then the output is what was made for it. stderr goes with
 * stdout, so that the lines stay in order. What the command makes is for whom it wants to be.
 */
const script = 'umask 022; (read -r line) || exit; exec "$@" <"$0" 2>&1';

/** What has left every trace may still hold the output open. */
const drainMilliseconds = 5_000;

/** How many are named of what may be somebody else's. */
const namedMax = 10;

/**
 * Runs a command to its end, or until `stop`. Nothing that it has started and that leaves a sure trace outlives it; the
 * log names what may have been started by others.
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

/** Reads no faster than the log is taken, so that little is in memory whatever is printed. */
async function stream(output: Output, log: CommandInput["log"]): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (;;) {
    const { done, value } = await output.read();
    if (done) break;
    await log.write(decoder.decode(value, { stream: true }));
  }
  await log.write(decoder.decode());
}
