import { rmSync } from "node:fs";
import { addAttachmentIds } from "./attachment-ids.ts";
import type { LogPin } from "./log-pin.ts";
import { type FileMark, markOf, readSpool, type SpooledLog } from "./spool-file.ts";
import { type SpoolName, spoolFiles } from "./spool-folder.ts";
import type { LogPosition } from "./wal-file.ts";

/** Where the spool of an earlier run ends. */
interface SpoolEnd {
  name: SpoolName;
  position: LogPosition;
  logs: SpooledLog[];
  ids: Set<string>;
  /** Pages of the database behind the last transaction. */
  size: number;
  /** Bytes of the file up to there. */
  bytes: number;
  /** The database's file as it was left when the server stopped. */
  stopped: FileMark | undefined;
  /** The segment is complete: nothing follows in this file. */
  ended: boolean;
}

/** What the last file of the spool says, up to the last transaction that is whole in it. */
export function readSpoolEnd(folder: string): SpoolEnd | undefined {
  const name = spoolFiles(folder).at(-1);
  if (!name) return undefined;
  const path = `${folder}/${name.file}`;
  const end: SpoolEnd = {
    name,
    position: { salts: null, frame: 0, checksum: "" },
    logs: [],
    ids: new Set(),
    size: 0,
    bytes: 0,
    stopped: undefined,
    ended: false,
  };
  for (const { record, body, endAt } of readSpool(path)) {
    if (record.kind === "begin") {
      const { salts, frame, checksum } = record;
      end.position = { salts, frame, checksum };
      end.logs = [{ salts, to: frame }];
      end.bytes = endAt;
    } else if (record.kind === "frames") {
      end.stopped = undefined;
      addAttachmentIds(body, end.ids);
      if (record.size === 0) continue;
      const { salts, frame, checksum, size } = record;
      end.position = { salts, frame, checksum };
      if (end.logs.at(-1)?.salts !== salts) end.logs.push({ salts, to: 0 });
      (end.logs.at(-1) as SpooledLog).to = frame;
      [end.size, end.bytes] = [size, endAt];
    } else if (record.kind === "stopped") [end.stopped, end.bytes] = [record.mark, endAt];
    // Killed between the end of one segment and the beginning of the next.
    else end.ended = true;
  }
  if (end.bytes > 0) return end;
  // Killed before anything was written to it.
  rmSync(path);
  return readSpoolEnd(folder);
}

/** Why transactions since then may be missing in the log; undefined when all are there. */
export function gapSince(end: SpoolEnd, pin: LogPin, path: string): string | undefined {
  const { position, stopped } = end;
  const { salts, log, pageBytes } = pin.published();
  const { frame, checksum } = position;
  if (position.salts !== null && salts === position.salts && log >= frame) {
    if (frame === 0 || pin.wal.checksumAt(frame, pageBytes) === checksum) {
      end.stopped = undefined;
      return undefined;
    }
  }
  if (stopped && Bun.deepEquals(stopped, markOf(path))) return undefined;
  return stopped
    ? "the database was changed while no server ran"
    : "the server was killed, and the write-ahead log was written back before it started again";
}
