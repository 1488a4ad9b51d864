import type { Database, Statement } from "bun:sqlite";
import { fdatasyncSync, openSync } from "node:fs";
import { openDatabase } from "./open-database.ts";
import type { CopyFailed, Progress } from "./schedule-checkpoints.ts";

/** The thread of `schedule-checkpoints.ts`: one passive pass for each `copy`. */
declare const self: Worker;

let path: string;
let db: Database | undefined;
let pass: Statement<Progress, []>;
/** Never closed: closing any descriptor of a file releases every lock that this process has on the file (POSIX). */
let file: number;

self.onmessage = ({ data }: MessageEvent<"copy" | "close" | { path: string }>) => {
  if (data === "close") return close();
  if (data !== "copy") {
    path = data.path;
    return;
  }
  try {
    db ??= open();
    const progress = pass.all()[0];
    // SQLite syncs only in a pass that reached the end of the log, and then everything at once, which the writer would
    // wait for.
    fdatasyncSync(file);
    self.postMessage(progress);
  } catch (error) {
    self.postMessage({ code: String((error as { code?: string }).code) } satisfies CopyFailed);
  }
};

function open(): Database {
  file ??= openSync(path, "r+");
  const opened = openDatabase(path, { busyMs: 0 });
  pass = opened.prepare("pragma wal_checkpoint(passive)");
  return opened;
}

function close() {
  if (db) {
    pass.finalize();
    db.close();
  }
  self.postMessage("closed");
}
