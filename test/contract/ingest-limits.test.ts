import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { createProject } from "../../server/boards/create-project.ts";
import { setSetting } from "../../server/core/settings.ts";
import { computed } from "../support/in-time.ts";
import {
  attachment,
  boundary,
  envelope,
  eventCount,
  form,
  newSdkKey,
  received,
  shown,
  storedAttachment,
  storedEnvelope,
  submit,
} from "../support/ingest.ts";
import type { Installation } from "../support/installation.ts";
import { keptIds } from "../support/kept-files.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { until } from "../support/until.ts";

const bodyMax = 26_214_400;
const envelopeMax = 5_242_880;
const tooLarge = (reason: string, limit: number) => ({ error: "payload_too_large", reason, limit });

describeTargets("sizes of a report", (target) => {
  const newKey = async () => (await newSdkKey(target().installation)).key;
  const told = async (response: Response) => [response.status, await response.json()];

  test("25 MiB are taken and kept to the byte, with a length and without", async () => {
    const key = await newKey();
    for (const chunked of [false, true]) {
      const body = sized(bodyMax, chunked);
      const answer = await received(target(), { key, body: chunked ? streamOf(body) : body });
      const { installation } = target();
      const [stored] = (await shown(installation, answer.eventId)).attachments;
      const bytes = await storedAttachment(installation, answer.eventId, 0);
      expect(stored?.size).toBe(bytes.length);
      expect(stored?.sha256).toBe(Bun.SHA256.hash(bytes, "hex"));
      expect(body.includes(Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, 100_000))).toBe(true);
    }
  }, 180_000);

  test("one byte more is 413, with a length and without, and leaves no file", async () => {
    const key = await newKey();
    const { installation } = target();
    const before = await eventCount(installation);
    for (const chunked of [false, true]) {
      const body = sized(bodyMax + 1, chunked);
      const response = await submit(target(), { key, body: chunked ? streamOf(body) : body });
      expect(await told(response)).toMatchObject([413, tooLarge("request", bodyMax)]);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect(await eventCount(installation)).toBe(before);
    await until(() => uploadsIn(installation) === 0 || undefined);
  }, 180_000);

  test("an envelope of 5 MiB is taken, plain and gzip, and read back to the byte", async () => {
    const key = await newKey();
    const text = Buffer.from(JSON.stringify({ filler: "é".repeat(1_000_000) }).padEnd(envelopeMax - 1_000_000, " "));
    expect(text.length).toBe(envelopeMax);
    for (const [body, repeat] of [
      [text, false],
      [gzipSync(text), true],
    ] as const) {
      const answer = await received(target(), { key, parts: [envelope(body)] });
      expect(answer.idempotent).toBe(repeat);
      expect(await storedEnvelope(target().installation, answer.eventId)).toEqual(new Uint8Array(text));
      expect((await shown(target().installation, answer.eventId)).envelopeBytes).toBe(envelopeMax);
    }
  }, 180_000);

  test("an envelope of one byte more is 413, plain, gzip and nameless", async () => {
    const key = await newKey();
    const text = Buffer.from(`{}${" ".repeat(envelopeMax - 1)}`);
    for (const body of [text, gzipSync(text)]) {
      for (const name of ["envelope", "report"]) {
        const response = await submit(target(), { key, parts: [{ name, body }] });
        expect(await told(response)).toMatchObject([413, tooLarge("envelope", envelopeMax)]);
      }
    }
  }, 180_000);

  test("a bomb of gzip is refused without being unpacked, and others are answered meanwhile", async () => {
    const key = await newKey();
    const bomb = gzipBomb();
    const unpacking = computed();
    gunzipSync(bomb);
    const one = computed() - unpacking;
    const started = target().computed();
    const bombs = Array.from({ length: 8 }, () => submit(target(), { key, parts: [envelope(bomb)] }));
    expect((await submit(target(), { key })).status).toBe(200);
    for (const response of await Promise.all(bombs)) {
      expect(await told(response)).toMatchObject([413, tooLarge("envelope", envelopeMax)]);
    }
    // On any machine, unpacking all eight whole takes eight times the processor time that unpacking one took.
    expect(target().computed() - started).toBeLessThan(4 * one);
  }, 180_000);

  test("five attachments are taken, a seventh part is 413", async () => {
    const key = await newKey();
    const five = Array.from({ length: 5 }, (_, i) => attachment(`content ${i}`, i));
    const answer = await received(target(), { key, parts: [envelope({}), ...five] });
    expect((await shown(target().installation, answer.eventId)).attachments.length).toBe(5);
    for (const parts of [
      [envelope({}), ...five, attachment("more", 5)],
      [...five, attachment("more", 5), envelope({})],
    ]) {
      expect(await told(await submit(target(), { key, parts }))).toMatchObject([413, tooLarge("files", 6)]);
    }
  });
});

