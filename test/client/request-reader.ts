/** The head of a request as it arrived. */
export interface Head {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** Reads requests from the bytes of one connection. Written by hand, so that no library corrects what it reads. */
export class RequestReader {
  #bytes = Buffer.alloc(0);

  add(bytes: Uint8Array) {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  /** Returns the next head once it is complete. */
  head(): Head | undefined {
    const end = this.#bytes.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = this.#bytes.toString("latin1", 0, end).split("\r\n");
    this.#bytes = this.#bytes.subarray(end + 4);
    const [method = "", path = ""] = first.split(" ");
    const named = lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1),
    ]);
    return { method, path, headers: Object.fromEntries(named.map(([name, value = ""]) => [name, value.trim()])) };
  }

  /** Returns the body of this head once it is complete. */
  body({ headers }: Head): Buffer | undefined {
    return headers["transfer-encoding"] === "chunked"
      ? this.#chunks()
      : this.#take(Number(headers["content-length"] ?? 0));
  }

  #take(length: number): Buffer | undefined {
    if (this.#bytes.length < length) return undefined;
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  #chunks(): Buffer | undefined {
    const pieces: Buffer[] = [];
    for (let at = 0; ; ) {
      const line = this.#bytes.indexOf("\r\n", at);
      if (line < 0) return undefined;
      const size = Number.parseInt(this.#bytes.toString("latin1", at, line), 16);
      const end = line + 2 + size + 2;
      if (this.#bytes.length < end) return undefined;
      pieces.push(this.#bytes.subarray(line + 2, line + 2 + size));
      at = end;
      if (size > 0) continue;
      this.#bytes = this.#bytes.subarray(at);
      return Buffer.concat(pieces);
    }
  }
}
