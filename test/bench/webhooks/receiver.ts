/**
 * Receives webhooks and keeps when the first of each came to each path. `/hangs` never answers, `/fails` answers 500,
 * every other path accepts.
 *
 * GET `/address?of=PATH`: an origin of its own for a path, as receivers have it. `/arrivals`: of each path [webhook-id,
 * epoch milliseconds] of all first ones. `/counts`: of each path how many there are, and under `repeats` how many more
 * came. `/when?first=N&on=A,B`: the counts, as soon as these paths have N in all.
 */
const arrivals = new Map<string, Map<string, number>>();
let repeats = 0;
let waiting: (() => void)[] = [];

function listen(): string {
  const { port } = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    // Whoever hangs does so for as long as the other side bears it.
    idleTimeout: 0,
    async fetch(request) {
      const path = request.url.slice(request.url.lastIndexOf("/"));
      if (request.method === "GET") return report(path);
      note(path, request.headers.get("webhook-id") ?? "");
      await request.arrayBuffer();
      if (path === "/hangs") await new Promise(() => {});
      return new Response(null, { status: path === "/fails" ? 500 : 204 });
    },
  });
  return `http://127.0.0.1:${port}`;
}

function note(path: string, id: string) {
  let first = arrivals.get(path);
  if (!first) {
    first = new Map();
    arrivals.set(path, first);
  }
  if (first.has(id)) repeats++;
  else first.set(id, performance.timeOrigin + performance.now());
  for (const check of waiting) check();
}

async function report(path: string): Promise<Response> {
  const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
  if (pathname === "/address") return new Response(`${listen()}/${searchParams.get("of")}`);
  if (pathname === "/arrivals") {
    return Response.json(Object.fromEntries([...arrivals].map(([name, first]) => [name, [...first]])));
  }
  if (pathname === "/when") {
    await reached(Number(searchParams.get("first")), (searchParams.get("on") ?? "").split(","));
  }
  return Response.json({ ...Object.fromEntries([...arrivals].map(([name, first]) => [name, first.size])), repeats });
}

function reached(count: number, paths: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (paths.reduce((sum, path) => sum + (arrivals.get(`/${path}`)?.size ?? 0), 0) < count) return;
      waiting = waiting.filter((one) => one !== check);
      resolve();
    };
    waiting.push(check);
    check();
  });
}

process.stdout.write(`listening on ${listen()}\n`);
