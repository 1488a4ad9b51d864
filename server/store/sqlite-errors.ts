import { SQLiteError } from "bun:sqlite";

export const diskFull = "disk full";

/** The extended code of an error of SQLite; empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof SQLiteError ? (error.code ?? "SQLITE_ERROR") : "";
}

/** After a failed fsync the kernel may have dropped the pages and would report the next one as good. */
export function isFatal(code: string): boolean {
  return /^SQLITE_(IOERR_(DIR_)?FSYNC|CORRUPT|NOTADB)/.test(code);
}

/** There is no room for a page of the database, the log or its index. */
export function isFull(code: string): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/.test(code);
}

/** Whether the write that ran into this error is the cause, not storage. An error of another kind has no code. */
export function isOwnFault(code: string): boolean {
  return code === "" || code === "SQLITE_ERROR" || code.startsWith("SQLITE_CONSTRAINT");
}

export function isInputOutput(code: string): boolean {
  return code.startsWith("SQLITE_IOERR") && !isFull(code);
}

/** Names the error as a sentence for an operator: in readyz, the log and the command line. */
export function troubleOf(code: string): string {
  if (isFull(code)) return diskFull;
  if (code.startsWith("SQLITE_BUSY")) return "the database is locked by another process";
  return `storage failed (${code || "unknown"})`;
}
