import type { Database, Statement } from "bun:sqlite";
import { fdatasyncSync, openSync } from "node:fs";
import type { CopyFailed, Progress } from "./checkpoint.ts";
import { openDatabase } from "./open-database.ts";

/** The thread of `checkpoint.ts`: one passive pass for each `copy`. */
declare const self: Worker;

let db: Database;
let pass: Statement<Progress, []>;
/** Never closed: closing any descriptor of a file lets go of every lock this process has on it (POSIX). */
let file: number;

self.onmessage = ({ data }: MessageEvent<"copy" | "close" | { path: string }>) => {
  if (data === "close") {
    pass.finalize();
    db.close();
    self.postMessage("closed");
    return;
  }
  if (data !== "copy") {
    db = openDatabase(data.path, { busyMs: 0 });
    pass = db.prepare("pragma wal_checkpoint(passive)");
    file = openSync(data.path, "r+");
    return;
  }
  try {
    const progress = pass.all()[0];
    // SQLite syncs only in a pass that reached the end of the log, and all at once: for that long the writer would wait.
    fdatasyncSync(file);
    self.postMessage(progress);
  } catch (error) {
    self.postMessage({ code: String((error as { code?: string }).code) } satisfies CopyFailed);
  }
};
