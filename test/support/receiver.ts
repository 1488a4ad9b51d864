import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

/** A whole request as it came. */
export interface ReceivedRequest {
  /** `POST /hook HTTP/1.1` */
  line: string;
  headers: Headers;
  body: Buffer;
  /** Counts connections from 0. */
  connection: number;
}

/** What is done with a whole request: writes to the socket, or not, as it likes. */
export type Behaviour = (socket: Socket, request: ReceivedRequest) => void;

/** Answers 200 with a short text. */
export const accept: Behaviour = answering("200 OK", [], "thanks");

export function answering(status: string, headers: readonly string[], body: string): Behaviour {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return (socket) => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
}

interface ReceiverOptions {
  behave?: Behaviour;
  /** Over TLS. */
  certificate?: Certificate;
  host?: string;
  /** 0: any free one. */
  port?: number;
}

/** A receiver of webhooks on a real socket that does whatever is wanted of it, HTTP or not. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** How many there have ever been. */
  connections = 0;
  /** What the client asked for by SNI, connection by connection; only over TLS. */
  readonly names: (string | false | null)[] = [];
  behave: Behaviour;
  /** Before any request. */
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
    // A client that does not trust the certificate leaves in the middle of the handshake.
    this.#server.on("tlsClientError", () => {});
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the receiver does not listen");
    return address.port;
  }

  /** Under a name of the caller's choice. */
  url(host = "127.0.0.1"): string {
    return `${this.#secure ? "https" : "http"}://${host}:${this.port}/hook`;
  }

  /** Connections that stand now. */
  get open(): number {
    return this.#open.size;
  }

  /** Waits until it has come to this; asked again whenever a request comes and a connection comes or goes. */
  async until(holds: (receiver: Receiver) => boolean): Promise<void> {
    while (!holds(this)) await this.#changed.promise;
  }

  /** On every connection that stands, whether anybody asked or not. */
  say(bytes: string) {
    for (const socket of this.#open) socket.write(bytes);
  }

  /** Ends the connections that stand, as a receiver does that is started again. */
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
