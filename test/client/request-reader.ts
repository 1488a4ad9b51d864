/** The head of a request as it arrived. */
export interface Head {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** Reads requests from the bytes of one connection. Written by hand, so that no library corrects what it reads. */
export class RequestReader {
  /** What has arrived and is not read yet, up to `#length`. It grows by doubling, so that no byte is copied often. */
  #buffer = Buffer.alloc(16_384);
  #length = 0;
  /** The chunks of a body that were read already, and where the next one begins. */
  #chunks: Buffer[] = [];
  #next = 0;

  add(bytes: Uint8Array) {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** Returns the next head once it is complete. */
  head(): Head | undefined {
    const end = this.#bytes.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = this.#take(end + 4)
      .toString("latin1", 0, end)
      .split("\r\n");
    const [method = "", path = ""] = first.split(" ");
    const named = lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1),
    ]);
    return { method, path, headers: Object.fromEntries(named.map(([name, value = ""]) => [name, value.trim()])) };
  }

  /** Returns the body of this head once it is complete. */
  body({ headers }: Head): Buffer | undefined {
    if (headers["transfer-encoding"] === "chunked") return this.#chunked();
    const length = Number(headers["content-length"] ?? 0);
    return this.#length < length ? undefined : this.#take(length);
  }

  get #bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #take(length: number): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, length));
    this.#buffer.copyWithin(0, length, this.#length);
    this.#length -= length;
    return taken;
  }

  #chunked(): Buffer | undefined {
    for (let isLast = false; !isLast; ) {
      const line = this.#bytes.indexOf("\r\n", this.#next);
      if (line < 0) return undefined;
      const size = Number.parseInt(this.#buffer.toString("latin1", this.#next, line), 16);
      const end = line + 2 + size + 2;
      if (this.#length < end) return undefined;
      this.#chunks.push(Buffer.from(this.#buffer.subarray(line + 2, line + 2 + size)));
      this.#next = end;
      isLast = !(size > 0);
    }
    const body = Buffer.concat(this.#chunks);
    this.#take(this.#next);
    this.#chunks = [];
    this.#next = 0;
    return body;
  }
}