describeTargets(
  "a refusal on the wire",
  (target) => {
    const head = (key: string, ...more: string[]) => [
      "POST /api/ingest HTTP/1.1",
      "Host: a",
      `Authorization: Bearer ${key}`,
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      ...more,
    ];
    const piece = new Uint8Array(262_144);
    const start = form([envelope({}), attachment(new Uint8Array(10))]).subarray(0, -40);

    for (const [name, header, send] of [
      ["with a length", "Content-Length: 40000000", (request: RawRequest) => request.send(piece)],
      ["without one", "Transfer-Encoding: chunked", (request: RawRequest) => request.sendChunk(piece)],
    ] as const) {
      test(`413 reaches a client that is still sending, ${name}`, async () => {
        const { key } = await newSdkKey(target().installation);
        const request = new RawRequest(target(), head(key, header));
        if (name === "without one") await request.sendChunk(start);
        for (let sent = 0; sent < 40_000_000 && !request.over; sent += piece.length) await send(request);
        const response = await request.answer();
        expect(response.status).toBe(413);
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(await response.json()).toMatchObject(tooLarge("request", bodyMax));
        request.close();
      });
    }

    test("413 reaches a fetch that is still sending", async () => {
      const { key } = await newSdkKey(target().installation);
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(start),
        pull(controller) {
          sent += piece.length;
          if (sent > 40_000_000) controller.close();
          else controller.enqueue(piece);
        },
      });
      expect((await submit(target(), { key, body })).status).toBe(413);
    });

    test("401 reaches a client that has sent only its headers", async () => {
      const request = new RawRequest(target(), head("isk_unknown", "Content-Length: 20000000"));
      expect((await request.answer()).status).toBe(401);
      request.close();
    });

    test("an upload that is broken off leaves nothing behind", async () => {
      const { installation } = target();
      const { key } = await newSdkKey(installation);
      const before = { events: await eventCount(installation), kept: await keptIds(installation.folder) };
      const request = new RawRequest(target(), head(key, "Content-Length: 1000000"));
      await request.send(start);
      for (let i = 0; i < 3; i++) await request.send(piece);
      await until(() => uploadsIn(installation) > 0 || undefined);
      request.close();
      await until(() => uploadsIn(installation) === 0 || undefined);
      expect(await eventCount(installation)).toBe(before.events);
      expect(await keptIds(installation.folder)).toEqual(before.kept);
    });

    test("two equal lengths and one that is no number are read as what came", async () => {
      const { key } = await newSdkKey(target().installation);
      const body = form([envelope({ reportId: crypto.randomUUID() })]);
      for (const [lines, expected] of [
        [[`Content-Length: ${body.length}`, `Content-Length: ${body.length}`], 200],
        [["Content-Length: many"], 400],
        [["Content-Length: -1"], 400],
      ] as const) {
        const request = new RawRequest(target(), head(key, ...lines));
        void request.send(body);
        expect((await request.answer()).status).toBe(expected);
        request.close();
      }
    });
  },
  ["over loopback", "compiled binary"],
);

