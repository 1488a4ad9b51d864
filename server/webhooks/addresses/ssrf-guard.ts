import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isPublic } from "./public-address.ts";
import { resolveName } from "./resolve-name.ts";

/** Why an address is refused; a closed list. */
type AddressFault = "bad_url" | "forbidden_address" | "unresolved";

/**
 * An address that is refused. The message is for admins: it names the address behind a name, and the flag that would
 * allow it.
 */
export class AddressRefused extends Error {
  override name = "AddressRefused";
  readonly fault: AddressFault;
  /**
   * Whether the refusal is final: a name may resolve differently tomorrow, but an address as written does not change.
   */
  readonly final: boolean;

  constructor(fault: AddressFault, { final, message }: { final: boolean; message: string }) {
    super(message);
    this.fault = fault;
    this.final = final;
  }
}

export interface CheckedAddress {
  address: string;
  family: 4 | 6;
}

/** A checked target of a request. */
export interface Target {
  /** Without a fragment. */
  url: URL;
  /** In the order of the resolver; every address was checked. */
  addresses: readonly CheckedAddress[];
}

type Resolve = (name: string) => Promise<readonly { address: string }[]>;

const resolveMs = 5_000;
/** The most addresses that one attempt tries to connect to. */
const addressesMax = 8;

/**
 * Decides where webhooks, and questions to identity providers, may go: to public addresses over https, and within `allow` also to private ones and over http.
 * One forbidden address of a name refuses the name.
 */
export class SsrfGuard {
  readonly #allow: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
  readonly #resolve: Resolve;
  readonly #flag: string;

  /**
   * `allow` in the form that {@link requireAllow} returns; `flag` is what admins are told would allow an address;
   * `resolve` is the system's resolver except in tests.
   */
  constructor({
    allow,
    flag = "--webhook-allow",
    resolve = resolveName,
  }: {
    allow: readonly string[];
    flag?: "--webhook-allow" | "--provider-allow";
    resolve?: Resolve;
  }) {
    this.#allow = allow.map((text) => ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${bitsOf(text)}`));
    this.#resolve = resolve;
    this.#flag = flag;
  }

  /** Checks the address as written, without resolving it; throws {@link AddressRefused}. */
  check(text: string): URL {
    const url = URL.parse(text);
    if (url === null) throw badUrl("the address must be a URL such as https://example.com/hook");
    if (url.protocol !== "https:" && (url.protocol !== "http:" || this.#allow.length === 0)) {
      const range = isIP(hostOf(url)) === 0 ? "the range that its name leads to" : rangeOf(hostOf(url));
      const allowed = url.protocol === "http:" ? `; ${this.#flag} with ${range} would allow http there` : "";
      throw badUrl(`the address must begin with https://${allowed}`);
    }
    if (url.username !== "" || url.password !== "") throw badUrl("the address must not hold a user name or password");
    if (url.port === "0") throw badUrl("the address must not name port 0");
    url.hash = "";
    const host = hostOf(url);
    if (isIP(host) !== 0) this.#require(host, { url, final: true });
    return url;
  }

  /** Checks the address as written and the addresses it resolves to, in at most 5 s; throws {@link AddressRefused}. */
  async resolve(text: string): Promise<Target> {
    const url = this.check(text);
    const host = hostOf(url);
    if (isIP(host) !== 0) return { url, addresses: [checked(host)] };
    const found = await this.#ask(host);
    for (const { address } of found) this.#require(address, { url, final: false });
    return { url, addresses: found.slice(0, addressesMax).map(({ address }) => checked(address)) };
  }

  async #ask(name: string) {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("the resolver is silent")), resolveMs);
    const found = await Promise.race([this.#resolve(name), late.promise]).catch(() => []);
    clearTimeout(timer);
    if (found.length > 0) return found;
    throw new AddressRefused("unresolved", { final: false, message: "the name of the address could not be resolved" });
  }

  #require(address: string, { url, final }: { url: URL; final: boolean }) {
    // A zone would choose the network in which the address is looked for.
    const known = isIP(address) !== 0 && !address.includes("%");
    if (!known) {
      const message = `the address leads to ${JSON.stringify(address)}, which no request can be sent to`;
      throw new AddressRefused("forbidden_address", { final, message });
    }
    if (this.#allows(address)) return;
    const leads = final ? address : `${hostOf(url)} leads to ${address}, which`;
    const allowing = `${this.#flag} ${rangeOf(address)}, for the server and for commands, would allow`;
    if (!isPublic(address)) {
      const message = `${leads} is not a public address; ${allowing} it`;
      throw new AddressRefused("forbidden_address", { final, message });
    }
    if (url.protocol === "http:") {
      const message = `the address must begin with https://, as ${leads} is public; ${allowing} http there`;
      throw new AddressRefused("forbidden_address", { final, message });
    }
  }

  #allows(address: string): boolean {
    const parsed = ipaddr.parse(address);
    return this.#allow.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  }
}

/** Reads an address or range of the command line; throws an error that says what is wrong. */
export function requireAllow(text: string): string {
  const [address = "", prefix, more] = text.split("/");
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(address));
  if (isIP(address) === 0 || address.includes("%") || !fits || more !== undefined) {
    throw new Error("must be an address or a range such as 10.0.0.0/8");
  }
  return text;
}

function bitsOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}

/** The smallest range that holds the address, in the form of `--webhook-allow`. */
function rangeOf(address: string): string {
  return `${address}/${bitsOf(address)}`;
}

function badUrl(message: string): AddressRefused {
  return new AddressRefused("bad_url", { final: true, message });
}

/** The URL parser has brought every spelling of an IPv4 address into the dotted form. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function checked(address: string): CheckedAddress {
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}
