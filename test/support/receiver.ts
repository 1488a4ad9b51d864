import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

/** A complete request as it arrived. */
export interface ReceivedRequest {
  /** `POST /hook HTTP/1.1` */
  line: string;
  headers: Headers;
  body: Buffer;
  /** The number of its connection, from 0. */
  connection: number;
}

/** Handles a complete request: may write anything to the socket, or nothing. */
export type Behaviour = (socket: Socket, request: ReceivedRequest) => void;

/** Answers 200 with a short text. */
export const accept: Behaviour = answering("200 OK", [], "thanks");

export function answering(status: string, headers: readonly string[], body: string): Behaviour {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return (socket) => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
}

interface ReceiverOptions {
  behave?: Behaviour;
  /** Serves TLS with this certificate. */
  certificate?: Certificate;
  host?: string;
  /** The port; 0 for any free one. */
  port?: number;
}

/** A receiver of webhooks on a real socket, which a test can make do anything, HTTP or not. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** Number of connections so far. */
  connections = 0;
  /** The name that each connection asked for by SNI; only over TLS. */
  readonly names: (string | false | null)[] = [];
  behave: Behaviour;
  /** Called with every connection, before any request. */
  onConnection: (socket: Socket) => void = () => {};
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  readonly #secure: boolean;
  #changed = Promise.withResolvers<void>();

  static async listen({ behave = accept, certificate, host = "127.0.0.1", port = 0 }: ReceiverOptions = {}) {
    const receiver = new Receiver(behave, certificate);
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once("error", reject).listen(port, host, resolve);
    });
    return receiver;
  }

  private constructor(behave: Behaviour, certificate: Certificate | undefined) {
    this.behave = behave;
    this.#secure = certificate !== undefined;
    this.#server = certificate
      ? createSecureServer(certificate, (socket) => {
          this.names.push(socket.servername);
          this.#serve(socket);
        })
      : createServer((socket) => this.#serve(socket));
    // A client that does not trust the certificate leaves during the handshake.
    this.#server.on("tlsClientError", () => {});
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the receiver does not listen");
    return address.port;
  }

  /** The address under a name that the caller chooses. */
  url(host = "127.0.0.1"): string {
    return `${this.#secure ? "https" : "http"}://${host}:${this.port}/hook`;
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open.size;
  }

  /** Waits until the condition holds; checked again at every request and whenever a connection opens or closes. */
  async until(holds: (receiver: Receiver) => boolean): Promise<void> {
    while (!holds(this)) await this.#changed.promise;
  }

  /** Writes to every open connection, without a request. */
  say(bytes: string) {
    for (const socket of this.#open) socket.write(bytes);
  }

  /** Closes the open connections, as a receiver does that is restarted. */
  dropConnections() {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }

  #serve(socket: Socket) {
    const connection = this.connections++;
    this.#open.add(socket);
    this.#tell();
    this.onConnection(socket);
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#open.delete(socket);
      this.#tell();
    });
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (;;) {
        const request = wholeRequest(received, connection);
        if (!request) return;
        received = received.subarray(request.length);
        this.requests.push(request);
        this.#tell();
        this.behave(socket, request);
      }
    });
  }

  #tell() {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function wholeRequest(bytes: Buffer, connection: number): (ReceivedRequest & { length: number }) | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = new Headers(
    lines.map((text) => [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1).trim()]),
  );
  const length = end + 4 + Number(headers.get("content-length") ?? 0);
  if (bytes.length < length) return undefined;
  return { line, headers, body: Buffer.from(bytes.subarray(end + 4, length)), connection, length };
}
