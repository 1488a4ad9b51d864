import { Elysia } from "elysia";
import { Refusal } from "../access/context.ts";
import { answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { answerPacked } from "../http/packed.ts";
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
  const headers = pageHeaders(edge, request);
  const [status, outcome] = pattern === undefined ? [404, "not_found"] : [200, "ok"];
  try {
    const page = pageOf(pattern, await bootOf(edge.context, ingestUrl, request), request);
    edge.answered("page", status, outcome);
    return new Response(page, {
      status,
      headers: { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    });
  } catch (error) {
    const { response, code } = answerError(edge, "page", error, headers);
    edge.answered("page", response.status, code);
    return response;
  }
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
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Intake</title>
<link rel="icon" href="/assets/${bundled.icon}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/${bundled.style}">
${[bundled.script, ...scriptsAt(pattern, boot)].map((name) => `<link rel="modulepreload" href="/assets/${name}">`).join("\n")}
<script type="application/json" id="boot">${data}</script>
<script type="module" src="/assets/${bundled.script}"></script>
</head>
<body><noscript>Intake's pages need JavaScript. The command line does all they do: intake --help</noscript></body>
</html>
`;
}

/** What the page that is shown there needs besides the first script, so that it is fetched beside it. */
function scriptsAt(pattern: string | undefined, boot: Boot): readonly string[] {
  const page = pattern === undefined ? undefined : bundled.pages[pattern];
  if (!boot.member && !page?.open) return bundled.pages["/sign-in"]?.scripts ?? [];
  // It leads to a board.
  const next = pattern === "/" ? bundled.pages["/p/:project/boards/:board"] : undefined;
  return [...(page?.scripts ?? []), ...(next?.scripts ?? [])];
}
