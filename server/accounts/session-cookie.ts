import { limits } from "../../openapi/schema/limits.ts";

/**
 * Name of the session cookie over plain http from another machine: browsers drop a Secure cookie there. Over https and
 * on the machine itself it begins with `__Host-`: browsers accept such a cookie only with Secure, for this host alone
 * and for every path, so that no other host can set it.
 */
const sessionName = "intake";

/**
 * The secrets of the session cookies that a request may be signed in with. The plain cookie does not count when the
 * request proves that its page was loaded over an encrypted connection.
 */
export function cookieSecretsOf(request: Request): string[] {
  return cookiesOf(request, sessionName);
}

/** As {@link cookieSecretsOf}, for the values of a cookie of another name. */
export function cookiesOf(request: Request, name: string): string[] {
  const header = request.headers.get("cookie") ?? "";
  const values = [cookieOf(header, `__Host-${name}`), provesSafe(request) ? undefined : cookieOf(header, name)];
  return values.filter((value) => value !== undefined);
}

/**
 * The cookie of a session that ends after so many days. By default it stays as long as a session may last: the server
 * decides when that is over.
 */
export function sessionCookie(request: Request, secret: string, days: number = limits.sessionDaysMax): string {
  return cookie(request, { name: sessionName, value: secret, seconds: days * 86_400 });
}

export function endedCookie(request: Request): string {
  return cookie(request, { name: sessionName, value: "", seconds: 0 });
}

/** A cookie that scripts cannot read and other sites cannot use; with 0 seconds it is removed. */
export function cookie(
  request: Request,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): string {
  const [prefix, secure] = isSecure(request) ? ["__Host-", "; Secure"] : ["", ""];
  return `${prefix}${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
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
