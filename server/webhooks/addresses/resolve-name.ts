import { getServers, setServers } from "node:dns";
import { readFileSync } from "node:fs";

/**
 * The addresses of a name. Not by `node:dns`: that keeps one of a few threads busy until the name server answers, so that
 * a silent one keeps every other name waiting, and files too.
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

/** Of no name server: TEST-NET-1 of RFC 5737. It is in the list for no query. */
const nobody = "192.0.2.53";

/**
 * The resolver (c-ares) keeps the answer that a name has no address, without end where that answer names no time. It lets
 * go of all answers when the list of name servers changes, and of no query that is under way.
 */
function forgetAnswers() {
  const servers = getServers();
  try {
    setServers([...servers, nobody]);
    setServers(servers);
  } catch {
    // A name server with a zone is shown in a form that is not taken. Then the list stays as it was.
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
