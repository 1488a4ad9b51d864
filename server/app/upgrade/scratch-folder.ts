import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { lockFile } from "../../core/lock-file.ts";
import { MigrationRefused } from "../../store/migrate.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Gives `work` an empty folder in the data directory that only this user can open, and removes it when the work has
 * ended, also when a signal ended it. What a killed run left there is removed first.
 */
export async function withScratchFolder<T>(
  folder: string,
  work: (scratch: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const path = `${folder}/upgrade-check`;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const taken = () =>
    new MigrationRefused("another run of intake upgrade check uses this data directory; wait until it has ended");
  const lock = lockFile(`${path}/lock.db`, taken);
  // The run that had the lock before may have removed its file together with the folder.
  if (!existsSync(`${path}/lock.db`)) {
    lock.release();
    throw taken();
  }
  const interrupted = new AbortController();
  const interrupt = (signal: string) =>
    interrupted.abort(new MigrationRefused(`interrupted by ${signal}; nothing was changed`));
  for (const signal of signals) process.on(signal, interrupt);
  try {
    for (const name of readdirSync(path))
      if (!name.startsWith("lock.db")) rmSync(`${path}/${name}`, { recursive: true });
    // A program that a killed run has left finds nothing of this run by the name that it knows.
    const scratch = mkdtempSync(`${path}/copy-`);
    return await work(scratch, interrupted.signal);
  } finally {
    rmSync(path, { recursive: true, force: true });
    lock.release();
    for (const signal of signals) process.off(signal, interrupt);
  }
}
