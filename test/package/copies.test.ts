import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { installed, installRuntimes } from "../client/install.ts";
import { Consumer } from "./consumer.ts";

setDefaultTimeout(180_000);
installRuntimes();
const consumer = new Consumer();
afterAll(() => consumer.remove());

/** Runs the text as a module of Node 20, the oldest supported version. */
function runs(code: string): string {
  consumer.write(
    "main.mjs",
    `import { createRequire } from "node:module";
     import { deepStrictEqual as same, ok } from "node:assert";
     const require = createRequire(import.meta.url);
     ${code}`,
  );
  const { code: exitCode, said } = consumer.run(installed.node20, "main.mjs");
  return exitCode === 0 ? "fine" : said;
}

test("every entry gives the same names to import and to require", () => {
  expect(
    runs(`const { exports } = require("@intake/client/package.json");
    const entries = Object.keys(exports).map((path) => path.slice(1));
    ok(entries.length > 15, entries.length);
    // React is no dependency of the package, and not installed here.
    for (const entry of entries.filter((name) => !["/react", "/package.json"].includes(name))) {
      const names = (module) => Object.keys(module).filter((name) => name !== "default" && name !== "__esModule");
      const imported = names(await import("@intake/client" + entry));
      same(names(require("@intake/client" + entry)).sort(), imported.sort());
      ok(entry === "/schema" || imported.length > 0, entry);
    }
    same(require("@intake/client/package.json").name, "@intake/client");`),
  ).toBe("fine");
});

test("guards know the errors of the other copy, and of no one else", () => {
  expect(
    runs(`import * as imported from "@intake/client";
    const required = require("@intake/client");
    ok(imported.IntakeError !== required.IntakeError);
    const thrown = ({ TicketsClient }) => {
      try { new TicketsClient({ baseUrl: "ftp://x", token: "" }) } catch (error) { return error }
    };
    const answer = ({ ServerError }) => new ServerError({ status: 503, code: "x", message: "x", bodyText: "" });
    for (const [one, other] of [[imported, required], [required, imported]]) {
      ok(thrown(one) instanceof one.IntakeError);
      ok(!(thrown(one) instanceof other.IntakeError));
      ok(other.isIntakeError(thrown(one)));
      ok(!other.isApiError(thrown(one)));
      ok(other.isApiError(answer(one)));
      for (const stranger of [new Error("x"), { name: "IntakeError", status: 503 }, null, undefined, "x"])
        ok(!one.isIntakeError(stranger) && !one.isApiError(stranger));
    }`),
  ).toBe("fine");
});

test("nothing inside the package can be reached past its entries", () => {
  expect(
    runs(`for (const inside of ["/esm/index.js", "/core/send-with-retries", "/generated/contract"]) {
      same(await import("@intake/client" + inside).catch(({ code }) => code), "ERR_PACKAGE_PATH_NOT_EXPORTED");
    }`),
  ).toBe("fine");
});

test("a store of one copy keeps the reports of a client of the other, and each client reads what the other has kept", () => {
  expect(
    runs(`import * as imported from "@intake/client/ingest";
    import * as stores from "@intake/client/stores";
    import { dummyKey, recordingFetch } from "@intake/client/testing";
    const copies = [[imported, require("@intake/client/stores")], [require("@intake/client/ingest"), stores]];
    for (const [{ IngestClient }, { persistent }] of copies) {
      const records = new Map();
      const store = persistent({
        names: async () => [...records.keys()],
        read: async (name) => records.get(name),
        write: async (name, bytes) => void records.set(name, bytes),
        remove: async (name) => void records.delete(name),
      });
      const silent = () => new Promise(() => {});
      const options = { ingestUrl: "https://intake.example.org", key: dummyKey, store };
      const first = new IngestClient({ ...options, fetch: silent });
      const id = first.capture({ title: "kept" });
      same(await first.close(100), false);
      same(records.size, 1);
      const fetch = recordingFetch();
      const other = IngestClient === imported.IngestClient ? require("@intake/client/ingest") : imported;
      same(await new other.IngestClient({ ...options, fetch }).flush(), true);
      same([fetch.reports.map(({ envelope }) => envelope.reportId), records.size], [[id], 0]);
    }`),
  ).toBe("fine");
});
