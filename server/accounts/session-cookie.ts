import { limits } from "../../openapi/schema/limits.ts";

/**
 * Name of the cookie over https and on the machine itself. Browsers accept a `__Host-` cookie only with Secure, for
 * this host alone and for every path, so that no other host can set it.
 */
const secureName = "__Host-intake";
/** Name of the cookie over plain http from another machine: browsers drop a Secure cookie there. */
const plainName = "intake";

/**
 * The secrets of the session cookies that a request may be signed in with. The plain cookie does not count when the
 * request proves that its page was loaded over an encrypted connection.
 */
export function cookieSecretsOf(request: Request): string[] {
  const header = request.headers.get("cookie") ?? "";
  const secrets = [cookieOf(header, secureName), provesSafe(request) ? undefined : cookieOf(header, plainName)];
  return secrets.filter((secret) => secret !== undefined);
}

export function sessionCookie(request: Request, secret: string): string {
  return cookie(request, secret, limits.sessionDays * 86_400);
}

export function endedCookie(request: Request): string {
  return cookie(request, "", 0);
}

function cookie(request: Request, value: string, seconds: number): string {
  const [name, secure] = isSecure(request) ? [secureName, "; Secure"] : [plainName, ""];
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Whether the browser regards the connection as secure. TLS ends in front of this server, so only the browser's headers
 * can tell: browsers send `Sec-Fetch-Site` only over https and to the machine itself. Older browsers send just
 * `Origin`; without either header the host of the request decides.
 */
function isSecure(request: Request): boolean {
  if (provesSafe(request)) return true;
  const { headers, url } = request;
  const page =
    URL.parse(headers.get("origin") ?? "") ?? URL.parse(`http://${headers.get("host") ?? URL.parse(url)?.host}`);
  const host = page?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

function provesSafe({ headers }: Request): boolean {
  return headers.has("sec-fetch-site") || headers.get("origin")?.startsWith("https://") === true;
}

function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const [key = "", ...value] = part.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return undefined;
}
