import type { Behaviour } from "./receiver.ts";

/** The head of an answer that is sent in chunks. */
export const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

export function saying(bytes: string): Behaviour {
  return (socket) => socket.write(bytes);
}

export function sayingLast(bytes: string): Behaviour {
  return (socket) => socket.end(bytes);
}

/** Sends as fast as the client reads, until the client leaves. */
export function flooding(first: string, more: string): Behaviour {
  return (socket) => {
    socket.write(first);
    const go = () => {
      while (!socket.destroyed && socket.write(more));
      if (!socket.destroyed) socket.once("drain", go);
    };
    go();
  };
}

/** Sends a byte every 20 ms, which keeps the connection alive for ever. */
export function dripping(first: string, more: string): Behaviour {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(more), 20);
    socket.once("close", () => clearInterval(timer));
  };
}

export function resetAfter(bytes: string): Behaviour {
  return (socket) => socket.write(bytes, () => socket.resetAndDestroy());
}
