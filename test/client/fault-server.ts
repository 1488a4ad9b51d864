import { createServer, type Server, type Socket } from "node:net";
import { Accepting } from "./accepting.ts";
import { type Arrived, corsHeaders, type FaultRecord, type Move, type Step, write } from "./fault-script.ts";
import { type Head, RequestReader } from "./request-reader.ts";

export interface FaultServer {
  url: string;
  record(): FaultRecord;
  close(): void;
}

/** Answers the requests of one test case by its script, on a port of its own. */
export async function startFaultServer(steps: readonly Step[]): Promise<FaultServer> {
  let visits = 0;
  const elsewhere = await listen((socket) => {
    visits++;
    socket.on("error", () => {});
    socket.end();
  });
  const script: Script = { steps, requests: [], preflights: 0, accepting: new Accepting(), elsewhere: elsewhere.url };
  const open = new Map<Socket, number>();
  let connections = 0;
  const server = await listen((socket) => {
    const connection = ++connections;
    open.set(socket, connection);
    socket.on("close", () => open.delete(socket));
    // Errors of a connection are ignored, because many scripts make the client give up.
    socket.on("error", () => {});
    converse(socket, connection, script);
  });
  return {
    url: server.url,
    record() {
      const { requests, preflights, accepting } = script;
      return { requests, preflights, open: [...open.values()], stored: accepting.stored, elsewhere: visits };
    },
    close() {
      for (const { listener } of [server, elsewhere]) listener.close();
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** A script and its progress. */
interface Script {
  steps: readonly Step[];
  requests: Arrived[];
  preflights: number;
  accepting: Accepting;
  elsewhere: string;
}

/** Reads one request after another and does with each what its step says. */
function converse(socket: Socket, connection: number, script: Script) {
  const { steps, requests, accepting, elsewhere } = script;
  const reader = new RequestReader();
  let begun: { head: Head; arrived: Arrived; step: Step } | undefined;
  let working = false;

  const read = async () => {
    if (working) return;
    if (!begun) {
      const head = reader.head();
      if (!head) return;
      if (head.method === "OPTIONS") {
        script.preflights++;
        socket.end(preflight(head.headers["access-control-request-headers"] ?? ""));
        return;
      }
      const arrived = { ...head, body: "", at: Date.now(), connection };
      begun = { head, arrived, step: steps[Math.min(requests.length, steps.length - 1)] ?? { moves: [] } };
      requests.push(arrived);
    }
    const { head, arrived, step } = begun;
    const body = step.unread ? Buffer.alloc(0) : reader.body(head);
    if (!body) return;
    arrived.body = body.toString("latin1");
    working = true;
    const values = { $authorization: head.headers["authorization"] ?? "", $elsewhere: elsewhere };
    for (const move of step.moves) await make(move, { socket, head, body, accepting, values });
    // The rest of a body that was not read is not a request.
    if (step.unread) return;
    begun = undefined;
    working = false;
    await read();
  };

  socket.on("data", (bytes) => {
    reader.add(bytes as Buffer);
    void read();
  });
}

interface Exchange {
  socket: Socket;
  head: Head;
  body: Buffer;
  accepting: Accepting;
  values: Record<string, string>;
}

async function make(move: Move, { socket, head, body, accepting, values }: Exchange): Promise<void> {
  switch (move.do) {
    case "accept": {
      const { status, headers, body: text } = await accepting.accept(head, body);
      const answer = write(status, { headers: { "content-type": "application/json", ...headers }, body: text });
      return make(answer, { socket, head, body, accepting, values });
    }
    case "commit":
      await accepting.accept(head, body);
      return;
    case "write":
      socket.write(filled(move.bytes, values), "latin1");
      return;
    case "pour":
      while (!socket.destroyed) {
        socket.write(move.bytes, "latin1");
        await Bun.sleep(move.everyMs);
      }
      return;
    case "wait":
      return Bun.sleep(move.ms);
    case "end":
      socket.end();
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
  }
}

/** A value may be longer than its placeholder, so the length of the body is corrected where it was right before. */
function filled(bytes: string, values: Record<string, string>): string {
  const fill = (text: string) => text.replace(/\$(authorization|elsewhere)/g, (name) => values[name] ?? "");
  const end = bytes.indexOf("\r\n\r\n") + 4;
  const [head, body] = [bytes.slice(0, end), bytes.slice(end)];
  const longer = fill(body).length;
  return fill(head.replace(`content-length: ${body.length}\r\n`, `content-length: ${longer}\r\n`)) + fill(body);
}

/** Closes the connection: on a connection that was used before, a browser sends a request again by itself. */
function preflight(asked: string): string {
  const headers = {
    ...corsHeaders,
    "access-control-allow-methods": "POST, OPTIONS",
    "access-control-allow-headers": asked || "authorization, content-type",
    "access-control-max-age": "7200",
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 204 No Content\r\n${lines.join("")}\r\n`;
}

async function listen(take: (socket: Socket) => void): Promise<{ url: string; listener: Server }> {
  const listener = createServer(take);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  if (typeof address !== "object" || !address) throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, listener };
}
