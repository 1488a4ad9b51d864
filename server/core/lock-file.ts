import { Database } from "bun:sqlite";

/** Takes a lock that the kernel releases however the process ends: an SQLite lock on a file of its own. */
export function lockFile(path: string, taken: () => Error): { release(): void } {
  const db = new Database(path, { create: true });
  try {
    db.run("pragma busy_timeout = 0");
    db.run("begin exclusive");
  } catch (error) {
    db.close();
    if (String((error as { code?: string }).code).startsWith("SQLITE_BUSY")) throw taken();
    throw error;
  }
  return { release: () => db.close() };
}
