import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { setSetting } from "../../server/core/settings.ts";
import { changeKey } from "../../server/credentials/change-key.ts";
import { attachment, boundary, envelope, form, newSdkKey, type PartInput, submit } from "../support/ingest.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";
import { until } from "../support/until.ts";

/** A valid report, in which a row of the table spoils one thing. */
interface Draft {
  path: string;
  method: string;
  credential: boolean;
  spent: boolean;
  paused: boolean;
  /** All places for uploads are taken. */
  busy: boolean;
  /** The declared length, in place of the true one. */
  declared: number | undefined;
  headers: Record<string, string>;
  /** Sent before `more`, which makes the report large. */
  parts: PartInput[];
  more: PartInput[];
  body: Uint8Array | undefined;
}

interface Row {
  name: string;
  spoil(draft: Draft): void;
  status: number;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
}

const detail = (code: string) => ({ error: "invalid_input", details: [{ path: "", code }] });
const large = attachment(new Uint8Array(70_000));

/**
 * The order of answers of `POST /api/ingest` after the limit of the address: the first row that applies is the answer.
 */
const rows: Row[] = [
  {
    name: "unknown path",
    spoil: (draft) => {
      draft.path = "/api/ingest/";
    },
    status: 404,
    body: { error: "not_found" },
  },
  {
    name: "wrong method",
    spoil: (draft) => {
      draft.method = "PUT";
    },
    status: 405,
    body: { error: "method_not_allowed" },
    headers: { allow: "OPTIONS, POST" },
  },
  {
    name: "key",
    spoil: (draft) => {
      draft.credential = false;
    },
    status: 401,
    body: { error: "invalid_sdk_key" },
    headers: { "www-authenticate": "Bearer" },
  },
  {
    name: "key paused",
    spoil: (draft) => {
      draft.paused = true;
    },
    status: 429,
    body: { error: "rate_limit_exceeded" },
    headers: { "retry-after": "3600" },
  },
  {
    name: "key limit",
    spoil: (draft) => {
      draft.spent = true;
    },
    status: 429,
    body: { error: "rate_limit_exceeded" },
  },
  {
    name: "uploads at once",
    spoil: (draft) => {
      draft.busy = true;
    },
    status: 503,
    body: { error: "service_unavailable" },
    headers: { "retry-after": "1" },
  },
  {
    name: "declared size",
    spoil: (draft) => {
      draft.declared = 26_214_401;
    },
    status: 413,
    body: { error: "payload_too_large", reason: "request", limit: 26_214_400 },
  },
  {
    name: "compressed request",
    spoil: (draft) => {
      draft.headers["content-encoding"] = "gzip";
    },
    status: 415,
    body: { error: "unsupported_media_type" },
    headers: { "accept-encoding": "identity" },
  },
  {
    name: "content type",
    spoil: (draft) => {
      draft.headers["content-type"] = "application/json";
    },
    status: 415,
    body: { error: "unsupported_media_type" },
    headers: { accept: "multipart/form-data" },
  },
  {
    name: "no boundary",
    spoil: (draft) => {
      draft.headers["content-type"] ??= "multipart/form-data";
    },
    status: 400,
    body: detail("multipart_malformed"),
  },
  {
    name: "two envelopes",
    spoil: (draft) => {
      draft.parts.push(envelope({}));
    },
    status: 400,
    body: detail("multipart_malformed"),
  },
  {
    name: "seven parts",
    spoil: (draft) => {
      for (let i = 1; i < 6; i++) draft.more.push(attachment("x", i));
    },
    status: 413,
    body: { error: "payload_too_large", reason: "files", limit: 6 },
  },
  {
    name: "cut short",
    spoil: (draft) => {
      draft.body = form([...draft.parts, large, ...draft.more]).subarray(0, -6);
    },
    status: 400,
    body: detail("multipart_malformed"),
  },
  {
    name: "envelope",
    spoil: (draft) => {
      Object.assign(draft.parts[0] ?? {}, { body: "{" });
    },
    status: 400,
    body: detail("envelope_not_json"),
  },
];

/** Two rows that exclude each other. */
const apart = new Set(["unknown path, wrong method", "content type, no boundary"]);

