import { createServer } from "node:net";
import { median } from "./median.ts";
import { residentBytes } from "./process-stats.ts";
import { spawnServer } from "./server-process.ts";

const starts = 10;
export const idleMilliseconds = 5_000;
const patienceMilliseconds = 15_000;

export interface StartTime {
  startMilliseconds: number;
  idleBytes: number;
}

/** From spawn to the first 200 on /livez, median of some starts; and the memory of the last one, idle for 5 s. */
export async function measureStart(command: (port: number) => string[], log: string): Promise<StartTime> {
  const times: number[] = [];
  for (let start = 1; ; start++) {
    const { milliseconds, pid, stop } = await startOnce(command, log);
    times.push(milliseconds);
    if (start === starts) await Bun.sleep(idleMilliseconds);
    const idleBytes = residentBytes(pid);
    await stop();
    if (start === starts) return { startMilliseconds: median(times), idleBytes };
  }
}

export interface Started {
  /** From spawn to the first 200 on /livez. */
  milliseconds: number;
  pid: number;
  stop: () => Promise<void>;
}

export async function startOnce(command: (port: number) => string[], log: string): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const child = spawnServer(command(port), log);
  await firstAnswer(port, began + patienceMilliseconds);
  return {
    milliseconds: performance.now() - began,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function firstAnswer(port: number, deadline: number): Promise<void> {
  while (!(await answers(port))) {
    if (performance.now() > deadline) throw new Error("a server did not answer /livez within 15 s");
    await Bun.sleep(1);
  }
}

/** A bare socket: `fetch` would cost more than what is measured. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, data) {
          resolve(data.toString("latin1", 0, 12) === "HTTP/1.1 200");
          socket.end();
        },
        close: () => resolve(false),
        connectError: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
