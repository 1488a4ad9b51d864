import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { FetchInit } from "./core/web-types.ts";
import { DroppedError, IngestClient, type IngestOptions, IntakeError } from "./ingest.ts";
import { dummyKey, dummyToken, recordingFetch } from "./testing.ts";
import { TicketsClient } from "./tickets.ts";

function client(options: Partial<IngestOptions> = {}) {
  const fetch = recordingFetch();
  return { fetch, reports: new IngestClient({ ingestUrl: "http://127.0.0.1:9", key: dummyKey, fetch, ...options }) };
}

/** A function that throws the same error, at one place, each time. */
const fail = (message: string) => new Error(message);

describe("sampleRate", () => {
  test("leaves out its share of what is captured, and nothing of what is submitted", async () => {
    for (const [sampleRate, sampled] of [
      [0, 20],
      [1, 0],
    ] as const) {
      const { reports, fetch } = client({ sampleRate });
      for (let count = 0; count < 20; count++) reports.capture({ title: `${count}` });
      await reports.submit({ title: "feedback" });
      await reports.flush();
      expect(reports.stats().dropped.sampled ?? 0).toBe(sampled);
      expect(fetch.reports).toHaveLength(21 - sampled);
    }
    const { reports } = client({ sampleRate: 0.5, queue: { maxReports: 1_000 } });
    for (let count = 0; count < 400; count++) reports.capture({});
    await reports.flush();
    // 400 throws of a coin: fewer than 130 or more than 270 once in 10^11 runs.
    expect(reports.stats().dropped.sampled).toBeWithin(130, 270);
  });
});

describe("repeats", () => {
  test("sends one of equal errors, counts the others, and tells the server of them", async () => {
    const { reports, fetch } = client({ repeats: {} });
    // At one place: some engines name the caller as the innermost frame.
    for (const message of [...Array(5).fill("again"), "another"]) reports.capture(fail(message));
    reports.capture({ title: "no error" });
    reports.capture({ title: "no error" });
    expect(await reports.flush()).toBe(false);
    expect(fetch.reports.map(({ envelope }) => envelope["title"])).toEqual([
      "Error: again",
      "Error: another",
      "no error",
      "no error",
    ]);
    expect(reports.stats()).toMatchObject({ captured: 8, sent: 4, dropped: { repeated: 4 } });
    await reports.submit({ title: "tells" });
    expect(fetch.reports.at(-1)?.envelope["clientReport"]).toEqual({ dropped: { repeated: 4 } });
  });

  test("knows errors by name, message and innermost frame, for so many seconds", async () => {
    const { reports, fetch } = client({ repeats: { seconds: 0.02 } });
    const elsewhere = new Error("again");
    reports.capture(fail("again"));
    reports.capture(elsewhere);
    reports.capture(Object.assign(fail("again"), { name: "OtherError" }));
    await reports.flush();
    expect(fetch.reports).toHaveLength(3);
    const began = performance.now();
    while (performance.now() - began < 21);
    reports.capture(elsewhere);
    await reports.flush();
    expect(fetch.reports).toHaveLength(4);
  });

  test("are all sent unless it is asked for", async () => {
    const { reports, fetch } = client();
    for (let count = 0; count < 3; count++) reports.capture(fail("again"));
    expect(await reports.flush()).toBe(true);
    expect(fetch.reports).toHaveLength(3);
  });
});

