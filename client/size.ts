import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildClient, packed } from "./build.ts";

/**
 * `bun client/size.ts`: what the packed client adds to a page, against its budgets, in kB of 1000 bytes: bundled and
 * minified by esbuild, gzip -9. Written here rather than with size-limit, which would need the same bundler and more. A
 * size above `budget` is reported as missed; only a size above `max`, which is about the present one, fails. So does a
 * badge with other sizes; `--badge` writes it.
 */
const queue = "@intake/client/queue";
const entry = (name: string, exported: string, max: number) => ({
  what: name,
  code: `export { ${exported} } from "@intake/client/${name}"`,
  budget: max,
  max,
});
export const budgets = [
  { what: "tickets", code: 'export { TicketsClient } from "@intake/client"', budget: 2.5, max: 2.8 },
  { what: "ingest", code: 'export { IngestClient } from "@intake/client"', budget: 5.6, max: 6.45 },
  {
    what: "ingest and queue",
    code: `export { IngestClient } from "@intake/client"; export * from "${queue}"`,
    budget: 6.2,
    max: 7.65,
  },
  { what: "all of the root", code: 'export * from "@intake/client"', budget: 7, max: 7 },
  { what: "runner", code: 'export { IntakeRunner } from "@intake/client/runner"', budget: 4, max: 3.4 },
  { what: "webhooks", code: 'export { verifyWebhook } from "@intake/client/webhooks"', budget: 1, max: 1 },
  entry("browser", "captureErrors", 0.5),
  entry("breadcrumbs", "breadcrumbs", 0.8),
];

/** Inside the package its own name is resolved through its `exports`, as it is for apps that install it. */
async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: packed.folder },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    // The project's own tsconfig would resolve the package to the client's sources.
    tsconfigRaw: {},
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** The badge of `client/README.md`, with the sizes of the two clients. */
const badgeFile = join(import.meta.dir, "size.svg");

async function check(writeBadge: boolean) {
  buildClient();
  const sizes: number[] = [];
  for (const { what, code, budget, max } of budgets) {
    const size = gzipSync(await bundled(code), { level: 9 }).length / 1000;
    sizes.push(size);
    const verdict = size > max ? `  LARGER THAN ${max} kB` : size > budget ? "  missed" : "";
    process.stdout.write(`${what.padEnd(18)}${size.toFixed(2)} kB, wanted ${budget}${verdict}\n`);
    if (size > max) process.exitCode = 1;
  }
  const [tickets = 0, ingest = 0] = sizes;
  const badge = badgeOf(`tickets ${tickets.toFixed(1)} kB · reports ${ingest.toFixed(1)} kB`);
  if (writeBadge) writeFileSync(badgeFile, badge);
  else if (readFileSync(badgeFile, "utf8") !== badge) {
    process.stdout.write("client/size.svg has other sizes: run bun client/size.ts --badge\n");
    process.exitCode = 1;
  }
}

function badgeOf(sizes: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="290" height="20" role="img" aria-label="min+gzip: ${sizes}">
  <rect width="290" height="20" rx="3" fill="#1f6f43"/>
  <path d="M3 0h67v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>
  <g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">
    <text x="35" y="14">min+gzip</text>
    <text x="180" y="14">${sizes}</text>
  </g>
</svg>
`;
}

if (import.meta.main) await check(process.argv.includes("--badge"));
