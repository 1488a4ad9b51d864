import { getServers, setServers } from "node:dns";
import { readFileSync } from "node:fs";

/**
 * Resolves a name to addresses. `node:dns` is not used: it occupies one of a few threads until the name server answers,
 * so that a silent server would delay every other name, and file operations too.
 */
export async function resolveName(name: string, settings = "/etc/resolv.conf"): Promise<{ address: string }[]> {
  try {
    return await Bun.dns.lookup(name);
  } catch (error) {
    if (process.platform !== "linux") throw error;
    if (!renewNameServers(settings)) forgetAnswers();
    return Bun.dns.lookup(name);
  }
}

/** An address without a name server (TEST-NET-1 of RFC 5737). It leaves the list before a query can use it. */
const nobody = "192.0.2.53";

/**
 * Empties the cache of the resolver (c-ares), which keeps "no address" for ever when the answer has no lifetime.
 * Changing the list of name servers drops all cached answers and no running query.
 */
function forgetAnswers() {
  const servers = getServers();
  try {
    setServers([...servers, nobody]);
    setServers(servers);
  } catch {
    // A name server with a zone is listed in a form that cannot be set. Then the list stays as it was.
  }
}

/**
 * Reads the name servers of the system again: on Linux they are read only once, and the network may have changed since.
 * Returns whether the list is different now.
 */
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
