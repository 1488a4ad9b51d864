import { Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { answerPacked } from "../http/precompressed.ts";
import { type Boot, bootOf } from "./boot.ts";
import { bundledAssets } from "./bundle.ts" with { type: "macro" };
import type { Asset } from "./bundle.ts";
import { pageHeaders } from "./page-headers.ts";
import { pagePaths } from "./paths.ts";

const bundled = bundledAssets();

/** The dashboard: one page at many addresses, and the assets it is made of. */
export function dashboardRoutes(edge: Edge, ingestUrl: string | undefined) {
  const app = new Elysia();
  for (const path of pagePaths) app.get(path, ({ request }) => answerPage(edge, ingestUrl, request, path));
  app.get("/assets/:name", ({ request, params }) => {
    const asset = assets.get(params.name);
    if (!asset) {
      const { response, code } = answerError(edge, "asset", new Refusal("not_found"), pageHeaders(edge, request));
      edge.answered("unknown", response.status, code);
      return response;
    }
    asset.bytes ??= Buffer.from(asset.packed, "base64");
    return answerPacked(
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

/** The page, which shows what belongs to its address; without a pattern that it fits there is nothing. */
export async function answerPage(edge: Edge, ingestUrl: string | undefined, request: Request, pattern?: string) {
  const started = performance.now();
  const headers = pageHeaders(edge, request);
  try {
    const boot = await bootOf(edge.context, ingestUrl, request);
    const { status, code } = outcomeOf(pattern, boot);
    edge.answered("page", status, code, started);
    return new Response(pageOf(pattern, boot, request), {
      status,
      headers: { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    });
  } catch (error) {
    const { response, code } = answerError(edge, "page", error, headers);
    edge.answered("page", response.status, code, started);
    return response;
  }
}

/** The status of the document says what the page will: that there is nothing, or that only admins may. */
function outcomeOf(pattern: string | undefined, { member }: Boot): { status: number; code: string } {
  if (pattern === undefined) return { status: 404, code: "not_found" };
  const denied = member && member.role !== "admin" && bundled.pages[pattern]?.admin;
  return denied ? { status: 403, code: "permission_denied" } : { status: 200, code: "ok" };
}

/** Decoded when they are first asked for: most servers start without anybody looking. */
const assets = new Map<string, Asset & { bytes?: Uint8Array<ArrayBuffer> }>(
  bundled.assets.map((asset) => [asset.name, asset]),
);

/** What a cookie may change of how pages look. */
const looks: Record<string, readonly string[]> = {
  theme: ["light", "dark"],
  density: ["compact"],
  motion: ["off"],
};

/** The look is a cookie, so that the first paint is right without a script. */
function pageOf(pattern: string | undefined, boot: Boot, request: Request): string {
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
${stylesAt(pattern)
  .map((name) => `<link rel="stylesheet" href="/assets/${name}">`)
  .join("\n")}
${[bundled.script, ...scriptsAt(pattern, boot)].map((name) => `<link rel="modulepreload" href="/assets/${name}">`).join("\n")}
<script type="application/json" id="boot">${data}</script>
<script type="module" src="/assets/${bundled.script}"></script>
</head>
<body><noscript>Intake's pages need JavaScript. The command line does all they do: intake --help</noscript></body>
</html>
`;
}

/** The setup is seen once in the life of an installation: no other page loads what it looks like. */
function stylesAt(pattern: string | undefined): readonly string[] {
  return pattern === "/setup" ? [bundled.style, bundled.setupStyle] : [bundled.style];
}

/** What the page that is shown there needs besides the first script, so that it is fetched beside it. */
function scriptsAt(pattern: string | undefined, boot: Boot): readonly string[] {
  const page = pattern === undefined ? undefined : bundled.pages[pattern];
  if (!boot.member && !page?.open) return bundled.pages["/sign-in"]?.scripts ?? [];
  // It leads to a board.
  const next = pattern === "/" ? bundled.pages["/p/:project/boards/:board"] : undefined;
  return [...(page?.scripts ?? []), ...(next?.scripts ?? [])];
}
