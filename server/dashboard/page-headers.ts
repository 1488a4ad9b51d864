import type { Edge } from "../http/edge.ts";

/** Scripts, styles, calls: from here and from nowhere else, and nobody else's frame. */
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

/** On every answer of the dashboard, errors too. */
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

/** As people reach it: the proxy in front has taken TLS away. */
function isHttps({ context: { publicUrl } }: Edge, request: Request): boolean {
  return (
    publicUrl.fixed?.startsWith("https:") === true && URL.parse(publicUrl.fixed)?.host === request.headers.get("host")
  );
}
