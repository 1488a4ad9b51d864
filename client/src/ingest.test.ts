import { expect, test } from "bun:test";
import { newCredential } from "../../server/core/credential.ts";
import type { FetchInit } from "./core/web-types.ts";
import { DroppedError, IngestClient, type IngestOptions, IntakeError, isIntakeError } from "./ingest.ts";
import { TicketsClient } from "./tickets.ts";

const received = { status: "received", eventId: crypto.randomUUID(), deliveryCount: 0, idempotent: false };

function client(options: Partial<IngestOptions> = {}) {
  const sent: FetchInit[] = [];
  const fetch = async (_: string, init: FetchInit) => {
    sent.push(init);
    return Response.json(received);
  };
  return {
    sent,
    reports: new IngestClient({ ingestUrl: "http://127.0.0.1:9", key: newCredential("isk_"), fetch, ...options }),
  };
}

const throwing = {
  get attachments(): never {
    throw new Error("no");
  },
};

test("capture never throws, whatever its options are", async () => {
  const { reports } = client();
  for (const options of [null, 5, "text", throwing, new Proxy({}, { get: () => Symbol("x") })]) {
    expect(reports.capture({ title: "x" }, options as never)).toHaveLength(36);
  }
  await reports.flush();
  const { captured, sent, dropped } = reports.stats();
  expect([captured, sent + (dropped.unserialisable ?? 0)]).toEqual([5, 5]);
});

test("a buffer that is gone costs its report nothing but the attachment", async () => {
  const { reports, sent } = client();
  const data = new Uint8Array(3);
  data.buffer.transfer(0);
  await reports.submit({ title: "x" }, { attachments: [{ filename: "a", data: data.buffer }] });
  expect(sent.length).toBe(1);
});

test("a report is an object, from the caller as from beforeSend", async () => {
  for (const said of [[1, 2], true, undefined, "text"]) {
    const { reports } = client({ beforeSend: () => said as never });
    const error = await reports.submit({ title: "x" }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DroppedError);
    expect(error.reason).toBe("before_send_threw");
  }
});

test("nothing but an IntakeError is thrown for wrong use", async () => {
  const wrong = [
    () => new TicketsClient(undefined as never),
    () => new IngestClient(null as never),
    () => client({ key: Symbol("x") as never }).reports,
    () => client({ store: { names: async () => [] } as never }).reports,
    () => client({ app: { version: 1n as never } }).reports.submit({}),
    () =>
      client()
        .reports.submit({}, null as never)
        .then(() => Promise.reject(new IntakeError("fine"))),
    () =>
      new TicketsClient({ baseUrl: "http://127.0.0.1:9", token: newCredential("itk_") }).create(
        1n as never,
        null as never,
      ),
  ];
  for (const use of wrong) {
    const error = await (async () => use())().then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(isIntakeError(error)).toBe(true);
  }
  expect(() => client({ ingestUrl: new URL("http://127.0.0.1:9") as never })).not.toThrow();
});

test("a gzip that gives something else is done without", async () => {
  const { reports, sent } = client({ gzip: () => new ArrayBuffer(3) as never });
  await reports.submit({ title: "x".repeat(2_000) });
  expect(new TextDecoder().decode(sent[0]?.body as ArrayBuffer)).toContain("application/json");
});

test("of an answer without an end little is read", async () => {
  let given = 0;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        given += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
  const { reports } = client({ fetch: async () => new Response(endless()), maxRetries: 0 });
  expect(await reports.submit({}).catch((error) => error.name)).toBe("ConnectionError");
  expect(given).toBeLessThan(1_000_000);
});

test("a logger that rejects is nobody's trouble", async () => {
  const rejecting = async () => {
    throw new Error("no");
  };
  const logger = { debug: rejecting, info: rejecting, warn: rejecting, error: rejecting };
  const { reports } = client({ logger, beforeSend: () => null });
  reports.capture({});
  expect(await reports.flush()).toBe(false);
});

test("one report may be larger than the queue, as long as it waits alone", async () => {
  const { reports, sent } = client({ queue: { maxBytes: 1_000 } });
  reports.capture({}, { attachments: [{ filename: "a", data: new Uint8Array(5_000) }] });
  expect(await reports.flush()).toBe(true);
  expect(sent.length).toBe(1);
});

test("a bound for what the server asks is none for our own waits", async () => {
  let tries = 0;
  const fetch = async () => (++tries < 2 ? new Response(null, { status: 503 }) : Response.json(received));
  const { reports } = client({ fetch, maxRetryAfterMs: 0 });
  await reports.submit({});
  expect(tries).toBe(2);
});

test("an attachment that cannot even be looked at is left out", async () => {
  const { reports, sent } = client();
  const file = {
    name: "a",
    type: "",
    get size(): number {
      throw new Error("no");
    },
    arrayBuffer: () => Promise.reject(new Error("no")),
  };
  reports.capture({ title: "x" }, { attachments: [file] });
  expect(await reports.flush()).toBe(true);
  expect(new TextDecoder().decode(sent[0]?.body as ArrayBuffer)).toContain("unreadable");
});

test("whatever can be read like a blob or a stream is an attachment", async () => {
  const { reports, sent } = client();
  const bytes = new TextEncoder().encode("read as it is");
  const blob = { size: bytes.length, type: "text/plain", arrayBuffer: async () => bytes.slice().buffer };
  const pieces = [bytes.subarray(0, 4), bytes.subarray(4)];
  const stream = {
    getReader: () => ({
      read: async () => ({ done: pieces.length === 0, value: pieces.shift() }),
      cancel: async () => {},
    }),
  };
  const attachments = [
    { filename: "a", data: blob },
    { ...blob, name: "b" },
    { filename: "c", data: stream },
  ] as const;
  await reports.submit({}, { attachments });
  const text = new TextDecoder().decode(sent[0]?.body as ArrayBuffer);
  expect(text.split("read as it is").length).toBe(4);
});
