import { limits } from "../../openapi/schema/limits.ts";

/** A browser takes it from https and from the machine itself only, for this host and every path: nobody else sets it. */
const secureName = "__Host-intake";
/** Browsers drop a Secure cookie that comes over plain http from another machine. */
const plainName = "intake";

/** What a request may be signed in with. A page that proves its encryption does not get by with the plain cookie. */
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
 * Whether the browser holds the connection for safe. TLS ends in front of this server, so it is the browser's own word
 * that counts: it sends `Sec-Fetch-Site` over https and to the machine itself, and nowhere else; old ones only tell
 * where the page is from. Whoever tells neither is asked for at the host of the request.
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
