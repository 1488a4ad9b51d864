/** Passes requests on to server processes, one after the other in turn, as nginx or any other load balancer does. */
export function startBalancer({ port }: { port: number }) {
  const processes: string[] = [];
  let turn = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 0,
    async fetch(request, balancer) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set("x-forwarded-for", balancer.requestIP(request)?.address ?? "");
      const body = request.body && (await request.bytes());
      // A process that takes no connection has not seen the request: the next one is asked.
      for (const _ of processes) {
        const url = `${processes[turn++ % processes.length]}${pathname}${search}`;
        const { method, signal } = request;
        try {
          return await fetch(url, {
            method,
            headers,
            body,
            signal,
            redirect: "manual",
            decompress: false,
            keepalive: false,
          });
        } catch (error) {
          if ((error as { code?: string }).code !== "ECONNREFUSED") throw error;
        }
      }
      return new Response("no process answers\n", { status: 503 });
    },
    error: () => new Response("no process answers\n", { status: 502 }),
  });
  return { url: `http://127.0.0.1:${server.port}`, processes, stop: () => server.stop(true) };
}
