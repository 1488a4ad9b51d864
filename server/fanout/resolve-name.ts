import { getServers, setServers } from "node:dns";
import { readFileSync } from "node:fs";

/**
 * The addresses of a name. Not by `node:dns`: that keeps one of a few threads busy until the name server answers, so that
 * a silent one keeps every other name waiting, and files too.
 */
export async function resolveName(name: string): Promise<{ address: string }[]> {
  try {
    return await Bun.dns.lookup(name);
  } catch (error) {
    if (process.platform !== "linux" || !renewNameServers("/etc/resolv.conf")) throw error;
    return Bun.dns.lookup(name);
  }
}

/** On Linux they are read once, and the network may have come or changed since. Returns whether they are others now. */
export function renewNameServers(path: string): boolean {
  try {
    const servers = [...readFileSync(path, "utf8").matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(
      ([, one = ""]) => one,
    );
    if (servers.length === 0 || servers.join() === getServers().join()) return false;
    setServers(servers);
    return true;
  } catch {
    return false;
  }
}
