import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives work a folder of its own in `parent`, and removes it with all that is in it, which may be a whole database, also
 * when a signal ends the command.
 */
export async function withScratchFolder<T>(
  parent: string,
  name: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(parent, `intake-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Without another handler the signal ends the process the second time.
  const end = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, end);
  try {
    return await work(folder);
  } finally {
    for (const signal of signals) process.off(signal, end);
    remove();
  }
}
