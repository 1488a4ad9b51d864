import { Agent, createServer, request } from "node:http";

/** Milliseconds between two questions to a backend whether it is ready. */
const interval = 50;

interface LoadBalancer {
  url: string;
  stop(): Promise<void>;
}

/**
 * A load balancer as simple as they come: requests go in turn to the backends whose `/readyz` answers 200, over
 * connections that are kept. Nothing is sent twice.
 */
export async function startLoadBalancer(backends: readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true });
  let ready: string[] = [];
  let next = 0;
  const look = async () => {
    const answers = await Promise.all(
      backends.map((url) =>
        fetch(`${url}/readyz`, { keepalive: false }).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    ready = backends.filter((_, i) => answers[i]);
  };
  await look();
  let looking = true;
  const looks = (async () => {
    while (looking) {
      await look();
      await Bun.sleep(interval);
    }
  })();
  const server = createServer((incoming, outgoing) => {
    const backend = ready[next++ % ready.length];
    if (backend === undefined) return void outgoing.writeHead(503).end("no backend is ready");
    const { method, headers } = incoming;
    const upstream = request(`${backend}${incoming.url}`, { method, headers, agent } as never, (answer) => {
      const { connection: _, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      answer.pipe(outgoing);
    });
    upstream.on("error", (error) => outgoing.headersSent || outgoing.writeHead(502).end(`${backend}: ${error}`));
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async stop() {
      looking = false;
      await looks;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
