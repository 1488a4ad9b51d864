const writing = ["post", "put", "patch", "delete"];

interface Options {
  query?: Record<string, string | undefined>;
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
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] != null),
  );
  const response = await fetch(parameters.size === 0 ? path : `${path}?${parameters}`, {
    method: method.toUpperCase(),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    ...init,
  });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const value: unknown = isJson ? await response.json() : await response.text();
  return response.ok ? { data: value, error: null, response } : { data: null, error: { value }, response };
}
