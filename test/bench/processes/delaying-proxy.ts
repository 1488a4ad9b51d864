import type { Socket } from "bun";

/**
 * `bun delaying-proxy.ts PORT MILLISECONDS`: passes TCP connections on to a port of this machine, each way after half of
 * the time, as a network does that takes so long for a way there and back. A process of its own: the delays go on while
 * those who are measured compute. Prints the port that it listens on.
 */
interface Way {
  peer: Socket<Way> | undefined;
  /** What is on its way to the peer, oldest first, and when it arrives. */
  waiting: { bytes: Uint8Array; at: number }[];
  ended: boolean;
  timer: Timer | undefined;
}

const [port = 0, milliseconds = 0] = process.argv.slice(2).map(Number);
/** Of one way; a timer takes somewhat longer than it is asked for. */
const delay = Math.max(0, milliseconds / 2 - 0.3);

const newWay = (): Way => ({ peer: undefined, waiting: [], ended: false, timer: undefined });

function pass(way: Way) {
  way.timer = undefined;
  const now = performance.now();
  while (way.peer) {
    const [first] = way.waiting;
    if (!first || first.at > now) break;
    const written = way.peer.write(first.bytes);
    if (written < first.bytes.length) {
      first.bytes = first.bytes.subarray(written);
      // Goes on when the peer has room again.
      return;
    }
    way.waiting.shift();
  }
  const [next] = way.waiting;
  if (next) way.timer = setTimeout(() => pass(way), Math.max(0, next.at - now));
  else if (way.ended) way.peer?.end();
}

const handlers = {
  data({ data: way }: Socket<Way>, bytes: Uint8Array) {
    way.waiting.push({ bytes: bytes.slice(), at: performance.now() + delay });
    if (way.timer === undefined && way.peer) way.timer = setTimeout(() => pass(way), delay);
  },
  drain({ data: way }: Socket<Way>) {
    // This socket has room: what its peer has sent goes on.
    if (way.peer && way.peer.data.timer === undefined) pass(way.peer.data);
  },
  close({ data: way }: Socket<Way>) {
    way.ended = true;
    if (way.waiting.length === 0) way.peer?.end();
  },
};

const listener = Bun.listen<Way>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    ...handlers,
    async open(socket) {
      socket.setNoDelay(true);
      const way = newWay();
      socket.data = way;
      const peer = await Bun.connect<Way>({
        hostname: "127.0.0.1",
        port,
        data: { ...newWay(), peer: socket },
        socket: handlers,
      }).catch(() => undefined);
      if (!peer) {
        socket.end();
        return;
      }
      peer.setNoDelay(true);
      way.peer = peer;
      pass(way);
    },
  },
});

process.stdout.write(`listening on ${listener.port}\n`);
