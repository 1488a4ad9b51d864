import { limits } from "../../openapi/schema/limits.ts";
import { Malformed } from "./malformed.ts";
import { type PartHeaders, readPartHeaders } from "./part-headers.ts";

/** Receives the parts that the parser finds, in the order of the body. An error that it throws ends the parsing. */
interface PartHandler {
  part(headers: PartHeaders): void;
  /** Bytes of the current part. They belong to the chunk that was pushed. */
  data(bytes: Buffer): void;
  partEnd?(): void;
}

const crlf = "\r\n";
const dash = 0x2d;
const cr = 0x0d;
const lf = 0x0a;
/** Bound for the blanks between a delimiter and its line end, for which RFC 2046 has none. */
const paddingMax = 256;

/**
 * A push parser of `multipart/form-data` (RFC 2046 5.1.1, RFC 7578): the body goes in as it comes, cut anywhere, and
 * the bytes of parts come out without a copy. It holds back less than a delimiter and one block of headers.
 *
 * Written here because the available parsers decode a part without a file name as text (which ruins gzip), buffer whole
 * parts or silently drop what breaks a rule, and take as much time as everything else that a small report needs.
 */
export class MultipartParser {
  readonly #handler: PartHandler;
  readonly #delimiter: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #state: "preamble" | "headers" | "body" | "epilogue" = "preamble";
  /** Bytes of unfinished headers that were searched for their end already. */
  #scanned = 0;
  /** A delimiter begins with a line end, which the first delimiter of a body lacks. */
  #atStart = true;
  /** Whether the line end between the headers and the content of the part was skipped already. */
  #begun = false;

  constructor(boundary: string, handler: PartHandler) {
    this.#handler = handler;
    this.#delimiter = Buffer.from(`${crlf}--${boundary}`, "latin1");
  }

  push(chunk: Buffer) {
    if (this.#state === "epilogue") return;
    this.#run(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), false);
  }

  /** Throws {@link Malformed} when the closing delimiter has not come. */
  finish() {
    if (this.#state !== "epilogue") this.#run(this.#held, true);
    if (this.#state !== "epilogue") {
      throw new Malformed(
        "multipart_malformed",
        "The body ends before its closing boundary. Is the boundary that of the header?",
      );
    }
  }

  #run(bytes: Buffer, last: boolean) {
    let at = 0;
    while (this.#state !== "epilogue") {
      const next = this.#state === "headers" ? this.#headers(bytes, at) : this.#content(bytes, at, last);
      if (next === undefined) return;
      at = next;
    }
    this.#held = Buffer.alloc(0);
  }

  /** Each state returns the position to go on from, or undefined when it needs more bytes. */
  #headers(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(`${crlf}${crlf}`, Math.max(at, at + this.#scanned - 3));
    const length = (end < 0 ? bytes.length : end) - at;
    // The last bytes may be the beginning of the end of the headers.
    if (length > limits.partHeaderBytes + (end < 0 ? 3 : 0)) {
      throw new Malformed(
        "multipart_malformed",
        `The headers of a part have more than ${limits.partHeaderBytes} bytes.`,
      );
    }
    if (end < 0) {
      this.#hold(bytes, at);
      this.#scanned = length;
      return undefined;
    }
    this.#scanned = 0;
    this.#handler.part(readPartHeaders(bytes.subarray(at, end)));
    this.#state = "body";
    // In a part without content, the second of the two line ends begins the delimiter.
    return end + crlf.length;
  }

  #content(bytes: Buffer, at: number, last: boolean): number | undefined {
    if (this.#atStart) {
      const first = this.#firstLine(bytes, last);
      if (first !== "none") return first;
    }
    let from = at;
    for (;;) {
      const found = bytes.indexOf(this.#delimiter, from);
      if (found < 0) break;
      const line = this.#lineEnd(bytes, found + this.#delimiter.length, last);
      if (line === "unknown") {
        this.#give(bytes, at, found);
        this.#hold(bytes, found);
        return undefined;
      }
      if (line !== "none") {
        this.#give(bytes, at, found);
        if (this.#state === "body") this.#handler.partEnd?.();
        this.#begun = false;
        this.#state = line.closing ? "epilogue" : "headers";
        return line.end;
      }
      // The bytes only look like a delimiter: they are content.
      from = found + 1;
    }
    const tail = last ? bytes.length : this.#possibleStart(bytes, from);
    this.#give(bytes, at, tail);
    this.#hold(bytes, tail);
    return undefined;
  }

  /** The delimiter at the very beginning of the body, without the line end before it. */
  #firstLine(bytes: Buffer, last: boolean): number | undefined | "none" {
    const length = this.#delimiter.length - crlf.length;
    const there = Math.min(length, bytes.length);
    const matches = bytes.compare(this.#delimiter, crlf.length, crlf.length + there, 0, there) === 0;
    const line = !matches ? "none" : there < length ? (last ? "none" : "unknown") : this.#lineEnd(bytes, length, last);
    if (line === "unknown") {
      this.#hold(bytes, 0);
      return undefined;
    }
    this.#atStart = false;
    if (line === "none") return "none";
    this.#state = line.closing ? "epilogue" : "headers";
    return line.end;
  }

  #give(bytes: Buffer, from: number, to: number) {
    if (this.#state !== "body") return;
    if (!this.#begun) {
      // The line end has to be complete before the content begins.
      if (to - from < crlf.length) return;
      this.#begun = true;
      from += crlf.length;
    }
    if (to > from) this.#handler.data(bytes.subarray(from, to));
  }

  /** Tells a delimiter by what follows `--boundary`: blanks and a line end, `--` for the last one, or anything else. */
  #lineEnd(bytes: Buffer, at: number, last: boolean): { end: number; closing: boolean } | "none" | "unknown" {
    const missing = last ? "none" : "unknown";
    if (at >= bytes.length) return missing;
    let closing = false;
    if (bytes[at] === dash) {
      if (at + 1 >= bytes.length) return missing;
      if (bytes[at + 1] !== dash) return "none";
      closing = true;
      at += 2;
    }
    const max = at + paddingMax;
    while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x09)) {
      if (++at > max) return "none";
    }
    // The closing line may be the end of the body, without a line end.
    if (at >= bytes.length) return closing && last ? { end: at, closing } : missing;
    if (bytes[at] !== cr) return "none";
    if (at + 1 >= bytes.length) return missing;
    return bytes[at + 1] === lf ? { end: at + 2, closing } : "none";
  }

  /**
   * The position of a delimiter that may begin in the last bytes and go on in the next chunk; their length if none can.
   */
  #possibleStart(bytes: Buffer, from: number): number {
    const start = bytes.lastIndexOf(cr);
    if (start < from || bytes.length - start >= this.#delimiter.length) return bytes.length;
    const cut = bytes.length - start;
    return bytes.compare(this.#delimiter, 0, cut, start) === 0 ? start : bytes.length;
  }

  #hold(bytes: Buffer, from: number) {
    // A copy, so that a few bytes do not keep a whole chunk alive.
    this.#held = from < bytes.length ? Buffer.from(bytes.subarray(from)) : Buffer.alloc(0);
  }
}
