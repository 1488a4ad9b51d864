import { type Finished, finished } from "./binary.ts";

/** Runs a command whose output nobody reads when it starts. */
export function runUnread(command: string[], env: Record<string, string> = {}): Promise<Finished> {
  // `wait`: the reader ends before the command starts.
  const script = 'exec 3> >(exit 0); wait $!; "$@" 1>&3';
  const child = Bun.spawn(["bash", "-c", script, "bash", ...command], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  return finished(child);
}
