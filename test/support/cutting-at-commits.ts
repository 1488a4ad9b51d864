import { connect, createServer, type Socket } from "node:net";

/**
 * A way to the server that is cut at the next commit: before the server gets it, or before its answer comes back. A
 * statement outside a transaction is committed by itself, and its answer ends with a tag of its own, such as `SELECT 1`.
 */
export async function cuttingAtCommits(databaseUrl: string) {
  let at: "before" | "after" | undefined;
  let tag = "COMMIT";
  const { hostname, port } = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const each of [client, upstream]) each.on("error", () => {}).setNoDelay(true);
    const end = (one: Socket, other: Socket) => one.on("close", () => other.destroy());
    end(client, upstream);
    client.on("data", (bytes) => {
      if (at === "before" && bytes.includes("commit\0")) {
        at = undefined;
        client.destroy();
      } else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (at === "after" && bytes.includes(`${tag}\0`)) {
        at = undefined;
        client.destroy();
      } else client.write(bytes);
    });
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    cut(when: "before" | "after", answeredWith = "COMMIT") {
      [at, tag] = [when, answeredWith];
    },
    stop: () => server.close(),
  };
}
