import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document } from "../../openapi/model/openapi.ts";
import { setSetting } from "../../server/core/settings.ts";
import { run, serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { operationOf } from "../support/documented.ts";
import { install } from "../support/installation.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeScenarios } from "../support/scenario.ts";
import { whileLocked } from "../support/storage.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

const committed = (name: string) => readFileSync(join(import.meta.dir, "../../openapi", name), "utf8");

/** A request with more headers than the 16 KiB that are accepted. */
function large(id: string) {
  const { path } = operationOf(id);
  return {
    status: 431,
    provoke: (target: Target) =>
      new RawRequest(target, [`GET ${path} HTTP/1.1`, "Host: a", `X-Large: ${"a".repeat(20_000)}`]).answer(),
  };
}

describeScenarios("getLiveness", [
  { status: 200, example: "live", provoke: ({ send }) => send("/livez") },
  large("getLiveness"),
]);

describeScenarios("getReadiness", [
  { status: 200, example: "ready", provoke: ({ send }) => send("/readyz") },
  {
    status: 503,
    example: "locked",
    // Each storage has a sentence of its own.
    except: onPostgres ? ["reason"] : [],
    alone: true,
    async provoke(target) {
      const { token } = await newToken(target.installation);
      return whileLocked(target.installation, async () => {
        await post(target, { token });
        return target.send("/readyz");
      });
    },
  },
  large("getReadiness"),
]);

describeScenarios("getReportEnvelopeSchema", [
  {
    status: 200,
    example: "schema",
    except: ["additionalProperties", "description", "properties"],
    provoke: ({ send }) => send("/report-envelope.schema.json"),
  },
  large("getReportEnvelopeSchema"),
]);

describeTargets("the documents", (target) => {
  for (const path of ["/openapi.json", "/openapi.3.0.json"]) {
    test(`${path} is the committed one with the address of this server`, async () => {
      const response = await target().send(path);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("max-age=60");
      expect(await response.text()).toBe(
        committed(path.slice(1)).replaceAll('"http://127.0.0.1:3000"', `"${target().url}"`),
      );
    });

    test(`HEAD ${path} has the headers alone`, async () => {
      const response = await target().send(path, { method: "HEAD" });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(await response.text()).toBe("");
    });
  }

  test("a changed public URL is in the next answer", async () => {
    const { ctx } = target().installation;
    let tag = "";
    const first = async () => {
      const response = await target().send("/openapi.json", { headers: { "if-none-match": tag } });
      tag = response.headers.get("etag") ?? "";
      return ((await response.json()) as Document).servers[0]?.url;
    };
    await setSetting({ ctx, input: { name: "public_url", value: "https://intake.example.org" } });
    expect(await first()).toBe("https://intake.example.org");
    await setSetting({ ctx, input: { name: "public_url", value: "" } });
    expect(await first()).toBe(target().url);
  });
});

test("the ingest URL is that of reports in 3.1, and the second one of the document in 3.0, whose operations name none", async () => {
  const installation = await install();
  const server = await serve(installation.folder, ["--ingest-url", "https://in.example.org"]);
  const [latest, older] = await Promise.all(
    ["/openapi.json", "/openapi.3.0.json"].map(
      async (path) => (await (await fetch(server.url + path)).json()) as Document,
    ),
  );
  expect(latest?.paths["/api/ingest"]?.post?.servers?.[0]?.url).toBe("https://in.example.org");
  expect(latest?.paths["/api/v1/tickets"]?.post?.servers?.[0]?.url).toBe(server.url);
  expect(latest?.servers.map(({ url }) => url)).toEqual([server.url]);
  expect(older?.servers.map(({ url }) => url)).toEqual([server.url, "https://in.example.org"]);
  expect(JSON.stringify(older?.paths)).not.toContain('"servers"');
  await server.stop();
  await installation.remove();
}, 180_000);

test("the command line prints the committed documents, without a data directory", async () => {
  for (const [args, name] of [
    [[], "openapi.json"],
    [["--3.0"], "openapi.3.0.json"],
  ] as const) {
    const { code, stdout, stderr } = await run(["openapi", ...args, "--data", "/nonexistent/intake"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(committed(name));
  }
}, 180_000);