describeTargets("reports per minute", (target) => {
  test("60 by key, the next is told when to come back, and every answer tells what is left", async () => {
    const { key } = await newSdkKey(target().installation, { limit: undefined });
    const report = [envelope({ reportId: crypto.randomUUID() })];
    const began = performance.now();
    /** The window's seconds that are left at least. */
    const rest = () => 59 - (performance.now() - began) / 1_000;
    for (let left = 59; left >= 0; left--) {
      // A repeat and a refusal count like a new report.
      const response = await submit(target(), { key, parts: left % 3 === 0 ? [envelope("{")] : report });
      expect(response.status).toBe(left % 3 === 0 ? 400 : 200);
      expect(response.headers.get("ratelimit-policy")).toBe('"key";q=60;w=60');
      const [, seconds] = new RegExp(`^"key";r=${left};t=(\\d+)$`).exec(response.headers.get("ratelimit") ?? "") ?? [];
      expect(Number(seconds)).toBeWithin(rest(), 61);
    }
    for (let i = 0; i < 3; i++) {
      const refused = await submit(target(), { key });
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({ error: "rate_limit_exceeded", message: expect.any(String) });
      const retryAfter = Number(refused.headers.get("retry-after"));
      expect(retryAfter).toBeWithin(rest(), 61);
      expect(refused.headers.get("ratelimit")).toBe(`"key";r=0;t=${retryAfter}`);
      expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    }
    const other = await newSdkKey(target().installation);
    expect((await submit(target(), { key: other.key })).status).toBe(200);
  });
});

describeTargets("reports per minute and address", (target) => {
  test("200 whatever the keys: refusals by key count, uploads that find no room do not", async () => {
    const { installation } = target();
    const { ctx } = installation;
    const keys = await Promise.all(Array.from({ length: 5 }, () => newSdkKey(installation)));
    const small = await newSdkKey(installation, { limit: 2 });
    const statuses: Record<number, number> = {};
    const began = performance.now();
    const send = async (submission: Parameters<typeof submit>[1]) => {
      const response = await submit(target(), submission);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      return response;
    };
    for (let i = 0; i < 50; i++) await send({ key: keys[i % 5]?.key });
    for (let i = 0; i < 40; i++) await send({ key: "isk_unknown" });
    for (let i = 0; i < 40; i++) await send({ key: small.key });
    for (let i = 0; i < 39; i++) await send({ key: keys[i % 5]?.key, headers: { "content-type": "text/plain" } });

    const held = await holdUpload(target(), keys[0]?.key ?? "");
    await setSetting({ ctx, input: { name: "uploads_total", value: "1" } });
    const upload = { key: keys[1]?.key, parts: [envelope({}), attachment(new Uint8Array(70_000))] };
    const left = (response: Response) => response.headers.get("ratelimit")?.match(/r=(\d+)/)?.[1];
    const refused = [await send(upload), await send(upload)];
    expect(refused.map(left)).toEqual([left(refused[0] as Response), left(refused[0] as Response)]);
    for (let i = 0; i < 30; i++) await send(upload);
    expect(statuses).toEqual({ 200: 52, 401: 40, 429: 38, 415: 39, 503: 32 });
    await setSetting({ ctx, input: { name: "uploads_total", value: "" } });
    await held.end();

    for (let i = 170; i < 200; i++) expect((await submit(target(), { key: keys[2]?.key })).status).toBe(200);
    for (const key of [keys[3]?.key, "isk_unknown", small.key]) {
      const response = await submit(target(), { key });
      expect([response.status, await response.json()]).toMatchObject([429, { error: "rate_limit_exceeded" }]);
      expect(Number(response.headers.get("retry-after"))).toBeWithin(59 - (performance.now() - began) / 1_000, 61);
    }
  }, 180_000);
});

