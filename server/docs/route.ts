import { Elysia } from "elysia";
import type { Edge } from "../http/edge.ts";
import { bundledPage } from "./bundle.ts" with { type: "macro" };

const page = bundledPage();

/** `/docs`: the reference, whole in one answer. `ingestUrl` is where its form sends reports, when that is elsewhere. */
export function docsRoutes(edge: Edge, ingestUrl: string | undefined) {
  const policy = policyOf(ingestUrl === undefined ? "'self'" : `'self' ${new URL(ingestUrl).origin}`);
  const app = new Elysia();
  app.get("/docs", ({ request }) => {
    const headers = {
      "content-security-policy": policy,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      etag: page.etag,
      "referrer-policy": "no-referrer",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      "x-request-id": edge.context.newId(),
    };
    if (request.headers.get("if-none-match") === page.etag) return new Response(null, { status: 304, headers });
    const packed = Buffer.from(page.packed, "base64");
    if (takesGzip(request.headers.get("accept-encoding") ?? "")) {
      return new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } });
    }
    return new Response(Bun.gunzipSync(packed), { headers });
  });
  return app;
}

/** Its own style and script by their digests, and nothing from anywhere else; `data:` is the icon of the tab. */
function policyOf(connect: string): string {
  return [
    "default-src 'none'",
    `style-src ${page.style}`,
    `script-src ${page.script}`,
    "img-src data:",
    `connect-src ${connect}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** RFC 9110 12.5.3, as far as it is met: named, and not with a weight of zero. */
function takesGzip(accepted: string): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i.test(accepted);
}