describe("headers", () => {
  test("go along with every request, and replace none of the client's, in whatever case", async () => {
    const sent: FetchInit[] = [];
    const own = recordingFetch();
    const fetch = (url: string, init: FetchInit) => {
      sent.push(init);
      return own(url, init);
    };
    const headers = { "CF-Access-Client-Id": "7", AUTHORIZATION: "Basic x", "Content-Type": "x", "X-Intake-Sdk": "x" };
    await client({ fetch, headers }).reports.submit({ title: "x" });
    const options = { baseUrl: "http://127.0.0.1:9", token: dummyToken, fetch };
    await new TicketsClient({ ...options, headers: { ...headers, "Idempotency-Key": "x" } }).create({ title: "x" });
    for (const { headers } of sent) {
      expect(headers["cf-access-client-id"]).toBe("7");
      expect(headers["authorization"]).toMatch(/^Bearer i[st]k_/);
      expect(headers["x-intake-sdk"]).toMatch(/^@intake/);
      expect(Object.keys(headers).filter((name) => name !== name.toLowerCase())).toEqual([]);
      expect(JSON.stringify(headers)).not.toMatch(/Basic|":"x"/);
    }
    expect(sent).toHaveLength(2);
  });
});

describe("waitUntil", () => {
  test("of a capture is asked instead of that of the client", async () => {
    const asked: Promise<unknown>[] = [];
    const usual: Promise<unknown>[] = [];
    const { reports, fetch } = client({ waitUntil: (done) => usual.push(done) });
    reports.capture({}, { waitUntil: (done) => asked.push(done) });
    expect([asked.length, usual.length]).toEqual([1, 0]);
    await asked[0];
    expect(fetch.reports).toHaveLength(1);
    reports.capture({});
    expect(usual).toHaveLength(1);
  });
});

describe("the end of a client", () => {
  test("comes with its block", async () => {
    const { reports, fetch } = client();
    {
      await using disposed = reports;
      disposed.capture({ title: "last" });
    }
    expect(fetch.reports).toHaveLength(1);
    expect(await reports.submit({}).catch((error) => error.reason)).toBe("closed");
  });

  test("aborts the request that is under way", async () => {
    const signals: FetchInit["signal"][] = [];
    const { reports } = client({
      fetch: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    reports.capture({ title: "stalls" });
    expect(await reports.close(20)).toBe(false);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(reports.stats()).toEqual({ captured: 1, sent: 0, duplicates: 0, queued: 0, dropped: { closed: 1 } });
  });
});

test("without TextEncoder the error says what to load, and no hook is blamed", async () => {
  const { TextEncoder } = globalThis;
  const { reports } = client({ beforeSend: (report) => report });
  Object.assign(globalThis, { TextEncoder: undefined });
  try {
    const error = await reports.submit({ title: "x" }).catch((error) => error);
    reports.capture({ title: "x" });
    await reports.flush();
    expect(error).toBeInstanceOf(IntakeError);
    expect(error).not.toBeInstanceOf(DroppedError);
    expect(error.message).toContain("polyfill");
    expect(reports.stats().dropped).toEqual({ unserialisable: 2 });
  } finally {
    Object.assign(globalThis, { TextEncoder });
  }
});

test("a trail goes along, unless the report has breadcrumbs of its own", async () => {
  const { reports, fetch } = client({ breadcrumbs: { entries: () => [{ message: "tap" }] } });
  await reports.submit({ title: "x" });
  await reports.submit({ title: "x", breadcrumbs: [] });
  expect(fetch.reports.map(({ envelope }) => envelope["breadcrumbs"])).toEqual([[{ message: "tap" }], []]);
});

test("the files of an input are attachments, five of them", async () => {
  const { reports, fetch } = client();
  const files = Array.from({ length: 6 }, (_, index) => new File([`${index}`], `${index}.txt`));
  // As a FileList: an object with positions and a length.
  reports.capture({ title: "x" }, { attachments: { ...files, length: 6 } });
  reports.capture({ title: "y" }, { attachments: files });
  await reports.flush();
  expect(fetch.reports.map(({ attachments }) => attachments.map(({ filename }) => filename))).toEqual(
    Array(2).fill(["0.txt", "1.txt", "2.txt", "3.txt", "4.txt"]),
  );
});

test("an error in captured, hostile objects never makes capture throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.anything(), async (exception, cause) => {
      const { reports } = client({ repeats: {} });
      reports.capture({ exception, contexts: { cause: [new Error("x", { cause })] } });
      await reports.flush(1_000);
      const { captured, sent, dropped } = reports.stats();
      expect([captured, sent + (dropped.unserialisable ?? 0)]).toEqual([1, 1]);
    }),
    { numRuns: 100 },
  );
});
