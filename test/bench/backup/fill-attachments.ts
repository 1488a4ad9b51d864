import { Database } from "bun:sqlite";
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { attachmentPath } from "../../../server/store/local-files.ts";

/** Of a screen recording of some seconds. */
export const attachmentBytes = 2_500_000;
/** Of so many attachments, one has bytes of its own. */
const alike = 50;

/** Gives stored reports attachments, one each, in sparse files: they take no room here, and all of it in what copies them. */
export function fillAttachments(data: string, database: string, count: number) {
  const db = new Database(database, { strict: true });
  db.run("pragma synchronous = off");
  const events = db
    .query<{ id: string; received_at: number }, [number]>("select id, received_at from event order by id limit ?1")
    .all(count);
  const add = db.prepare(
    `insert into attachment (event_id, number, id, part, filename, content_type, sniffed_type, size, sha256, kind, state)
     values (?1, 0, ?2, 'recording', 'recording.webm', 'video/webm', 'video/webm', ?3, ?4, 'recording', 'stored')`,
  );
  db.transaction(() => {
    let sha256 = "";
    for (const [i, event] of events.entries()) {
      const content = Math.floor(i / alike);
      if (i % alike === 0) sha256 = digestOf(content);
      const id = Bun.randomUUIDv7("hex", event.received_at);
      writeSparse(attachmentPath(data, id), content);
      add.run(event.id, id, attachmentBytes, sha256);
    }
  })();
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}

function headOf(content: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(content + 1));
  return head;
}

function digestOf(content: number): string {
  const bytes = Buffer.alloc(attachmentBytes);
  headOf(content).copy(bytes);
  return Bun.SHA256.hash(bytes, "hex");
}

function writeSparse(path: string, content: number) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "wx", 0o600);
  writeSync(file, headOf(content));
  ftruncateSync(file, attachmentBytes);
  closeSync(file);
}
