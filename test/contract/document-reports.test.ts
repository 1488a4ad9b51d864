import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { operationOf } from "../support/documented.ts";
import { attachment, boundary, envelope, newSdkKey, type Submission, submit } from "../support/ingest.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeScenarios } from "../support/scenario.ts";
import { whileLocked, withoutTable } from "../support/storage.ts";
import { describeTargets, type Target } from "../support/targets.ts";

/** Sends with an SDK key of its own. */
async function send(target: Target, submission: Submission = {}): Promise<Response> {
  const { key } = await newSdkKey(target.installation);
  return submit(target, { key, ...submission });
}

/** Declares a body of this length and sends none of it. */
async function declare(target: Target, bytes: number): Promise<Response> {
  const { key } = await newSdkKey(target.installation);
  const request = new RawRequest(target, [
    "POST /api/ingest HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${key}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${bytes}`,
  ]);
  return request.answer().finally(() => request.close());
}

const refused = (status: number, example: string, submission: Submission) => ({
  status,
  example,
  provoke: (target: Target) => send(target, submission),
});

const cut = gzipSync("{}").subarray(0, 12);

describeScenarios("submitReport", [
  { status: 200, example: "received", except: ["eventId"], provoke: (target) => send(target) },
  {
    status: 200,
    example: "repeated",
    except: ["eventId"],
    async provoke(target) {
      const parts = [envelope({ reportId: crypto.randomUUID() })];
      await send(target, { parts });
      return send(target, { parts });
    },
  },
  {
    status: 200,
    example: "withWarnings",
    except: ["eventId"],
    provoke: (target) => send(target, { parts: [envelope({ level: "very bad" })] }),
  },
  refused(400, "multipart_malformed", { parts: [envelope(), envelope()] }),
  refused(400, "envelope_missing", { parts: [attachment("PNG")] }),
  refused(400, "envelope_gzip_corrupt", { parts: [envelope(cut)] }),
  refused(400, "envelope_not_json", { parts: [envelope("{")] }),
  refused(400, "envelope_not_object", { parts: [envelope("[]")] }),
  { status: 401, example: "invalid_sdk_key", provoke: (target) => submit(target, { key: "isk_wrong" }) },
  { status: 408, example: "request_timeout", provoke: (target) => declare(target, 1_000) },
  { status: 413, example: "request", provoke: (target) => declare(target, 26_214_401) },
  refused(413, "envelope", { parts: [envelope(JSON.stringify("a".repeat(5_242_879)))] }),
  refused(413, "files", { parts: [envelope(), ...Array.from({ length: 6 }, (_, i) => attachment("a", i))] }),
  refused(415, "other_type", { headers: { "content-type": "application/json" } }),
  refused(415, "packed_request", { headers: { "content-encoding": "gzip" } }),
  {
    status: 429,
    example: "rate_limit_exceeded",
    async provoke(target) {
      const { key } = await newSdkKey(target.installation, { limit: 1 });
      await submit(target, { key });
      return submit(target, { key });
    },
  },
  {
    status: 500,
    example: "internal_error",
    alone: true,
    async provoke(target) {
      const { key } = await newSdkKey(target.installation);
      return withoutTable(target.installation, "setting", () => submit(target, { key }));
    },
  },
  {
    status: 503,
    example: "service_unavailable",
    alone: true,
    async provoke(target) {
      const { key } = await newSdkKey(target.installation);
      return whileLocked(target.installation, () => submit(target, { key }));
    },
  },
]);

describeTargets(
  "submitReport: examples of requests",
  (target) => {
    const { requestBody } = operationOf("submitReport").operation;
    for (const [name, { value }] of Object.entries(requestBody?.content["multipart/form-data"]?.examples ?? {})) {
      test(name, async () => {
        const { key } = await newSdkKey(target().installation);
        const form = new FormData();
        for (const [part, text] of Object.entries(value as object)) form.append(part, new File([text], `${part}.bin`));
        const response = await target().send("/api/ingest", {
          method: "POST",
          headers: { authorization: `Bearer ${key}` },
          body: form,
        });
        expect(response.status).toBe(200);
        expect(Object.keys((await response.json()) as object)).not.toContain("warnings");
      });
    }
  },
  ["over loopback", "compiled binary"],
);
