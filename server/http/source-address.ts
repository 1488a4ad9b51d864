import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

const local = new Set<string>(["private", "loopback", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/**
 * Finds the address that a request comes from: the socket's peer, unless that is a trusted proxy. Then `X-Forwarded-For` is read from
 * the right, each entry vouched for by the proxy to its right, up to the first hop that is not trusted. An entry that
 * is no address ends the walk: the hop to its right is the source. Nothing in the header ever refuses a request.
 */
export class SourceAddresses {
  readonly #trusted = new BlockList();
  readonly #trustsAny: boolean;
  #onUntrustedProxy: ((peer: string) => void) | undefined;

  /**
   * Addresses or CIDR ranges, as {@link requireNetwork} has checked them. `onUntrustedProxy`
   * is called once, for a peer that looks like a forgotten proxy: it has a private address and forwards for another.
   */
  constructor(trusted: readonly string[], onUntrustedProxy?: (peer: string) => void) {
    this.#onUntrustedProxy = onUntrustedProxy;
    this.#trustsAny = trusted.length > 0;
    for (const network of trusted) {
      const [address = "", prefix] = network.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /** The source address, an IPv4 address in IPv6 unwrapped; undefined without a socket. */
  of(peer: string | undefined, forwarded: string | null): string | undefined {
    if (peer === undefined) return undefined;
    let source = plain(peer);
    if (forwarded === null) return source;
    if (this.#onUntrustedProxy) this.#reportUntrustedProxy(source);
    if (!this.#trustsAny) return source;
    // Bun takes at most 16 KiB of headers, which bounds the number of entries.
    const hops = forwarded.split(",");
    while (hops.length > 0 && this.#isTrusted(source)) {
      const hop = addressOf(hops.pop() ?? "");
      if (hop === undefined) break;
      source = hop;
    }
    return source;
  }

  /** Whether the other end of a connection is a trusted proxy. */
  trusts(peer: string | undefined): boolean {
    return peer !== undefined && isIP(peer.replace(/%.*$/, "")) !== 0 && this.#isTrusted(plain(peer));
  }

  #reportUntrustedProxy(peer: string) {
    if (isIP(peer) === 0 || !local.has(ipaddr.parse(peer).range()) || this.#isTrusted(peer)) return;
    this.#onUntrustedProxy?.(peer);
    this.#onUntrustedProxy = undefined;
  }

  #isTrusted(address: string): boolean {
    return this.#trusted.check(address, address.includes(":") ? "ipv6" : "ipv4");
  }
}

/** The key by which limits count an address: an IPv4 address, or the /64 that a connection usually has. */
export function limitKeyOf(source: string): string {
  return source.includes(":") ? network(source, 64) : source;
}

/** The address cut to its network, /24 or /48, as it is stored. */
export function cutAddress(source: string): string {
  return source.includes(":") ? network(source, 48) : `${source.slice(0, source.lastIndexOf("."))}.0`;
}

/** The network of an address with its size, such as `192.0.2.0/24`, for people. */
export function networkOf(source: string): string {
  return `${cutAddress(source)}/${source.includes(":") ? 48 : 24}`;
}

/** Checks an address or range that the operator gave; throws an error that says what is wrong. */
export function requireNetwork(text: string): string {
  const [address = "", prefix, more] = text.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || address.includes("%") || !fits || more !== undefined) {
    throw new Error("must be addresses or ranges such as 10.0.0.0/8, separated by commas");
  }
  return text;
}

/**
 * Parses an entry of `X-Forwarded-For`: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`,
 * `[2001:db8::1]:4711`.
 */
function addressOf(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, "$1");
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plain(bare);
}

function plain(address: string): string {
  if (!address.includes(":")) return address;
  return ipaddr.process(address.replace(/%.*$/, "")).toString();
}

function network(address: string, bits: number): string {
  const bytes = ipaddr.parse(address).toByteArray();
  bytes.fill(0, bits / 8);
  return ipaddr.fromByteArray(bytes).toString();
}
