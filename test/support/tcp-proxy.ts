import { connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  ends: readonly [Socket, Socket];
  /** What came since the pair stopped forwarding; undefined while it forwards. */
  held: [to: Socket, bytes: Buffer][] | undefined;
}

/**
 * Forwards connections to a port of this machine, and stops to do so without closing them, as a network that has failed
 * in the middle: whoever sends something hears nothing.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #stalled = false;

  private constructor(port: number) {
    this.#server = createServer((near) => this.#accept(near, connect(port, "127.0.0.1")));
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Forwards nothing more, of present and of new connections. */
  stall() {
    this.#stalled = true;
    for (const pair of this.#pairs) pair.held ??= [];
  }

  /** Forwards nothing more of so many of the present connections. */
  stallSome(count: number) {
    for (const pair of [...this.#pairs].slice(0, count)) pair.held ??= [];
  }

  resume() {
    this.#stalled = false;
    for (const pair of this.#pairs) {
      for (const [to, bytes] of pair.held ?? []) to.write(bytes);
      pair.held = undefined;
    }
  }

  async close(): Promise<void> {
    for (const { ends } of this.#pairs) for (const end of ends) end.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(near: Socket, far: Socket) {
    const pair: Pair = { ends: [near, far], held: this.#stalled ? [] : undefined };
    this.#pairs.add(pair);
    for (const [from, to] of [pair.ends, [far, near]] as const) {
      from.setNoDelay(true);
      from.on("data", (bytes: Buffer) => (pair.held ? pair.held.push([to, bytes]) : to.write(bytes)));
      from.on("error", () => {});
      from.on("close", () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
