import { contentType } from "./multipart.ts";

/**
 * One POST over a connection of its own, and the answer. A bare socket, because it sends parts that many requests
 * share without a copy for each: `fetch` would hold every body once more.
 */
export function send(
  { url, token }: { url: string; token: string },
  body: readonly Uint8Array[],
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const head = `POST /api/ingest HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
  const waiting = [Buffer.from(head), ...body];
  let said = "";
  return new Promise((resolve, reject) => {
    const advance = (socket: Bun.Socket) => {
      for (let next = waiting[0]; next; next = waiting[0]) {
        const written = socket.write(next);
        if (written < next.length) {
          waiting[0] = next.subarray(Math.max(written, 0));
          return;
        }
        waiting.shift();
      }
    };
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: advance,
        drain: advance,
        data(socket, data) {
          said += data.toString();
          const answer = parse(said);
          if (!answer) return;
          resolve(answer);
          socket.end();
        },
        close: () => reject(new Error("a connection was closed without an answer")),
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}

function parse(said: string): { status: number; text: string } | undefined {
  const end = said.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [, length = "0"] = /^content-length: (\d+)$/im.exec(said.slice(0, end).replaceAll("\r", "")) ?? [];
  const text = said.slice(end + 4);
  return text.length < Number(length) ? undefined : { status: Number(said.slice(9, 12)), text };
}
