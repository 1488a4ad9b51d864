import { Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { answerPrecompressed } from "../http/precompressed.ts";
import { type Boot, bootOf } from "./boot.ts";
import { bundledAssets } from "./bundle.ts" with { type: "macro" };
import type { Asset } from "./bundle.ts";
import { pageHeaders } from "./page-headers.ts";
import { type Page, pageAt, pages } from "./pages.ts";

const bundled = bundledAssets();

/** The dashboard: one page at many addresses, and the assets it is made of. */
export function dashboardRoutes(edge: Edge, ingestUrl: string | undefined) {
  const app = new Elysia();
  for (const page of pages) app.get(page.path, ({ request }) => answerPage(edge, ingestUrl, request, page));
  app.get("/assets/:name", ({ request, params }) => {
    const asset = assets.get(params.name);
    if (!asset) {
      const { response, code } = answerError(edge, "asset", new Refusal("not_found"), pageHeaders(edge, request));
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

/** Answers with the document of a page. Without a page it is a 404 whose document says that there is nothing here. */
export async function answerPage(edge: Edge, ingestUrl: string | undefined, request: Request, page?: Page) {
  const started = performance.now();
  const headers = pageHeaders(edge, request);
  try {
    const boot = await bootOf(edge.context, ingestUrl, request);
    const { status, code } = outcomeOf(page, boot);
    edge.answered("page", status, code, started);
    return new Response(documentOf(page, boot, request), {
      status,
      headers: { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    });
  } catch (error) {
    const { response, code } = answerError(edge, "page", error, headers);
    edge.answered("page", response.status, code, started);
    return response;
  }
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

/** Cookies that change how pages look, with the values that they may have. */
const looks: Record<string, readonly string[]> = {
  theme: ["light", "dark"],
  density: ["compact"],
  motion: ["off"],
};

/** The look is a cookie, so that the first paint is right without a script. */
function documentOf(page: Page | undefined, boot: Boot, request: Request): string {
  const cookies = request.headers.get("cookie") ?? "";
  const look = Object.entries(looks).map(([name, values]) => {
    const value = new RegExp(`(?:^|;\\s*)intake_${name}=(\\w+)`).exec(cookies)?.[1] ?? "";
    return values.includes(value) ? ` data-${name}="${value}"` : "";
  });
  const data = JSON.stringify(boot).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en"${look.join("")}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Intake</title>
<link rel="icon" href="/assets/${bundled.icon}" type="image/svg+xml">
${stylesOf(page)
  .map((name) => `<link rel="stylesheet" href="/assets/${name}">`)
  .join("\n")}
${[bundled.script, ...scriptsOf(page, boot)].map((name) => `<link rel="modulepreload" href="/assets/${name}">`).join("\n")}
<script type="application/json" id="boot">${data}</script>
<script type="module" src="/assets/${bundled.script}"></script>
</head>
<body><noscript>Intake's pages need JavaScript. The command line does all they do: intake --help</noscript></body>
</html>
`;
}

/** The style sheets of a page. That of the setup is left out elsewhere, because an installation is set up once. */
function stylesOf(page: Page | undefined): readonly string[] {
  return page?.path === "/setup" ? [bundled.style, bundled.setupStyle] : [bundled.style];
}

/** The scripts that a page needs besides the first one. Without a session these are the scripts of the sign-in. */
function scriptsOf(page: Page | undefined, boot: Boot): readonly string[] {
  const shown = boot.member || page?.access === "unauthenticated" ? page : pageAt("/sign-in");
  if (!shown) return [];
  const scripts = bundled.pageScripts[shown.path] ?? [];
  // The start page leads to a board, so the scripts of the board are loaded with it.
  return shown.path === "/"
    ? [...scripts, ...(bundled.pageScripts[pageAt("/p/:project/boards/:board").path] ?? [])]
    : scripts;
}
