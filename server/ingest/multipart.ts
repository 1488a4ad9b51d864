import { limits } from "../../openapi/schema/limits.ts";
import { Malformed } from "./malformed.ts";
import { type PartHeaders, readPartHeaders } from "./part-headers.ts";

/** Is told what the parser finds, in the order of the body. Whatever it throws ends the parsing. */
interface PartHandler {
  part(headers: PartHeaders): void;
  /** Bytes of the present part. They belong to the chunk that was pushed. */
  data(bytes: Buffer): void;
  partEnd?(): void;
}

const crlf = "\r\n";
const dash = 0x2d;
const cr = 0x0d;
const lf = 0x0a;
/** Blanks between a delimiter and its line end, which RFC 2046 allows without a bound. */
const paddingMax = 256;

/**
 * A push parser of `multipart/form-data` (RFC 2046 5.1.1, RFC 7578): the body goes in as it comes, cut anywhere, and
 * the bytes of parts come out without a copy. It holds back less than a delimiter and one block of headers.
 *
 * Own code: the parsers there are make text of a part without a file name (which ruins gzip), buffer whole parts or
 * drop what breaks a rule silently, and cost as much as everything else that a small report needs.
 */
export class MultipartParser {
  readonly #handler: PartHandler;
  readonly #delimiter: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #state: "preamble" | "headers" | "body" | "epilogue" = "preamble";
  /** Bytes of unfinished headers that hold no end of them. */
  #scanned = 0;
  /** The line end that begins a delimiter stands before the body only in thought. */
  #atStart = true;
  /** Whether the line end between headers and content has been taken away from the content. */
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

  /** Each of the two states returns where to go on, or undefined when it has to wait for more. */
  #headers(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(`${crlf}${crlf}`, Math.max(at, at + this.#scanned - 3));
    const length = (end < 0 ? bytes.length : end) - at;
    // The last bytes may be the beginning of their end.
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
    // The second of the two line ends may begin the delimiter, of a part without content.
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
      // Only looks like a delimiter: it is content.
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
      // Nothing of the content is known before those two bytes are.
      if (to - from < crlf.length) return;
      this.#begun = true;
      from += crlf.length;
    }
    if (to > from) this.#handler.data(bytes.subarray(from, to));
  }

  /** What follows `--boundary`: blanks and a line end, `--` for the last one, or something else. */
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
    const most = at + paddingMax;
    while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x09)) {
      if (++at > most) return "none";
    }
    // The closing line may be the end of the body, without a line end.
    if (at >= bytes.length) return closing && last ? { end: at, closing } : missing;
    if (bytes[at] !== cr) return "none";
    if (at + 1 >= bytes.length) return missing;
    return bytes[at + 1] === lf ? { end: at + 2, closing } : "none";
  }

  /** Where a delimiter could begin that is cut off by the end of these bytes; their length when it cannot. */
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
