import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { budgets } from "../../client/size.ts";
import { installed, installRuntimes } from "../client/install.ts";
import { Consumer } from "./consumer.ts";
import { installJudges } from "./install.ts";

setDefaultTimeout(180_000);
installRuntimes();
installJudges();
const consumer = new Consumer();
afterAll(() => consumer.remove());

/** What stands in a bundle only when that part of the package is in it. */
const traces = {
  tickets: "/api/v1/tickets",
  reports: "/api/ingest",
  "IndexedDB store": "createObjectStore",
  "page listeners": "unhandledrejection",
  breadcrumbs: "performance.now()-",
  "agent runs": "/runner/v1/",
  webhooks: "webhook-",
};

/** What apps import, and the only traces that it may leave. */
const imports: Record<string, { code: string; only: (keyof typeof traces)[]; budget: string }> = {
  tickets: { code: 'export { TicketsClient } from "@intake/client";', only: ["tickets"], budget: "tickets" },
  ingest: { code: 'export { IngestClient } from "@intake/client";', only: ["reports"], budget: "ingest" },
  queue: {
    code: 'export { IngestClient } from "@intake/client"; export { indexedDbStore } from "@intake/client/queue";',
    only: ["reports", "IndexedDB store"],
    budget: "ingest and queue",
  },
  browser: {
    code: 'export { captureErrors } from "@intake/client/browser"; import "@intake/client"; import "@intake/client/runner";',
    only: ["page listeners"],
    budget: "browser",
  },
};

let bundles: Record<string, Record<string, string>> = {};
beforeAll(() => {
  for (const [name, { code }] of Object.entries(imports)) consumer.write(`${name}.entry.js`, code);
  const { code, said } = consumer.run(installed.node24, join(import.meta.dir, "bundle-with-all.mjs"), consumer.folder);
  if (code !== 0) throw new Error(said);
  bundles = JSON.parse(said);
});

for (const bundler of ["esbuild", "rollup", "vite", "webpack"]) {
  test.each(Object.entries(imports))(
    `${bundler} takes of the package what is imported: %s`,
    (name, { only, budget }) => {
      const text = bundles[bundler]?.[`${name}.entry.js`] ?? "";
      expect(text).not.toBe("");
      const found = Object.entries(traces).filter(([, trace]) => text.includes(trace));
      expect(found.map(([part]) => part).sort()).toEqual([...only].sort());
      // README: other minifiers come within 5 % of esbuild's.
      const { max = 0 } = budgets.find(({ what }) => what === budget) ?? {};
      expect(gzipSync(text, { level: 9 }).length / 1_000).toBeLessThanOrEqual(max * 1.05);
    },
  );
}