describeTargets(
  "order of answers to a report",
  (target) => {
    async function answer(spoilers: Row[]): Promise<Response> {
      const { installation } = target();
      const { ctx } = installation;
      const draft: Draft = {
        path: "/api/ingest",
        method: "POST",
        credential: true,
        spent: false,
        paused: false,
        busy: false,
        declared: undefined,
        headers: {},
        parts: [envelope({ reportId: crypto.randomUUID() })],
        more: [],
        body: undefined,
      };
      // A change that cuts the whole body short is applied last.
      for (const row of spoilers.toSorted((a, b) => Number(a.name === "cut short") - Number(b.name === "cut short")))
        row.spoil(draft);
      const { id, key } = await newSdkKey(installation, draft.spent ? { limit: 1 } : {});
      if (draft.spent) expect((await submit(target(), { key })).status).toBe(200);
      if (draft.paused) await changeKey({ ctx, input: { id, change: "pause" } });
      const held = draft.busy ? await hold(target()) : undefined;
      try {
        return await sendDraft(target(), { ...draft, key: draft.credential ? key : "isk_unknown" });
      } finally {
        await held?.end();
      }
    }

    async function expectRow(response: Response, row: Row) {
      expect(response.status).toBe(row.status);
      const body = (await response.json()) as Record<string, unknown>;
      if (row.status === 401) expect(body).toEqual(row.body);
      else expect(body).toMatchObject({ ...row.body, message: expect.any(String) });
      for (const [name, value] of Object.entries(row.headers ?? {})) expect(response.headers.get(name)).toBe(value);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      if (row.name === "unknown path") return;
      expectCors(response);
      if (row.status === 401 || row.status === 405) expect(response.headers.has("ratelimit")).toBe(false);
      else expectLimit(response);
    }

    test("nothing spoiled is 200", async () => {
      const response = await answer([]);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        status: "received",
        eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        deliveryCount: 0,
        idempotent: false,
      });
      expectCors(response);
      expectLimit(response);
    });

    for (const row of rows) test(row.name, async () => expectRow(await answer([row]), row));

    for (const [i, first] of rows.entries()) {
      for (const second of rows.slice(i + 1)) {
        if (apart.has(`${first.name}, ${second.name}`)) continue;
        test(`${first.name} goes before ${second.name}`, async () => expectRow(await answer([first, second]), first));
      }
    }
  },
  ["in process", "over loopback", "compiled binary"],
);

describeTargets("once an address has spent its minute", (target) => {
  test("everything but a preflight, another method and another path is 429, whatever else is wrong", async () => {
    const { installation } = target();
    const { key } = await newSdkKey(installation);
    const paused = await newSdkKey(installation);
    await changeKey({ ctx: installation.ctx, input: { id: paused.id, change: "pause" } });
    await Promise.all(
      Array.from({ length: 200 }, () => submit(target(), { key: "isk_unknown", body: new Uint8Array() })),
    );
    for (const submission of [
      { key },
      { key: "isk_unknown" },
      { key: paused.key },
      { key, headers: { "content-type": "text/plain" } },
      { key, body: new Uint8Array(70_000) },
      { key, parts: [envelope("{")] },
    ]) {
      const response = await submit(target(), submission);
      expect([response.status, await response.json()]).toMatchObject([429, { error: "rate_limit_exceeded" }]);
      expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 61);
      // The key is not looked up.
      expect(response.headers.has("ratelimit")).toBe(false);
      expectCors(response);
    }
    expect((await target().send("/api/ingest", { method: "OPTIONS" })).status).toBe(204);
    expect((await target().send("/api/ingest", { method: "DELETE" })).status).toBe(405);
    expect((await target().send("/api/ingest/", { method: "POST" })).status).toBe(404);
    const { token } = await newToken(installation);
    expect((await post(target(), { token })).status).toBe(201);
  });
});

