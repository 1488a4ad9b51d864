import { connect, type Socket } from "node:net";

/** One request, written piece by piece: the test decides what is sent, what is declared and when. */
export class RawRequest {
  readonly #socket: Socket;
  readonly #answer = Promise.withResolvers<Response>();
  #received = Buffer.alloc(0);
  #over = false;

  constructor({ url }: { url: string }, head: readonly string[]) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname, () => this.#socket.setNoDelay());
    this.#socket.on("data", (bytes) => this.#take(bytes as Buffer));
    const ended = () => {
      this.#over = true;
      this.#answer.reject(new Error(`the connection ended without an answer: ${this.#received.toString("latin1")}`));
    };
    this.#socket.on("close", ended);
    this.#socket.on("error", ended);
    this.#answer.promise.catch(() => {});
    void this.send(`${head.join("\r\n")}\r\n\r\n`);
  }

  /** Whether the answer has arrived or the connection is closed. */
  get over(): boolean {
    return this.#over;
  }

  /** Resolves when the bytes are handed over, or cannot be any more. */
  async send(bytes: string | Uint8Array): Promise<void> {
    if (this.#socket.destroyed) return;
    const sent = new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
    await Promise.race([sent, this.#answer.promise.catch(() => {})]);
  }

  sendChunk(bytes: Uint8Array): Promise<void> {
    const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
    return this.send(Buffer.concat([size, bytes, Buffer.from("\r\n")]));
  }

  /** The whole answer; an error when the connection ends without one. */
  answer(): Promise<Response> {
    return this.#answer.promise;
  }

  close() {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const [first = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n");
    const status = Number(first.split(" ")[1]);
    const rest = this.#received.subarray(end + 4);
    if (status === 100) {
      this.#received = Buffer.alloc(0);
      this.#take(rest);
      return;
    }
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers.get("content-length") ?? 0);
    if (rest.length < length) return;
    this.#over = true;
    const body = status === 204 ? null : new Uint8Array(rest.subarray(0, length));
    this.#answer.resolve(new Response(body, { status, headers }));
  }
}
