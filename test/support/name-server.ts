/** The answer for a name without an address: no address, or no such name. */
const codes = { NODATA: 0x80, NXDOMAIN: 0x83 };

/**
 * A name server on a real socket: every name resolves to 127.0.0.1, or to nothing; names with `slow` wait until
 * released.
 */
export class NameServer {
  knows = false;
  readonly #refusal: keyof typeof codes;
  #socket: Bun.udp.Socket<"buffer"> | undefined;
  #held: (() => void)[] = [];

  static async listen(refusal: keyof typeof codes): Promise<NameServer> {
    const server = new NameServer(refusal);
    server.#socket = await Bun.udpSocket({
      hostname: "127.0.0.1",
      socket: {
        data: (socket, query, port, address) => {
          const slow = query.includes("slow");
          const answer = () => void socket.send(server.#answerTo(query, slow || server.knows), port, address);
          if (slow) server.#held.push(answer);
          else answer();
        },
      },
    });
    return server;
  }

  private constructor(refusal: keyof typeof codes) {
    this.#refusal = refusal;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket?.port}`;
  }

  get heldBack(): number {
    return this.#held.length;
  }

  release() {
    for (const answer of this.#held.splice(0)) answer();
  }

  close() {
    this.#socket?.close();
  }

  /** Only IPv4 addresses. */
  #answerTo(query: Buffer, known: boolean): Buffer {
    const end = query.indexOf(0, 12) + 5;
    const found = known && query.readUInt16BE(end - 4) === 1;
    const code = known ? codes.NODATA : codes[this.#refusal];
    const head = Buffer.from([0x81, code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0]);
    const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
    return Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), ...(found ? [address] : [])]);
  }
}
