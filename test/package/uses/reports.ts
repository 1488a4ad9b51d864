import {
  type Attachments,
  DroppedError,
  type DropReason,
  type FileLike,
  IngestClient,
  type IngestOptions,
  isApiError,
  LimitError,
  type QueueStore,
  type Receipt,
  type Report,
  type ReportError,
  type Stats,
} from "@intake/client";
import { breadcrumbs } from "@intake/client/breadcrumbs";
import { captureErrors, flushOnHide } from "@intake/client/browser";
import { attachmentFromPath, captureErrors as captureProcessErrors, fileStore, gzip } from "@intake/client/node";
import { indexedDbStore } from "@intake/client/queue";
import { reactNative } from "@intake/client/react-native";
import type { components, operations, paths } from "@intake/client/schema";
import { scrub } from "@intake/client/scrub";
import { asyncStorageStore, type PersistentStore, persistent } from "@intake/client/stores";
import { dummyKey, type RecordedReport, recordingFetch } from "@intake/client/testing";

const records = new Map<string, Uint8Array>();

/** A store for waiting reports that an app has written. */
const ownStore: QueueStore = {
  names: async () => [...records.keys()],
  read: async (name) => records.get(name),
  write: async (name, bytes) => void records.set(name, bytes),
  remove: async (name) => void records.delete(name),
};
export const memoryStore: PersistentStore = persistent(ownStore);

export const options: IngestOptions[] = [
  { ingestUrl: "https://intake.example.org", key: "isk_" },
  {
    ingestUrl: "https://intake.example.org",
    key: "isk_",
    app: { name: "shop", version: "4.2.0", environment: "production" },
    beforeSend: (report) => (report.level === "debug" ? null : { ...report, tags: { shop: "north" } }),
    native: reactNative,
    headers: { "cf-access-client-id": "id" },
    sampleRate: 0.5,
    repeats: { seconds: 60 },
    breadcrumbs: breadcrumbs({ max: 20, console: true, fetch: true }),
    onTooLarge: "error",
    gzip,
    store: fileStore("reports"),
    queue: { maxReports: 200, maxBytes: 20_000_000, maxAgeMs: 43_200_000 },
    waitUntil: (done: Promise<unknown>) => void done,
    timeoutMs: 30_000,
    deadlineMs: 120_000,
    maxRetries: 2,
    maxRetryAfterMs: 60_000,
  },
  {
    ingestUrl: "https://intake.example.org",
    key: "isk_",
    app: undefined,
    beforeSend: async (report) => report,
    store: indexedDbStore("shop"),
    queue: { maxReports: undefined },
    fetch: undefined,
  },
];

const report: Report = {
  type: "crash",
  level: "fatal",
  title: "TypeError: total is undefined",
  user: { id: "7" },
  contexts: { cart: { items: 3 } },
  breadcrumbs: [],
  exception: { values: [] },
  anything: "else",
};

const attachments: Attachments = [
  { filename: "screen.png", data: new Uint8Array(3), contentType: "image/png", kind: "screenshot" },
  { filename: "notes.txt", data: "text" },
  { filename: "raw.bin", data: new ArrayBuffer(3) },
  { uri: "file:///a.jpg", name: "a.jpg", type: "image/jpeg" },
  attachmentFromPath("import.log", { kind: "log" }),
];

const texts = new Map<string, string>();
export const textStore: PersistentStore = asyncStorageStore({
  getAllKeys: async () => [...texts.keys()],
  getItem: async (key) => texts.get(key) ?? null,
  setItem: async (key, value) => void texts.set(key, value),
  removeItem: async (key) => void texts.delete(key),
});

export function captureAll(reports: IngestClient): (() => void)[] {
  return [
    captureErrors(reports, { unhandledRejections: true, ignore: (error) => error === null }),
    flushOnHide(reports),
    captureProcessErrors(reports, { flushMs: 1_000, exit: false }),
  ];
}

export async function tested(): Promise<RecordedReport | undefined> {
  const fetch = recordingFetch();
  const reports = new IngestClient({
    ingestUrl: "https://intake.example.org",
    key: dummyKey,
    fetch,
    beforeSend: scrub,
  });
  reports.capture(new Error("no"), { waitUntil: (done) => void done });
  await reports[Symbol.asyncDispose]();
  return fetch.reports[0];
}

/** The files of an input of a page, in whatever number. */
export const fileList = (
  files: ArrayLike<{ name: string; size: number; type: string; arrayBuffer(): Promise<ArrayBuffer> }>,
): Attachments => files;

/** An error in place of a report, one in a report, and a caught value of unknown type. */
export async function errors(reports: IngestClient, error: TypeError, caught: unknown): Promise<string[]> {
  await reports.submit(error, { timeoutMs: 5_000 });
  return [reports.capture(error), reports.capture({ exception: caught, contexts: { last: { error } } })];
}

export async function report5(reports: IngestClient): Promise<string> {
  const receipt: Receipt = await reports.submit(report, { attachments, timeoutMs: 5_000 });
  const reportId: string = reports.capture(report, { attachments });
  const delivered: boolean = (await reports.flush(2_000)) && (await reports.close());
  const { captured, sent, duplicates, queued, dropped }: Stats = reports.stats();
  const first: [string, number][] = Object.entries(dropped);
  return [receipt.eventId, receipt.idempotent, reportId, delivered, captured, sent, duplicates, queued, first].join();
}

/** Every code has its case; a code of a newer server reaches `default`. */
export function advice(error: unknown): DropReason | string {
  if (error instanceof DroppedError) return error.reason;
  if (error instanceof LimitError) return error.message;
  if (!isApiError<ReportError>(error)) return "";
  switch (error.code) {
    case "payload_too_large":
      error.status satisfies 413;
      return `${error.reason} above ${error.limit}`;
    case "invalid_input":
    case "unsupported_media_type":
    case "invalid_sdk_key":
    case "request_timeout":
    case "rate_limit_exceeded":
    case "internal_error":
    case "service_unavailable":
      return error.message;
    default:
      error satisfies never;
      return "a newer server's";
  }
}

export type Body = paths["/api/v1/tickets"]["post"]["requestBody"]["content"]["application/json"];
export type Answer = operations["submitReport"]["responses"][200]["content"]["application/json"];
export const reference: components["schemas"]["AttachmentReference"] = { part: "attachment_0" };
export const client = (given: IngestOptions) => new IngestClient(given);

/** A type of the page where the DOM's types are loaded, and what stands for it elsewhere. */
type OfPage<Name extends string, Otherwise> =
  typeof globalThis extends Record<Name, { prototype: infer Type }> ? Type : Otherwise;

export const inputFiles = (files: OfPage<"FileList", ArrayLike<FileLike>>): Attachments => files;
export const chosenFiles = (files: OfPage<"File", FileLike>[]): Attachments => files;
