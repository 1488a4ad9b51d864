import { type BundledAssets, bundledAssets } from "./bundle.ts";

/**
 * `bun server/dashboard/size.ts` measures what a browser loads before a page is ready, compressed by gzip, in kB of
 * 1000 bytes; it fails above the budgets. Scripts that are loaded later, such as the Markdown reader, do not count.
 */
export const budgets = { script: 60, style: 14 };

interface PageSize {
  what: string;
  kilobytes: number;
  budget: number;
}

/** The style sheet, and for each page the first script and its own ones, largest first. */
function sizesOf({ assets, script, style, pageScripts }: BundledAssets): PageSize[] {
  const sizes = new Map(assets.map(({ name, gzipBase64 }) => [name, Buffer.from(gzipBase64, "base64").length]));
  const kilobytes = (names: readonly string[]) => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0) / 1000;
  const scripts = Object.entries(pageScripts).map(([what, files]) => {
    return { what, kilobytes: kilobytes([script, ...files]), budget: budgets.script };
  });
  return [
    { what: "style", kilobytes: kilobytes([style]), budget: budgets.style },
    ...scripts.sort((a, b) => b.kilobytes - a.kilobytes),
  ];
}

function check() {
  for (const { what, kilobytes, budget } of sizesOf(bundledAssets())) {
    const verdict = kilobytes > budget ? "  TOO LARGE" : "";
    process.stdout.write(`${what.padEnd(50)}${kilobytes.toFixed(2)} kB, wanted ${budget}${verdict}\n`);
    if (kilobytes > budget) process.exitCode = 1;
  }
}

if (import.meta.main) check();
