import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildClient, packed } from "./build.ts";

/**
 * `bun client/size.ts`: what the packed client adds to a page, against its budgets, in kB of 1000 bytes: bundled and
 * minified by esbuild, gzip -9. Written here rather than with size-limit, which would need the same bundler and more. A
 * size above `budget` is reported as missed; only a size above `max`, which is about the present one, fails.
 */
const queue = "@intake/client/queue";
export const budgets = [
  { what: "tickets", code: 'export { TicketsClient } from "@intake/client"', budget: 2.5, max: 3 },
  { what: "ingest", code: 'export { IngestClient } from "@intake/client"', budget: 4.5, max: 7.35 },
  {
    what: "ingest and queue",
    code: `export { IngestClient } from "@intake/client"; export * from "${queue}"`,
    budget: 5.5,
    max: 8,
  },
  { what: "everything", code: `export * from "@intake/client"; export * from "${queue}"`, budget: 7, max: 8.6 },
  { what: "runner", code: 'export { IntakeRunner } from "@intake/client/runner"', budget: 4, max: 3.6 },
  { what: "webhooks", code: 'export { verifyWebhook } from "@intake/client/webhooks"', budget: 1, max: 1 },
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
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

async function check() {
  buildClient();
  for (const { what, code, budget, max } of budgets) {
    const size = gzipSync(await bundled(code), { level: 9 }).length / 1000;
    const verdict = size > max ? `  LARGER THAN ${max} kB` : size > budget ? "  missed" : "";
    process.stdout.write(`${what.padEnd(18)}${size.toFixed(2)} kB, wanted ${budget}${verdict}\n`);
    if (size > max) process.exitCode = 1;
  }
}

if (import.meta.main) await check();
