import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Target } from "../addresses/ssrf-guard.ts";
import type { Connections } from "./connections.ts";
import { printable } from "./printable.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Why an attempt did not succeed; a closed list. */
type PostError =
  /** No connection could be made, or it ended before an answer began. */
  | "connection"
  | "tls"
  /** No connection or no answer in time. */
  | "timeout"
  /** The answer began but did not end in time. */
  | "too_slow"
  /** The answer is not HTTP, does not end, or ended too early. */
  | "bad_answer"
  | "redirect"
  /** 410: the receiver wants no more messages. */
  | "gone"
  /** Any other status than 2xx. */
  | "status"
  /** The signal aborted the attempt. */
  | "stopped";

export interface Outcome {
  status?: number;
  /** Absent when the message was accepted. */
  error?: PostError;
  /** The wait that the receiver asked for with 429 or 503. */
  retryAfterMs?: number;
  /** The first 32 headers of the answer, each cut at 256 characters. */
  headers?: Record<string, string>;
  /** The first 16 KiB of the answer's body. */
  answer: string;
  /** True when the body was not read to its end. */
  answerCut?: true;
}

export interface ExchangeOptions {
  headers: Record<string, string>;
  body: Uint8Array;
  connections: Connections;
  /** The longest time until the connection is open, TLS included. */
  connectMs: number;
  totalMs: number;
  signal?: AbortSignal;
  /** Whether the connection was not used before. */
  fresh?: boolean;
}

const answerMax = 16_384;
const headersMax = 32;
const headerMax = 256;
/** Bound for 1xx answers and empty lines; the HTTP parser bounds what follows them. */
const beforeAnswerMax = 65_536;

/** One request and its answer on one connection. */
export class Exchange {
  readonly #settled = Promise.withResolvers<Outcome>();
  readonly #secure: boolean;
  readonly #ends: number;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = () => this.#fail("stopped");
  #stage: "connecting" | "securing" | "waiting" | "answering" = "connecting";
  #timer: Timer;
  #request: ClientRequest | undefined;
  #socket: Socket | undefined;
  #answer: IncomingMessage | undefined;
  readonly #kept: Uint8Array[] = [];
  #read = 0;
  #received = 0;
  /** Bytes written by earlier requests on the same connection. */
  #writtenBefore = 0;
  #over = false;
  #neverLeft = false;

  constructor(
    target: Target,
    { headers, body, connections, connectMs, totalMs, signal, fresh = false }: ExchangeOptions,
  ) {
    this.#secure = target.url.protocol === "https:";
    this.#ends = performance.now() + totalMs;
    this.#signal = signal;
    this.#timer = this.#expireIn(Math.min(connectMs, totalMs));
    signal?.addEventListener("abort", this.#stop);
    if (signal?.aborted) this.#stop();
    else this.#send(() => connections.open(target, { headers, length: body.length, fresh }), body);
  }

  /** The result of the attempt; the promise never rejects. */
  get outcome(): Promise<Outcome> {
    return this.#settled.promise;
  }

  /**
   * True when a kept connection was found closed before a byte of this request was written. After the first byte nobody
   * can know how much the receiver has read.
   */
  get neverLeft(): boolean {
    return this.#neverLeft;
  }

  #send(begin: () => ClientRequest, body: Uint8Array) {
    try {
      this.#request = begin();
    } catch {
      return this.#fail("connection");
    }
    this.#request
      .on("socket", (socket) => this.#use(socket, body))
      .on("response", (answer) => this.#take(answer))
      .on("upgrade", (answer) => {
        this.#answer = answer;
        this.#fail("bad_answer");
      })
      .on("error", (error) => this.#fail(this.#meaning(error)));
  }

  #use(socket: Socket, body: Uint8Array) {
    this.#socket = socket;
    this.#writtenBefore = socket.bytesWritten;
    socket.on("data", this.#count);
    if (this.#request?.reusedSocket) {
      this.#connected();
      afterOneTurn(() => {
        if (!this.#over) this.#request?.end(body);
      });
      return;
    }
    this.#request?.end(body);
    if (this.#secure) {
      socket.once("connect", () => {
        this.#stage = "securing";
      });
      socket.once("secureConnect", () => this.#connected());
    } else socket.once("connect", () => this.#connected());
  }

  #connected() {
    if (this.#over) return;
    this.#stage = "waiting";
    clearTimeout(this.#timer);
    this.#timer = this.#expireIn(this.#ends - performance.now());
  }

  readonly #count = (bytes: Uint8Array) => {
    // One chunk may hold the head and much of the body, and it comes here first.
    if (this.#stage === "waiting" && this.#received > beforeAnswerMax) this.#fail("bad_answer");
    this.#received += bytes.length;
  };

  #take(answer: IncomingMessage) {
    this.#stage = "answering";
    this.#answer = answer;
    answer
      .on("data", (bytes: Uint8Array) => this.#keep(bytes))
      .on("end", () => this.#end())
      .on("error", () => this.#fail("bad_answer"));
  }

  #keep(bytes: Uint8Array) {
    const room = answerMax - this.#read;
    if (room > 0) this.#kept.push(bytes.subarray(0, room));
    this.#read += bytes.length;
    if (this.#read < answerMax) return;
    this.#end();
    this.#request?.destroy();
  }

  #expireIn(milliseconds: number): Timer {
    const expire = () => this.#fail(this.#stage === "answering" ? "too_slow" : "timeout");
    return setTimeout(expire, Math.max(0, milliseconds));
  }

  #meaning({ code = "" }: Error & { code?: string }): PostError {
    if (this.#stage === "securing" || /^ERR_(SSL|TLS)_/.test(code)) return "tls";
    if (this.#stage === "answering" || code.startsWith("HPE_") || this.#received > 0) return "bad_answer";
    return "connection";
  }

  /** The status tells more than an error in reading the body. */
  #fail(fault: PostError) {
    if (this.#over) return;
    this.#neverLeft =
      fault === "connection" &&
      this.#request?.reusedSocket === true &&
      this.#socket?.bytesWritten === this.#writtenBefore;
    this.#settle(fault);
    this.#request?.destroy();
    this.#socket?.destroy();
  }

  #end() {
    if (!this.#over) this.#settle();
  }

  #settle(fault?: PostError) {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#socket?.off("data", this.#count);
    this.#settled.resolve(
      outcomeOf(this.#answer, { fault, body: Buffer.concat(this.#kept), cut: this.#read >= answerMax }),
    );
  }
}

/** Runs an act after sockets were polled: the end of a kept connection may have arrived without being read. */
function afterOneTurn(act: () => void) {
  setImmediate(() => setImmediate(act));
}

function outcomeOf(
  message: IncomingMessage | undefined,
  { fault, body, cut }: { fault: PostError | undefined; body: Uint8Array; cut: boolean },
): Outcome {
  const answer = printable(body);
  if (message?.statusCode === undefined) return { ...(fault && { error: fault }), answer };
  const { statusCode: status, headers } = message;
  const error = errorOf(status) ?? fault;
  const wait = status === 429 || status === 503 ? retryAfterMs(headers["retry-after"], Date.now()) : undefined;
  return {
    status,
    ...(error && { error }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    headers: headersOf(headers),
    answer,
    ...(cut ? { answerCut: true } : {}),
  };
}

function errorOf(status: number): PostError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 410) return "gone";
  return status >= 300 && status < 400 ? "redirect" : "status";
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const some = Object.entries(headers).slice(0, headersMax);
  return Object.fromEntries(
    some.map(([name, value]) => [name, printable(Buffer.from(`${value}`.slice(0, headerMax)))]),
  );
}
