import type { Edge } from "../http/edge.ts";

/** The content security policy: scripts, styles and calls of this origin only, and no framing by other sites. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of every answer of the dashboard, errors too. */
export function pageHeaders(edge: Edge, request: Request): Record<string, string> {
  return {
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-request-id": edge.context.newId(),
    ...(isHttps(edge, request) ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

/** Whether people reach the page over HTTPS: the request says HTTP where a proxy ends TLS, the public URL tells. */
function isHttps({ context: { publicUrl } }: Edge, request: Request): boolean {
  return (
    publicUrl.fixed?.startsWith("https:") === true && URL.parse(publicUrl.fixed)?.host === request.headers.get("host")
  );
}
