import type { Boot } from "./boot.ts";
import { bundled } from "./bundled.ts";
import { dataBlock } from "./data-block.ts";
import { type Page, pageAt } from "./pages.ts";

/** Cookies that change how pages look, with the values that they may have. */
const looks: Record<string, readonly string[]> = {
  theme: ["light", "dark"],
  density: ["compact"],
  motion: ["off"],
};

/** The beginning of a document. The look is a cookie, so that the first paint is right without a script. */
export function documentHead(page: Page | undefined, boot: Boot, request: Request): string {
  const cookies = request.headers.get("cookie") ?? "";
  const look = Object.entries(looks).map(([name, values]) => {
    const value = new RegExp(`(?:^|;\\s*)intake_${name}=(\\w+)`).exec(cookies)?.[1] ?? "";
    return values.includes(value) ? ` data-${name}="${value}"` : "";
  });
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
${dataBlock("boot", boot)}
<script type="module" src="/assets/${bundled.script}"></script>
</head>
<body><noscript>Intake's pages need JavaScript. The command line does all they do: intake --help</noscript>
`;
}

/** What follows the beginning of a document and the data of its page. */
export const documentEnd = "</body>\n</html>\n";

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
