import { Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { acceptedCoding } from "../http/accept-encoding.ts";
import { answerError, type HeaderFields } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { answerPrecompressed } from "../http/precompressed.ts";
import { streamParts } from "../http/stream-parts.ts";
import { type Boot, bootOf, type PageTools } from "./boot.ts";
import type { Asset } from "./bundle.ts";
import { bundled } from "./bundled.ts";
import { documentEnd, documentHead } from "./document.ts";
import { initialBoard } from "./initial-board.ts";
import { pageHeaders } from "./page-headers.ts";
import { type Page, pages } from "./pages.ts";

/** The dashboard: one page at many addresses, and the assets it is made of. */
export function dashboardRoutes(edge: Edge, tools: PageTools) {
  const app = new Elysia();
  for (const page of pages) {
    app.get(page.path, ({ request, params }) => answerPage(edge, tools, request, { page, params }));
  }
  app.get("/assets/:name", ({ request, params }) => {
    const asset = assets.get(params.name);
    if (!asset) {
      const { response, code } = answerError(
        edge,
        "asset",
        new Refusal("not_found"),
        request,
        pageHeaders(edge, request),
      );
      edge.answered("unknown", response.status, code);
      return response;
    }
    asset.bytes ??= Buffer.from(asset.gzipBase64, "base64");
    return answerPrecompressed(
      request,
      { bytes: asset.bytes, etag: asset.etag },
      {
        ...pageHeaders(edge, request),
        "content-type": asset.type,
        "cache-control": "public, max-age=31536000, immutable",
      },
    );
  });
  return app;
}

interface Shown {
  page: Page;
  /** The names in the path. */
  params: Record<string, string>;
}

/** Answers with the document of a page. Without a page it is a 404 whose document says that there is nothing here. */
export async function answerPage(edge: Edge, tools: PageTools, request: Request, shown?: Shown) {
  const started = performance.now();
  const headers = pageHeaders(edge, request);
  try {
    const boot = await bootOf(edge, tools, request);
    const { status, code } = outcomeOf(shown?.page, boot);
    const head = documentHead(shown?.page, boot, request);
    Object.assign(headers, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    const board = boardOf(edge, request, boot, shown);
    void board?.finally(() => edge.answered("page", status, code, started));
    if (board) return new Response(inParts(request, head, board, headers), { status, headers });
    edge.answered("page", status, code, started);
    return new Response(head + documentEnd, { status, headers });
  } catch (error) {
    const { response, code } = answerError(edge, "page", error, request, headers);
    edge.answered("page", response.status, code, started);
    return response;
  }
}

/** The data of a board for its document; undefined for other pages, and for people who are not signed in. */
function boardOf(
  edge: Edge,
  request: Request,
  { member, mustEnrol }: Boot,
  shown: Shown | undefined,
): Promise<string> | undefined {
  if (!member || mustEnrol || shown?.page.path !== "/p/:project/boards/:board" || request.method !== "GET")
    return undefined;
  const { id, name, role } = member;
  const ctx = { ...edge.context, actor: { kind: "member", id, name, role } as const };
  return initialBoard(ctx, shown.params["board"] ?? "", request);
}

/**
 * The document with the data of its page. Its head is sent at once, so that the browser loads scripts and styles while
 * the data is read. It is compressed as the answer to the call would be (see `compressJson`); whoever opens the address
 * by hand, which no other site can make happen, has `Sec-Fetch-Site: none`.
 */
function inParts(request: Request, head: string, data: Promise<string>, headers: HeaderFields): ReadableStream {
  async function* parts() {
    yield head;
    yield (await data) + documentEnd;
  }
  headers["vary"] = "Accept-Encoding";
  const site = request.headers.get("sec-fetch-site") ?? "none";
  const compressible = site === "none" || site === "same-origin";
  const coding = compressible ? acceptedCoding(request.headers.get("accept-encoding"), ["gzip"]) : undefined;
  if (coding) headers["content-encoding"] = coding;
  return streamParts(parts(), coding);
}

/** The status of the document is that which the page will show: 404 for nothing here, 403 for a page for admins. */
function outcomeOf(page: Page | undefined, { member }: Boot): { status: number; code: string } {
  if (!page) return { status: 404, code: "not_found" };
  const denied = member && member.role !== "admin" && page.access === "admin";
  return denied ? { status: 403, code: "permission_denied" } : { status: 200, code: "ok" };
}

/** Assets are decoded on their first request, so that a server without visitors keeps no memory for them. */
const assets = new Map<string, Asset & { bytes?: Uint8Array<ArrayBuffer> }>(
  bundled.assets.map((asset) => [asset.name, asset]),
);
