const given = new Set<number>();

/**
 * A port of 127.0.0.1 that nobody listens on. It lies below the ports that Linux gives to those who ask for any
 * (32768 and above), so that no other test is given it before it is used.
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
