import { closeSync, openSync, readSync } from "node:fs";

/** A place in the write-ahead log: behind so many frames of the log with these salts. */
export interface LogPosition {
  /** Both salts as 16 hexadecimal digits; null while the log was never written. */
  salts: string | null;
  frame: number;
  /** The checksum in the header of that frame, which covers all frames up to it; empty for frame 0. */
  checksum: string;
}

/** What frames of one transaction or several have written. */
interface LogFrames {
  /** The numbers of the pages, each once. */
  pages: number[];
  /** The newest image of each of these pages, one after the other; valid until frames are read again. */
  images: Buffer;
  checksum: string;
  /** Pages of the database after the last frame; 0 when that frame ends no transaction. */
  size: number;
}

/** The spool does not know all frames between two of its positions. */
export class LogBroken extends Error {
  override name = "LogBroken";
}

const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * Reads the file of SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat). SQLite locks other
 * files than this one, so that its descriptor may be closed.
 */
export class WalFile {
  readonly #file: number;
  /** Frames are read here, again and again: new memory for each read costs more than the read. */
  #buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  close() {
    closeSync(this.#file);
  }

  /** Undefined while nothing was written to the log. */
  header(): { salts: string; pageBytes: number } | undefined {
    const header = Buffer.alloc(headerBytes);
    if (readSync(this.#file, header, 0, headerBytes, 0) < headerBytes) return undefined;
    return { salts: header.toString("hex", 16, 24), pageBytes: header.readUInt32BE(8) };
  }

  /** The checksum in the header of a frame. */
  checksumAt(frame: number, pageBytes: number): string {
    const header = Buffer.alloc(frameHeaderBytes);
    readSync(this.#file, header, 0, frameHeaderBytes, offsetOf(frame, pageBytes));
    return header.toString("hex", 16, 24);
  }

  /**
   * Reads frames `first` to `last`, which SQLite has published, and leaves out every image that a later one of them
   * replaces. Throws {@link LogBroken} when they are of another log.
   */
  frames({ first, last }: { first: number; last: number }, salts: string, pageBytes: number): LogFrames {
    const step = frameHeaderBytes + pageBytes;
    const count = last - first + 1;
    const bytes = this.#read(offsetOf(first, pageBytes), count * step);
    const [salt1, salt2] = [Number.parseInt(salts.slice(0, 8), 16), Number.parseInt(salts.slice(8), 16)];
    const newest = new Map<number, number>();
    for (let at = 0; at < bytes.length; at += step) {
      if (bytes.readUInt32BE(at + 8) !== salt1 || bytes.readUInt32BE(at + 12) !== salt2) {
        throw new LogBroken("the write-ahead log was written over while it was read");
      }
      newest.set(bytes.readUInt32BE(at), at);
    }
    const end = bytes.length - step;
    const checksum = bytes.toString("hex", end + 16, end + 24);
    const size = bytes.readUInt32BE(end + 4);
    // Images move to the front in place, over headers and older images.
    const pages: number[] = [];
    for (let at = 0; at < bytes.length; at += step) {
      const page = bytes.readUInt32BE(at);
      if (newest.get(page) !== at) continue;
      bytes.copyWithin(pages.length * pageBytes, at + frameHeaderBytes, at + step);
      pages.push(page);
    }
    return { pages, images: bytes.subarray(0, pages.length * pageBytes), checksum, size };
  }

  #read(at: number, length: number): Buffer {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length);
    const bytes = this.#buffer.subarray(0, length);
    for (let read = 0; read < length; ) {
      const some = readSync(this.#file, bytes, read, length - read, at + read);
      if (some === 0) throw new LogBroken("the write-ahead log is shorter than SQLite says");
      read += some;
    }
    return bytes;
  }
}

function offsetOf(frame: number, pageBytes: number): number {
  return headerBytes + (frame - 1) * (frameHeaderBytes + pageBytes);
}

/** Whether the log with the salts `next` is the one that SQLite begins when that with the salts `salts` starts over. */
export function startsOver(salts: string, next: string): boolean {
  const first = (text: string) => Number.parseInt(text.slice(0, 8), 16);
  return first(next) === (first(salts) + 1) % 2 ** 32;
}
