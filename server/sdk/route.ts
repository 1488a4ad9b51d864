import { Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { matchesEtag } from "../http/precompressed.ts";
import { withSecurityHeaders } from "../http/security-headers.ts";
import { sdkFilename, sdkTarball } from "./tarball.ts";

/**
 * The SDK's package, for `npm install https://intake.example.org/sdk/intake-client-0.1.0.tgz`. An address without a
 * version leads to the package of whichever version the server is, for workflows that outlive an upgrade of it.
 */
export function sdkRoutes(edge: Edge) {
  let etag: string | undefined;

  async function answerSdk(request: Request, cacheControl: string): Promise<Response> {
    const tarball = await sdkTarball();
    if (!tarball) {
      const refusal = new Refusal("not_found", "The SDK was not built. Run: bun run build:client.");
      return withSecurityHeaders(answerError(edge, "sdk", refusal, request).response);
    }
    etag ??= `"${Bun.SHA256.hash(await tarball.arrayBuffer(), "hex").slice(0, 32)}"`;
    const headers = {
      "content-type": "application/gzip",
      "content-disposition": `attachment; filename="${sdkFilename}"`,
      "cache-control": cacheControl,
      etag,
      "x-request-id": edge.context.newId(),
    };
    const unchanged = matchesEtag(request.headers.get("if-none-match") ?? "", etag);
    return withSecurityHeaders(
      unchanged ? new Response(null, { status: 304, headers }) : new Response(tarball, { headers }),
    );
  }

  return new Elysia()
    .get(`/sdk/${sdkFilename}`, ({ request }) => answerSdk(request, "public, max-age=31536000, immutable"))
    .get("/sdk/intake-client.tgz", ({ request }) => answerSdk(request, "no-cache"));
}