describeTargets(
  "room for uploads",
  (target) => {
    const upload = (key: string) =>
      submit(target(), { key, parts: [envelope({}), attachment(new Uint8Array(70_000))] });

    for (const [name, setting, status] of [
      ["one key", "uploads_per_key", 429],
      ["one address", "uploads_per_address", 429],
      ["all", "uploads_total", 503],
    ] as const) {
      test(`is limited for ${name}; small reports pass, and room comes back`, async () => {
        const { installation } = target();
        const { ctx } = installation;
        const [mine, other] = [await newSdkKey(installation), await newSdkKey(installation)];
        await setSetting({ ctx, input: { name: setting, value: "2" } });
        try {
          const held = [await holdUpload(target(), mine.key), await holdUpload(target(), mine.key)];
          const refused = await upload(mine.key);
          expect(refused.status).toBe(status);
          expect(refused.headers.get("retry-after")).toBe("1");
          expect(refused.headers.get("access-control-allow-origin")).toBe("*");
          expect(await refused.json()).toMatchObject({
            error: status === 429 ? "rate_limit_exceeded" : "service_unavailable",
          });
          expect((await upload(other.key)).status).toBe(setting === "uploads_per_key" ? 200 : status);
          expect((await submit(target(), { key: mine.key })).status).toBe(200);
          await held[0]?.end();
          expect((await upload(mine.key)).status).toBe(200);
          await held[1]?.end();
        } finally {
          await setSetting({ ctx, input: { name: setting, value: "" } });
        }
      });
    }

    test("a body without a length counts once it is beyond 64 KiB", async () => {
      const { installation } = target();
      const { ctx } = installation;
      const { key } = await newSdkKey(installation);
      await setSetting({ ctx, input: { name: "uploads_per_key", value: "1" } });
      try {
        const held = await holdUpload(target(), key);
        const small = form([envelope({ a: 1 }), attachment(new Uint8Array(60_000))]);
        expect((await submit(target(), { key, body: streamOf(small) })).status).toBe(200);
        const large = form([envelope({ a: 2 }), attachment(new Uint8Array(66_000))]);
        expect((await submit(target(), { key, body: streamOf(large) })).status).toBe(429);
        await held.end();
        expect((await submit(target(), { key, body: streamOf(large) })).status).toBe(200);
        await until(() => uploadsIn(installation) === 0 || undefined);
      } finally {
        await setSetting({ ctx, input: { name: "uploads_per_key", value: "" } });
      }
    });

    test("the bytes of a day are the project's, and are told until midnight", async () => {
      const { installation } = target();
      const { ctx } = installation;
      const project = await createProject({ ctx, input: { name: "Busy" } });
      const { key } = await newSdkKey(installation, { projectId: project.id });
      const elsewhere = await createProject({ ctx, input: { name: "Calm" } });
      const other = await newSdkKey(installation, { projectId: elsewhere.id });
      await setSetting({ ctx, input: { name: "daily_bytes", value: "200000" } });
      try {
        const report = (n: number, size: number) => ({
          key,
          parts: [envelope({ n }), attachment(new Uint8Array(size).fill(n))],
        });
        expect((await submit(target(), report(1, 150_000))).status).toBe(200);
        const refused = await submit(target(), report(2, 100_000));
        expect([refused.status, await refused.json()]).toMatchObject([429, { error: "rate_limit_exceeded" }]);
        const midnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1_000);
        const retryAfter = Number(refused.headers.get("retry-after"));
        expect(Math.min(Math.abs(retryAfter - midnight), 86_400 - Math.abs(retryAfter - midnight))).toBeLessThan(3);
        expect(await eventCount(installation, project.id)).toBe(1);
        await until(() => uploadsIn(installation) === 0 || undefined);
        // A repeat takes no space, and a report that fits is still accepted.
        expect(await received(target(), report(1, 150_000))).toMatchObject({ idempotent: true });
        expect((await submit(target(), report(3, 40_000))).status).toBe(200);
        expect((await submit(target(), { key: other.key })).status).toBe(200);
        await setSetting({ ctx, input: { name: "daily_bytes", value: "" } });
        expect((await submit(target(), report(2, 100_000))).status).toBe(200);
      } finally {
        await setSetting({ ctx, input: { name: "daily_bytes", value: "" } });
      }
    });
  },
  ["in process", "over loopback", "compiled binary"],
  { rateLimits: false },
);

