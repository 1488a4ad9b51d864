import type { LogWriter } from "./log-writer.ts";
import { endTree } from "./process-tree.ts";

export interface CommandInput {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** A file that it reads on stdin; nothing when absent. */
  stdin?: string;
  /** Stands in `env`, and in the environment of nothing else. */
  mark: string;
  log: LogWriter;
  /** Ends it. */
  stop: AbortSignal;
}

/** How it ended: a status, or the signal that ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | number | null;
}

/** stderr goes with stdout, so that the lines stay in order. What the command makes is for whom it wants to be. */
const script = 'umask 022; exec "$@" 2>&1';

/** What has left every trace may still hold the output open. */
const drainMilliseconds = 5_000;

/** Runs a command to its end, or until `stop`. Nothing that it has started outlives it. */
export async function executeCommand({ argv, cwd, env, stdin, mark, log, stop }: CommandInput): Promise<Exit> {
  const child = Bun.spawn(["/bin/sh", "-c", script, "sh", ...argv], {
    cwd,
    env,
    stdin: stdin === undefined ? "ignore" : Bun.file(stdin),
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  const reader = child.stdout.getReader();
  const printed = stream(reader, log);
  const stopped = Promise.withResolvers<void>();
  const onStop = () => stopped.resolve();
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();
  await Promise.race([child.exited, stopped.promise]);
  stop.removeEventListener("abort", onStop);
  await endTree({ group: child.pid, mark });
  const cut = setTimeout(() => void reader.cancel().catch(() => {}), drainMilliseconds);
  await Promise.all([child.exited, printed]);
  clearTimeout(cut);
  return { code: child.exitCode, signal: child.signalCode };
}

interface Output {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

/** Reads no faster than the log is taken, so that little is in memory whatever is printed. */
async function stream(output: Output, log: LogWriter): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (;;) {
    const { done, value } = await output.read();
    if (done) break;
    await log.write(decoder.decode(value, { stream: true }));
  }
  await log.write(decoder.decode());
}
