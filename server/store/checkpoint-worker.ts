import type { Database, Statement } from "bun:sqlite";
import type { Progress } from "./checkpoint.ts";
import { openDatabase } from "./sqlite.ts";

/** The thread of `checkpoint.ts`: one passive pass for each message. */
declare const self: Worker;

let db: Database;
let pass: Statement<Progress, []>;

self.onmessage = ({ data }: MessageEvent<"copy" | { path: string }>) => {
  if (data !== "copy") {
    db = openDatabase(data.path, { busyMs: 0 });
    pass = db.prepare("pragma wal_checkpoint(passive)");
    return;
  }
  try {
    self.postMessage(pass.all()[0]);
  } catch (error) {
    const code = String((error as { code?: string }).code);
    self.postMessage({ error: `checkpoint failed: ${code}`, fatal: /FSYNC|CORRUPT|NOTADB/.test(code) });
  }
};
