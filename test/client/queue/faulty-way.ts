import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { envelopeOf, type SentEnvelope } from "../cases/form.ts";
import { json, type Move } from "../fault-script.ts";
import { type Head, RequestReader } from "../request-reader.ts";

/** What happens to a request on its way to Intake. */
export type Fault =
  | "pass"
  /** The request does not reach Intake. */
  | { status: number; retryAfter?: string }
  | "reset"
  | "stall"
  /** Intake stores the report, and the answer is lost. */
  | "lose"
  | "cut";

interface Arrival {
  fault: Fault;
  envelope: SentEnvelope;
  /** The bytes of the body. */
  bytes: number;
  /** Epoch milliseconds when the request was complete, and when it was answered. */
  at: number;
  answeredAt?: number;
}

export interface FaultyWay {
  url: string;
  /** The faults of the next requests, one each; later requests pass. */
  faults: Fault[];
  arrivals: Arrival[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<Arrival>;
  /** Answers the stalled request with this index after all. */
  answer(index: number, fault: Fault): Promise<void>;
  close(): void;
}

/** A real Intake behind a faulty network. */
export async function faultyWay(intake: string, faults: Fault[] = []): Promise<FaultyWay> {
  const arrivals: Arrival[] = [];
  const events = new EventEmitter();
  const sockets = new Set<Socket>();

  const answers: ((fault: Fault) => Promise<void>)[] = [];

  const take = async (socket: Socket, head: Head, body: Buffer) => {
    // Closes the connection: on a connection that was used before, a browser sends a request again by itself.
    if (head.method === "OPTIONS") return void socket.end(await passOn(intake, head, body, ["connection: close\r\n"]));
    const at = Date.now();
    const envelope = await envelopeOf({ ...head, body: body.toString("latin1"), connection: 0, at });
    const arrival: Arrival = { fault: faults.shift() ?? "pass", envelope, bytes: body.length, at };
    const answer = async (fault: Fault) => {
      const bytes = await answerTo(fault, intake, head, body).catch(() => "");
      if (bytes === undefined) return;
      arrival.answeredAt = Date.now();
      if (bytes === "") socket.resetAndDestroy();
      else if (fault === "cut") socket.end(bytes.slice(0, -20), "latin1");
      else socket.write(bytes, "latin1");
    };
    arrivals.push(arrival);
    answers.push(answer);
    events.emit("arrival");
    await answer(arrival.fault);
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Errors of a connection are ignored, because some faults make the client give up.
    socket.on("error", () => {});
    const reader = new RequestReader();
    let head: Head | undefined;
    socket.on("data", (bytes) => {
      reader.add(bytes as Buffer);
      head ??= reader.head();
      const body = head && reader.body(head);
      if (!head || !body) return;
      void take(socket, head, body);
      head = undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };

  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    arrivals,
    async arrived(count) {
      for (;;) {
        const arrival = arrivals[count - 1];
        if (arrival) return arrival;
        await once(events, "arrival");
      }
    },
    async answer(index, fault) {
      await answers[index]?.(fault);
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The bytes to answer with: undefined to stay silent, none to reset the connection. */
async function answerTo(fault: Fault, intake: string, head: Head, body: Buffer): Promise<string | undefined> {
  if (fault === "stall") return undefined;
  if (fault === "reset") return "";
  if (typeof fault === "object") {
    const { status, retryAfter } = fault;
    return bytesOf(json(status, { error: `said_${status}` }, retryAfter ? { "retry-after": retryAfter } : {}));
  }
  const answer = await passOn(intake, head, body);
  return fault === "lose" ? "" : answer;
}

function bytesOf(move: Move): string {
  return move.do === "write" ? move.bytes : "";
}

/** The answer of Intake with nothing added, so that pages see its own CORS headers. */
async function passOn(
  intake: string,
  { method, path, headers }: Head,
  body: Buffer,
  more: readonly string[] = [],
): Promise<string> {
  const hop = /^(host|connection|content-length|transfer-encoding)$/;
  const sent = Object.entries(headers).filter(([name]) => !hop.test(name));
  const response = await fetch(intake + path, {
    method,
    headers: Object.fromEntries(sent),
    ...(method === "POST" && { body: Uint8Array.from(body) }),
  });
  const text = await response.text();
  const lines = [...response.headers]
    .filter(([name]) => !/^(content-length|content-encoding|transfer-encoding|connection)$/.test(name))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .concat(more);
  return `HTTP/1.1 ${response.status} Passed on\r\n${lines.join("")}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