describe("in real time", () => {
  describeTargets(
    "slow bodies",
    (target) => {
      test("a stalled body is 408 after 30 s, one that drips too, and a slow one that goes on is taken", async () => {
        const { installation } = target();
        const { key } = await newSdkKey(installation);
        const head = (...more: string[]) => [
          "POST /api/ingest HTTP/1.1",
          "Host: a",
          `Authorization: Bearer ${key}`,
          `Content-Type: multipart/form-data; boundary=${boundary}`,
          ...more,
        ];
        const body = form([envelope({}), attachment(new Uint8Array(200_000))]);
        const started = performance.now();
        const timed = async (request: RawRequest) => {
          const response = await request.answer();
          request.close();
          return { response, seconds: (performance.now() - started) / 1_000 };
        };
        const drip = async (request: RawRequest, bytes: number) => {
          for (let at = 0; at < body.length && !request.over; at += bytes) {
            await request.send(body.subarray(at, at + bytes));
            await Bun.sleep(1_000);
          }
        };
        const large = new RawRequest(target(), head(`Content-Length: ${body.length}`));
        void large.send(body.subarray(0, 100_000));
        const small = new RawRequest(target(), head("Content-Length: 1000"));
        void small.send(body.subarray(0, 100));
        const chunked = new RawRequest(target(), head("Transfer-Encoding: chunked"));
        void chunked.sendChunk(body.subarray(0, 100));
        const dripping = new RawRequest(target(), head(`Content-Length: ${body.length}`));
        void drip(dripping, 1_500);
        const steady = new RawRequest(target(), head(`Content-Length: ${body.length}`));
        void drip(steady, 6_000);

        const steadily = timed(steady);
        for (const { response, seconds } of await Promise.all([large, small, chunked, dripping].map(timed))) {
          expect([response.status, await response.json()]).toMatchObject([408, { error: "request_timeout" }]);
          expect(response.headers.get("access-control-allow-origin")).toBe("*");
          expect(response.headers.get("ratelimit")).toStartWith('"key";');
          // Bun itself ends such a connection only after 45 s.
          expect(seconds).toBeWithin(28, 44);
        }
        expect((await steadily).response.status).toBe(200);
        await until(() => uploadsIn(installation) === 0 || undefined);
        expect(await eventCount(installation)).toBe(1);
      }, 180_000);
    },
    ["compiled binary"],
  );
});

/** A body of exactly this many bytes: an envelope and one attachment. */
function sized(bytes: number, odd: boolean): Buffer {
  const parts = (content: Uint8Array) => [envelope({ reportId: crypto.randomUUID() }), attachment(content)];
  const frame = form(parts(new Uint8Array())).length;
  const content = new Uint8Array(bytes - frame);
  for (let i = 0; i < content.length; i += 4_099) content[i] = i + Number(odd);
  return form(parts(content));
}

/** 128 MiB of zeros in an eighth of a megabyte, packed once for all targets. */
function gzipBomb(): Uint8Array {
  packed ??= gzipSync(new Uint8Array(128 * 1_024 * 1_024), { level: 6 });
  return packed;
}
let packed: Uint8Array | undefined;

function streamOf(body: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      // `Uint8Array.from` takes a hundred times as long.
      controller.enqueue(new Uint8Array(body.subarray(at, at + 100_000)));
      at += 100_000;
      if (at >= body.length) controller.close();
    },
  });
}

/** An upload that stays open until the test ends it, and that the server has counted. */
async function holdUpload(to: Target, key: string): Promise<{ end(): Promise<void> }> {
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(form([envelope({}), attachment(new Uint8Array(70_000))]));
      end = () => controller.close();
    },
  });
  const before = uploadsIn(to.installation);
  const answer = submit(to, { key, body });
  // A part beyond 64 KiB is written to a file.
  await until(() => uploadsIn(to.installation) > before || undefined);
  return {
    async end() {
      end();
      expect((await answer).status).toBe(200);
    },
  };
}

function uploadsIn({ folder }: Installation): number {
  return readdirSync(`${folder}/uploads`).length;
}
