import type { Database, Statement } from "bun:sqlite";
import { fdatasyncSync, openSync } from "node:fs";
import type { KeepLog } from "./log-events.ts";
import { LogKeeper } from "./log-keeper.ts";
import { openDatabase } from "./open-database.ts";
import type { CopyFailed, Progress } from "./schedule-checkpoints.ts";

/** The thread of `schedule-checkpoints.ts`: one passive pass for each `copy`. */
declare const self: Worker;

let path: string;
let db: Database | undefined;
let pass: Statement<Progress, []>;
/** Never closed: closing any descriptor of a file releases every lock that this process has on the file (POSIX). */
let file: number;
/** Copies the log elsewhere before a pass writes it back; undefined when nobody wants that. */
let keeper: LogKeeper | undefined;

self.onmessage = ({
  data,
}: MessageEvent<"copy" | "close" | "full" | { path: string } | { keepLog: KeepLog | undefined }>) => {
  if (data === "close") return close();
  if (data === "copy") return copy();
  if (data === "full") return keeper?.giveUp();
  if ("path" in data) path = data.path;
  else keepLog(data.keepLog);
};

function copy() {
  try {
    db ??= open();
    const kept = keeper?.capture();
    const progress = pass.all()[0];
    // SQLite syncs only in a pass that reached the end of the log, and then everything at once, which the writer would
    // wait for.
    fdatasyncSync(file);
    if (kept === undefined || !progress) return self.postMessage(progress);
    // The log can start over only when nobody has to read it: all of it stands in the database now.
    if (progress.checkpointed === progress.log) keeper?.capture();
    // A pass that wrote back everything that it may write back is done.
    const { busy, checkpointed } = progress;
    self.postMessage({ busy, checkpointed, log: checkpointed >= kept ? checkpointed : progress.log });
  } catch (error) {
    self.postMessage({ code: String((error as { code?: string }).code) } satisfies CopyFailed);
  }
}

function keepLog(options: KeepLog | undefined) {
  keeper?.end();
  keeper = undefined;
  if (!options) return;
  try {
    db ??= open();
  } catch (error) {
    return self.postMessage({ keptLog: "ended", reason: String(error) });
  }
  keeper = new LogKeeper(path, { ...options, look: db }, (event) => self.postMessage(event));
  keeper.start();
}

function open(): Database {
  file ??= openSync(path, "r+");
  const opened = openDatabase(path, { busyMs: 0 });
  pass = opened.prepare("pragma wal_checkpoint(passive)");
  return opened;
}

function close() {
  keeper?.stop(() => pass.all()[0]);
  if (db) {
    pass.finalize();
    db.close();
  }
  self.postMessage("closed");
}
