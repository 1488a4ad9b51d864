import { attendance } from "./attendance.ts";

const writing = ["post", "put", "patch", "delete"];

interface Options {
  query?: Record<string, string | readonly string[] | undefined>;
  fetch?: RequestInit;
}

/**
 * Calls below a path, as Eden's `treaty` writes them: `callsAt("").internal.cards({ id }).get()` fetches
 * `/internal/cards/:id`. Eden itself also does files, streams and sockets, which no page sends, and would be 3 kB of
 * every page.
 */
export function callsAt(path: string, above = "", name = ""): unknown {
  return new Proxy(() => {}, {
    get: (_, next: string) => callsAt(`${path}/${next}`, path, next),
    // A method's name is a part of the path too, as in `reports.delete.post()`: what is called last is the method.
    apply(_, __, given: unknown[]) {
      if (name === "get") return send(name, above, undefined, given[0] as Options | undefined);
      if (writing.includes(name)) return send(name, above, given[0], given[1] as Options | undefined);
      const parameters = Object.values(given[0] as Record<string, string>);
      return callsAt([path, ...parameters.map(encodeURIComponent)].join("/"));
    },
  });
}

/** Sends one call; rejects when no answer came. */
async function send(method: string, path: string, body?: unknown, { query = {}, fetch: init }: Options = {}) {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one])),
  );
  const response = await fetch(parameters.size === 0 ? path : `${path}?${parameters}`, {
    method: method.toUpperCase(),
    ...(body === undefined
      ? { headers: attendance() }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    ...init,
  });
  const text = await response.text();
  const isJson = /^application\/json\s*(;|$)/i.test(response.headers.get("content-type") ?? "");
  const value = response.status === 204 ? "" : isJson ? jsonIn(text) : undefined;
  // Intake answers in JSON. Success in anything else is of a server in front of it, such as a proxy's page to sign in.
  return response.ok && value !== undefined
    ? { data: value, error: null, response }
    : { data: null, error: { value: value ?? text }, response };
}

/** The value that a text in JSON stands for; undefined for other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {}
}
