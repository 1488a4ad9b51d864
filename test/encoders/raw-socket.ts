import { connect } from "node:net";
import type { Answer } from "./encoder.ts";

/** Sends one request byte for byte as given, in pieces that cut headers and delimiters, and reads the answer. */
export async function sendRaw(url: string, headers: string[], body: Buffer): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${hostname}:${port}`, ...headers, "Connection: close", "", ""];
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const answer = readAnswer(socket);
  for (const piece of pieces(Buffer.concat([Buffer.from(head.join("\r\n")), body]))) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answer;
}

/** Lengths of pieces: small for the first headers, and odd throughout. */
function* pieces(bytes: Buffer) {
  for (let at = 0, size = 53; at < bytes.length; at += size) {
    if (at > 4_000) size = 6_007;
    yield bytes.subarray(at, at + size);
  }
}

async function readAnswer(socket: AsyncIterable<Buffer>): Promise<Answer> {
  const received: Buffer[] = [];
  for await (const piece of socket) received.push(piece);
  const [head = "", body = ""] = Buffer.concat(received).toString().split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1]), text: body };
}