describeTargets("keys and origins", (target) => {
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
    test(`${method} is 405 with Allow and CORS`, async () => {
      const response = await target().send("/api/ingest", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
      expectCors(response);
    });
  }

  test("missing, malformed, unknown and revoked keys and an API token look alike to the byte", async () => {
    const { ctx } = target().installation;
    const revoked = await newSdkKey(target().installation);
    await changeKey({ ctx, input: { id: revoked.id, change: "revoke" } });
    const { key } = await newSdkKey(target().installation);
    const { token } = await newToken(target().installation);
    const seen = new Set<string>();
    for (const header of [
      undefined,
      "",
      "Bearer",
      `Bearer ${revoked.key}`,
      "Bearer isk_0000000000000000000000000000000000",
      `Bearer ${token}`,
      `Bearer itk_${key.slice(4)}`,
      `Bearer ${key}x`,
      `Bearer ${key} x`,
      `Bearer ${key}, Bearer ${key}`,
      `Basic ${btoa(`${key}:`)}`,
      key,
      `Bearer ${"a".repeat(257)}`,
    ]) {
      // The body would be refused too, but the key is checked first.
      const headers: Record<string, string> = { "content-type": "text/plain" };
      if (header !== undefined) headers["authorization"] = header;
      const response = await submit(target(), { headers });
      const told = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      seen.add(JSON.stringify([response.status, told.sort(), await response.text()]));
      expectCors(response);
    }
    const [only, ...others] = [...seen].map((text) => JSON.parse(text) as [number, [string, string][], string]);
    expect(others).toEqual([]);
    expect(only?.[0]).toBe(401);
    expect(only?.[2]).toBe('{"error":"invalid_sdk_key"}');
    expect(only?.[1]).toContainEqual(["www-authenticate", "Bearer"]);
  });

  test("the scheme may be in any case, with several blanks", async () => {
    const { key } = await newSdkKey(target().installation);
    for (const scheme of ["bearer ", "BEARER ", "BeArEr    "]) {
      expect((await submit(target(), { headers: { authorization: scheme + key } })).status).toBe(200);
    }
  });

  test("an SDK key makes no tickets", async () => {
    const { key } = await newSdkKey(target().installation);
    const response = await post(target(), { token: key });
    expect([response.status, await response.text()]).toEqual([401, '{"error":"invalid_api_token"}']);
  });

  test("a cookie and a key in the query are no credential", async () => {
    const { key } = await newSdkKey(target().installation);
    expect((await submit(target(), { headers: { cookie: `key=${key}` } })).status).toBe(401);
    const body = form([envelope({})]) as unknown as Uint8Array<ArrayBuffer>;
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
    expect((await target().send(`/api/ingest?key=${key}`, { method: "POST", headers, body })).status).toBe(401);
  });

  test("a key with origins takes them, and what has none, and nothing else", async () => {
    const { key } = await newSdkKey(target().installation, {
      origins: ["https://shop.example.org", "http://localhost:5173"],
    });
    const from = async (origin: string | undefined) => {
      const response = await submit(target(), { key, headers: origin === undefined ? {} : { origin } });
      expectCors(response);
      return response.status;
    };
    expect(await from(undefined)).toBe(200);
    expect(await from("https://shop.example.org")).toBe(200);
    expect(await from("http://localhost:5173")).toBe(200);
    for (const origin of [
      "https://evil.example",
      "http://shop.example.org",
      "https://shop.example.org:8443",
      "https://shop.example.org.evil.example",
      "http://localhost:5174",
      "null",
      "",
    ]) {
      expect([origin, await from(origin)]).toEqual([origin, 401]);
    }
  });

  test("a preflight is always allowed, needs no key and gets the headers that it asks for", async () => {
    const response = await target().send("/api/ingest", {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-app-trace",
      },
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expectCors(response);
    expect(response.headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect(response.headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-app-trace");
    expect(response.headers.get("access-control-max-age")).toBe("7200");
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
  });
});

function expectCors({ headers }: Response) {
  expect(headers.get("access-control-allow-origin")).toBe("*");
  const exposed = (headers.get("access-control-expose-headers") ?? "").split(", ");
  expect(exposed).toEqual(["Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"]);
}

function expectLimit({ headers }: Response) {
  expect(headers.get("ratelimit-policy")).toMatch(/^"key";q=\d+;w=60$/);
  expect(headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
}

/** Over a raw socket, because no client declares another length than it sends. */
async function sendDraft(to: Target, draft: Draft & { key: string }): Promise<Response> {
  const body = draft.body ?? form([...draft.parts, large, ...draft.more]);
  const headers: Record<string, string> = {
    authorization: `Bearer ${draft.key}`,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(draft.declared ?? body.length),
    ...draft.headers,
  };
  const { path, method } = draft;
  if (to.way === "in process") return to.send(path, { method, headers, body: body as Uint8Array<ArrayBuffer> });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const request = new RawRequest(to, [`${method} ${path} HTTP/1.1`, "Host: a", ...lines]);
  void request.send(body);
  const response = await request.answer();
  request.close();
  return response;
}

interface Held {
  end(): Promise<void>;
}

/** An upload that stays open, on a server that allows one. */
async function hold(to: Target): Promise<Held> {
  const { installation } = to;
  const { key } = await newSdkKey(installation);
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(form([envelope({}), large]));
      end = () => controller.close();
    },
  });
  const answer = submit(to, { key, body });
  // A part beyond 64 KiB is written to a file.
  await until(() => readdirSync(`${installation.folder}/uploads`).length > 0 || undefined);
  const { ctx } = installation;
  await setSetting({ ctx, input: { name: "uploads_total", value: "1" } });
  return {
    async end() {
      await setSetting({ ctx, input: { name: "uploads_total", value: "" } });
      end();
      expect((await answer).status).toBe(200);
    },
  };
}
