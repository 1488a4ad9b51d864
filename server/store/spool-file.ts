import { closeSync, fdatasyncSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { syncFolder } from "../core/durable-file.ts";

/** The database's file as it was when everything that was spooled stood in it. */
export interface FileMark {
  size: number;
  inode: string;
  modified: string;
  changed: string;
}

/** An attachment whose row was stored by the transactions of a segment. */
export interface SpooledAttachment {
  id: string;
  sha256: string | null;
  size: number | null;
}

/** The log with these salts was spooled up to this frame. */
export interface SpooledLog {
  salts: string | null;
  to: number;
}

/** What a spool file consists of: `begin`, any number of `frames`, and `end` once nothing follows. */
type SpoolRecord =
  | { kind: "begin"; chain: string; number: number; salts: string | null; frame: number; checksum: string }
  | {
      kind: "frames";
      salts: string;
      /** Of the last frame. */
      frame: number;
      checksum: string;
      pages: number[];
      /** Pages of the database after the last frame; 0 when more frames of the same transaction follow. */
      size: number;
      pageBytes: number;
    }
  | { kind: "end"; end: number; size: number; logs: SpooledLog[]; attachments: SpooledAttachment[] }
  /** The server has stopped, and everything stands in the database. */
  | { kind: "stopped"; mark: FileMark };

const magic = 0x4c415731;
const headBytes = 24;
const none = new Uint8Array(0);

/** Appends records to a spool file. */
export class SpoolWriter {
  readonly #file: number;
  #closed = false;
  bytes: number;

  private constructor(file: number, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
  }

  /** Makes a new file. */
  static create(folder: string, file: string): SpoolWriter {
    const made = new SpoolWriter(openSync(`${folder}/${file}`, "wx", 0o600), 0);
    try {
      syncFolder(folder);
    } catch (error) {
      made.close();
      throw error;
    }
    return made;
  }

  /** Goes on with a file behind its first so many bytes; what follows them is dropped. */
  static reopen(folder: string, file: string, bytes: number): SpoolWriter {
    const opened = new SpoolWriter(openSync(`${folder}/${file}`, "r+"), bytes);
    try {
      ftruncateSync(opened.#file, bytes);
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }

  append(record: SpoolRecord, body: Uint8Array = none) {
    const json = Buffer.from(JSON.stringify(record));
    const head = Buffer.allocUnsafe(headBytes);
    head.writeUInt32LE(magic, 0);
    head.writeUInt32LE(json.length, 4);
    head.writeUInt32LE(body.length, 8);
    head.writeBigUInt64LE(hashOf(json, body), 16);
    for (const bytes of [head, json, body]) {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.bytes + at);
      }
      this.bytes += bytes.length;
    }
  }

  sync() {
    fdatasyncSync(this.#file);
  }

  /** Once only: the number of a closed file is soon that of another one. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#file);
  }
}

interface ReadRecord {
  record: SpoolRecord;
  body: Buffer;
  /** Where the body begins in the file, and where the record ends. */
  bodyAt: number;
  endAt: number;
}

/** The records of a spool file up to the first one that was cut. A body is valid until the next record is asked for. */
export function* readSpool(path: string): Generator<ReadRecord> {
  const file = openSync(path, "r");
  try {
    const { size } = statSync(path);
    const head = Buffer.alloc(headBytes);
    let buffer = Buffer.alloc(0);
    for (let at = 0; at + headBytes <= size; ) {
      readSync(file, head, 0, headBytes, at);
      const [jsonBytes, bodyBytes] = [head.readUInt32LE(4), head.readUInt32LE(8)];
      const bytes = jsonBytes + bodyBytes;
      if (head.readUInt32LE(0) !== magic || at + headBytes + bytes > size) return;
      if (buffer.length < bytes) buffer = Buffer.allocUnsafe(bytes);
      readSync(file, buffer, 0, bytes, at + headBytes);
      const [json, body] = [buffer.subarray(0, jsonBytes), buffer.subarray(jsonBytes, bytes)];
      if (head.readBigUInt64LE(16) !== hashOf(json, body)) return;
      const bodyAt = at + headBytes + jsonBytes;
      at += headBytes + bytes;
      yield { record: JSON.parse(json.toString()) as SpoolRecord, body, bodyAt, endAt: at };
    }
  } finally {
    closeSync(file);
  }
}

function hashOf(json: Uint8Array, body: Uint8Array): bigint {
  return Bun.hash.xxHash3(body, Bun.hash.xxHash3(json));
}

export function markOf(path: string): FileMark {
  const { size, ino, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return { size: Number(size), inode: String(ino), modified: String(mtimeNs), changed: String(ctimeNs) };
}
