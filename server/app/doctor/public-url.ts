import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, connect, type PeerCertificate } from "node:tls";
import ipaddr from "ipaddr.js";
import type { Sealing } from "../../core/sealing.ts";
import { proveOperator, type SeenRequest, seenRequestHeader } from "../../http/seen-request.ts";
import { bad, type Finding, good, look } from "./finding.ts";

/** For each step. */
const patienceMilliseconds = 5_000;
const bodyMax = 65_536;
/** An address of the range for documentation: no sender has it, so whoever shows it again believes what clients write. */
const madeUp = "192.0.2.77";
const dayMilliseconds = 86_400_000;

/** Where people and apps reach the installation, as seen from this machine: each step has a limit of time. */
export async function examinePublicUrl(
  address: string,
  sealing: Sealing,
  { patience = patienceMilliseconds } = {},
): Promise<Finding[]> {
  const url = URL.parse(address);
  if (url === null) return [];
  // Both at once: an address that does not answer takes the patience for one.
  return Promise.all([
    look("public address: TLS", () => reached(url, () => certificateOf(url, patience))),
    look("public address: proxy", () =>
      reached(url, async () => judgeSeen(url, await askWhatIsSeen(url, sealing, patience))),
    ),
  ]);
}

async function reached(url: URL, work: () => ReturnType<typeof judgeSeen> | Promise<ReturnType<typeof judgeSeen>>) {
  try {
    return await work();
  } catch (error) {
    return bad("public_url_unreachable", `${url.origin}: ${(error as Error).message}`);
  }
}

async function certificateOf(url: URL, patience: number) {
  if (url.protocol !== "https:") {
    if (isLoopback(url.hostname)) return good("none is needed on this machine");
    return bad("public_url_plain", `${url.origin} is plain HTTP`);
  }
  const { certificate, fault } = await handshake(url, patience);
  const [from, to] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)];
  const [now, host] = [Date.now(), hostOf(url)];
  if (now > to) return bad("tls_expired", `the certificate of ${host} ended on ${dayOf(to)}`);
  if (now < from) return bad("tls_expired", `the certificate of ${host} is not valid before ${dayOf(from)}`);
  if (checkServerIdentity(host, certificate)) {
    return bad(
      "tls_name",
      `the certificate is for ${certificate.subjectaltname?.slice(0, 200) || "no name"}, not for ${host}`,
    );
  }
  const days = Math.floor((to - now) / dayMilliseconds);
  const text = `the certificate of ${host} is good until ${dayOf(to)} (${days} days)`;
  // Certificates of a few days are renewed in the last third of their time, those of months a month before.
  if (to - now < Math.min(14 * dayMilliseconds, (to - from) / 4)) return bad("tls_expires", text);
  return fault === undefined ? good(text) : bad("tls_untrusted", `${text}, but not trusted here (${fault})`);
}

async function handshake(
  url: URL,
  patience: number,
): Promise<{ certificate: PeerCertificate; fault: string | undefined }> {
  const host = hostOf(url);
  return within(patience, "no TLS handshake", (resolve, reject, signal) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // What is wrong with the certificate is what is looked for.
      rejectUnauthorized: false,
    });
    signal.addEventListener("abort", () => socket.destroy());
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection ended before TLS")));
    socket.on("secureConnect", () => {
      const fault = socket.authorized ? undefined : String(socket.authorizationError);
      // Other names are told as that.
      resolve({
        certificate: socket.getPeerCertificate(),
        fault: fault?.startsWith("ERR_TLS_CERT_ALTNAME") ? undefined : fault,
      });
      socket.destroy();
    });
  });
}

/** What a request through the proxy looks like to the server says how the proxy is set up. */
export function judgeSeen(url: URL, seen: SeenRequest | undefined) {
  if (seen === undefined)
    return bad("public_url_elsewhere", `${url.origin}/livez is not answered by this installation`);
  const { peer, source, forwardedFor } = seen;
  const shown = peer === undefined ? "unknown" : ipaddr.process(peer).toString();
  // Nothing stands before a server that is asked under its own address.
  if (isLoopback(url.hostname)) return good(`a request is seen from ${shown}, without a proxy`);
  if (forwardedFor === null && isLocal(shown)) {
    return bad("proxy_hides_sender", `a request through ${url.host} is seen from ${shown}, with no X-Forwarded-For`);
  }
  if (forwardedFor?.trim() === madeUp && source === madeUp) {
    return bad("proxy_believes_clients", `the proxy at ${shown} passed on an X-Forwarded-For that doctor made up`);
  }
  if (forwardedFor !== null && forwardedFor.trim() !== madeUp && source === shown && isLocal(shown)) {
    return bad("proxy_untrusted", `the proxy at ${shown} forwards for others and is not trusted`);
  }
  return good(`a request through ${url.host} is seen from ${source ?? "unknown"}, by way of ${shown}`);
}

async function askWhatIsSeen(url: URL, sealing: Sealing, patience: number): Promise<SeenRequest | undefined> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return within(patience, "no answer", (resolve, reject, signal) => {
    const asking = request(
      `${url.origin}/livez`,
      {
        agent: false,
        rejectUnauthorized: false,
        headers: {
          [seenRequestHeader]: proveOperator(sealing),
          "x-forwarded-for": madeUp,
          "user-agent": "intake-doctor",
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > bodyMax) response.destroy();
        });
        response.on("close", () => resolve(seenIn(text)));
      },
    );
    signal.addEventListener("abort", () => asking.destroy());
    asking.on("error", reject);
    asking.end();
  });
}

/** Strict, because anybody may answer under a public address: what is no address is not shown. */
function seenIn(text: string): SeenRequest | undefined {
  try {
    const { seen } = JSON.parse(text) as { seen?: Record<string, unknown> };
    if (!seen) return undefined;
    const addressIn = (value: unknown) => (typeof value === "string" && isIP(value) !== 0 ? value : undefined);
    const { forwardedFor } = seen;
    return {
      peer: addressIn(seen["peer"]),
      source: addressIn(seen["source"]),
      forwardedFor: typeof forwardedFor === "string" ? forwardedFor : null,
    };
  } catch {
    return undefined;
  }
}

/** Resolves or rejects within so many milliseconds, whatever the network, the name server or the other end does. */
function within<T>(
  patience: number,
  late: string,
  work: (resolve: (value: T) => void, reject: (error: Error) => void, signal: AbortSignal) => void,
): Promise<T> {
  const aborting = new AbortController();
  let timer: Timer | undefined;
  return new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${late} within ${patience / 1_000} s`)), patience);
    work(resolve, reject, aborting.signal);
  }).finally(() => {
    clearTimeout(timer);
    aborting.abort();
  });
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return host === "localhost" || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");
}

function isLocal(address: string): boolean {
  return (
    isIP(address) !== 0 && ["loopback", "private", "uniqueLocal", "linkLocal"].includes(ipaddr.process(address).range())
  );
}

function dayOf(moment: number): string {
  return Number.isNaN(moment) ? "an unknown day" : new Date(moment).toISOString().slice(0, 10);
}
