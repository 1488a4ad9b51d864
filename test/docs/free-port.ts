const given = new Set<number>();

/**
 * A free port of 127.0.0.1, below the ports that Linux assigns by itself (32768 and above), so that no other test gets
 * the port before it is used.
 */
export function freePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port) || !isFree(port)) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
