import type { createApp } from "./app.ts";

/**
 * Switches off Bun's own limit of body sizes, whose 413 has no body and comes before the credential is checked: every
 * route counts bytes itself.
 */
const maxRequestBodySize = 2 ** 53 - 1;

/** Seconds after which Bun cuts a connection on which nothing comes, also while its request is worked on. */
export const idleSeconds = 10;

export interface Listener {
  url: string;
  /** Seconds from now until Bun may cut the connection of this request. */
  keepOpen(request: Request, seconds: number): void;
  /** The address at the other end of the request's connection; undefined once the connection is gone. */
  peerOf(request: Request): string | undefined;
  /** From now on every connection ends with the next answer on it, so that no proxy keeps one that a stop would cut. */
  drain(): void;
  /** Refuses new connections and resolves when running requests are answered, or after `graceMilliseconds`. */
  stop(graceMilliseconds: number): Promise<void>;
}

export class PortInUse extends Error {
  override name = "PortInUse";
}

/** Calls `Bun.serve` itself: Elysia's `listen` would share the port silently with a second server. */
export function listen(app: ReturnType<typeof createApp>, address: { hostname: string; port: number }): Listener {
  const options = {
    ...address,
    reusePort: false,
    development: false,
    idleTimeout: idleSeconds,
    maxRequestBodySize,
    fetch: app.fetch,
    error: app.failed,
  };
  const server = bind(address, "--port", () => Bun.serve(options));
  return {
    url: urlOf(address.hostname, server.port ?? address.port),
    keepOpen: (request, seconds) => server.timeout(request, seconds),
    peerOf: (request) => server.requestIP(request)?.address,
    drain: () => server.reload({ ...options, fetch: async (request) => lastOnConnection(await app.fetch(request)) }),
    async stop(graceMilliseconds) {
      const cut = setTimeout(() => void server.stop(true), graceMilliseconds);
      await server.stop();
      clearTimeout(cut);
    },
  };
}

/** A refusal may leave a body unread, and closing then would cut the answer. */
function lastOnConnection(response: Response): Response {
  if (response.ok) response.headers.set("connection", "close");
  return response;
}

/** Starts a listener, or throws an error that says in plain words why that is impossible. `flag` gives the address. */
export function bind<T>({ hostname, port }: { hostname: string; port: number }, flag: string, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") throw new PortInUse(`${hostname}:${port} is in use; choose another with ${flag}`);
    if (code === "EACCES")
      throw new PortInUse(`${hostname}:${port} may not be opened by this user; use a port from 1024 on`);
    throw new PortInUse(`cannot listen on ${hostname}:${port} (${code ?? "unknown reason"})`);
  }
}

export function urlOf(hostname: string, port: number): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
