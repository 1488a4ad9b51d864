import { Elysia } from "elysia";
import type { Edge } from "../http/edge.ts";
import { answerPrecompressed } from "../http/precompressed.ts";
import { bundledPage } from "./bundle.ts" with { type: "macro" };

const page = bundledPage();

/**
 * `/docs`: the reference page, complete in one answer. `ingestUrl` is the address that its form sends reports to, when
 * it differs from the server's.
 */
export function docsRoutes(edge: Edge, ingestUrl: string | undefined) {
  const policy = policyOf(ingestUrl === undefined ? "'self'" : `'self' ${new URL(ingestUrl).origin}`);
  const app = new Elysia();
  app.get("/docs", ({ request }) => {
    const kept = { bytes: Buffer.from(page.gzipBase64, "base64"), etag: page.etag };
    return answerPrecompressed(request, kept, {
      "content-security-policy": policy,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-request-id": edge.context.newId(),
    });
  });
  return app;
}

/** Allows the page's style and script by their digests and nothing else; `data:` is for the icon of the tab. */
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
