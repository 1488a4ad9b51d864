import { bind, urlOf } from "./serve.ts";

/** Metrics in the text format of Prometheus. */
interface Exposition {
  text(): Promise<string>;
  contentType(): string;
}

/** Serves `/metrics` on a separate listener, so that a proxy in front of the public listener cannot pass it on. */
export function listenMetrics(metrics: Exposition, address: { hostname: string; port: number }) {
  const server = bind(address, "--metrics", () =>
    Bun.serve({
      ...address,
      reusePort: false,
      development: false,
      async fetch(request) {
        const path = request.url.replace(/^[a-z]+:\/\/[^/]*/, "");
        if (request.method !== "GET" || path !== "/metrics") return new Response("see /metrics\n", { status: 404 });
        return new Response(await metrics.text(), { headers: { "content-type": metrics.contentType() } });
      },
      error: () => new Response("failed\n", { status: 500 }),
    }),
  );
  return { url: `${urlOf(address.hostname, server.port ?? address.port)}/metrics`, stop: () => server.stop(true) };
}
