import { connect, createServer, type Server, type Socket } from "node:net";

/** A port of loopback that leads to another one, which may change: what clients of a server that fails over connect to. */
export class Forwarder {
  target: number;
  /** Whether connections are ended at once, as where nobody listens. */
  refusing = false;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  static async listen(target: number): Promise<Forwarder> {
    const forwarder = new Forwarder(target);
    await new Promise<void>((resolve) => forwarder.#server.listen(0, "127.0.0.1", resolve));
    return forwarder;
  }

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer({ noDelay: true }, (socket) => this.#forward(socket));
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Ends all connections. */
  drop() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.#server.close();
    this.drop();
  }

  #forward(socket: Socket) {
    if (this.refusing) return socket.destroy();
    const other = connect({ port: this.target, host: "127.0.0.1", noDelay: true });
    for (const [one, end] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#sockets.delete(one);
        end.destroy();
      });
      one.pipe(end);
    }
  }
}
