import { requireBaseUrl } from "./core/base-url.ts";
import { requireCredential } from "./core/credential.ts";
import { LimitError } from "./core/errors.ts";
import { toJson } from "./core/json.ts";
import { reasonOf } from "./core/redact.ts";
import type { CallOptions, TransportOptions } from "./core/send-with-retries.ts";
import { uuid } from "./core/uuid.ts";
import { withTimeout } from "./core/with-timeout.ts";
import { type Attachments, attachmentsMax, copyAttachment } from "./reports/attachment.ts";
import { DroppedError } from "./reports/dropped-error.ts";
import { type Draft, pack } from "./reports/pack.ts";
import { type QueueOptions, reasonFor, reportQueue } from "./reports/report-queue.ts";
import { ReportSender } from "./reports/report-sender.ts";
import { type Stats, StatsCounter } from "./reports/stats-counter.ts";
import type { Receipt, Report } from "./types.ts";

export * from "./core/exports.ts";
export type {
  Attachment,
  AttachmentData,
  AttachmentInput,
  Attachments,
  DroppedAttachment,
  FileLike,
  FileReference,
} from "./reports/attachment.ts";
export { DroppedError, type DropReason, type Drops } from "./reports/dropped-error.ts";
export type { Gzip } from "./reports/multipart-form.ts";
export type { PackOptions } from "./reports/pack.ts";
export type { QueueStore } from "./reports/queue-store.ts";
export type { QueueLimits, QueueOptions } from "./reports/report-queue.ts";
export type { Stats } from "./reports/stats-counter.ts";
export type { App, AttachmentKind, Receipt, Report, ReportError } from "./types.ts";

/** Options of an {@link IngestClient}. */
export interface IngestOptions extends TransportOptions, QueueOptions {
  /** URL of Intake, for example `https://intake.example.org`, with the path in front of `/api` where there is one. */
  ingestUrl: string;
  /** An SDK key (`isk_…`). It allows nothing but sending reports, so it may be part of an app. */
  key: string;
  /** In Workers: `ctx.waitUntil`. Called with a promise that resolves when the captured reports are sent. */
  waitUntil?: ((done: Promise<unknown>) => void) | undefined;
  /** In pages: send waiting reports when the page is hidden or left. Adds listeners to the document. */
  flushOnHide?: boolean | undefined;
}

/** Options of {@link IngestClient.capture}. */
export interface CaptureOptions {
  /** At most five. `capture` leaves further ones out and lists them in the envelope's `dropped`. */
  attachments?: Attachments | undefined;
}

/** Options of {@link IngestClient.submit}. */
export interface SubmitOptions extends CaptureOptions, CallOptions {}

/** Default time limit of `flush` and `close`. */
const flushMs = 10_000;

/**
 * Sends reports with an SDK key, each with up to five attachments. A report that is sent again is stored only once.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl: "https://intake.example.org", key: "isk_…", app: { version: "4.2.0" } });
 * reports.capture({ type: "crash", title: error.message });
 * ```
 */
export class IngestClient {
  readonly #options: Omit<IngestOptions, "ingestUrl" | "key">;
  readonly #counter = new StatsCounter();
  readonly #sender: ReportSender;
  readonly #queue: ReturnType<typeof reportQueue>;
  /** Flushes under way, by their time limit in milliseconds. */
  readonly #flushing = new Map<number, Promise<boolean>>();
  readonly #listening = new AbortController();
  #closed = false;

  /** Throws {@link IntakeError} when `ingestUrl` is no http URL or `key` is no SDK key. */
  constructor(given: IngestOptions) {
    const { ingestUrl, key, ...options } = given ?? {};
    this.#options = options;
    const sender = new ReportSender(requireBaseUrl("ingestUrl", ingestUrl), requireCredential("isk", key), options);
    this.#sender = sender;
    this.#queue = reportQueue(sender, this.#counter, options);
    if (options.flushOnHide) this.#listen();
  }

  /**
   * Sends a report and waits for the answer. The report is copied at the call, packed once, and every try sends the same
   * bytes. Limits: envelope 5 MiB, whole request 25 MiB; attachments that do not fit are left out (see `onTooLarge`).
   *
   * Rejects with an {@link IntakeError}: {@link LimitError} and {@link DroppedError} before anything is sent, an `ApiError`
   * with `code` when the server refuses the report, `ConnectionError`, `TimeoutError`, `AbortError`.
   */
  async submit(report: Report, given?: SubmitOptions): Promise<Receipt> {
    const options = given ?? {};
    const draft = this.#draft(report, options);
    const carriedDrops = this.#counter.captured();
    try {
      if (draft.attachments.length > attachmentsMax)
        throw new LimitError(`A report takes ${attachmentsMax} attachments.`);
      const ms = options.timeoutMs ?? this.#options.timeoutMs ?? 30_000;
      const form = await withTimeout(ms, options.signal, () => pack(draft, carriedDrops, this.#options));
      const receipt = await this.#sender.send(form, options);
      this.#counter.sent(receipt.idempotent);
      return receipt;
    } catch (error) {
      this.#queue.drop(reasonFor(error, "refused"), { ...draft, drops: carriedDrops }, error);
      throw error;
    }
  }

  /**
   * Queues a copy of a report, to be sent as soon as possible; with a store the copy is stored first. Never throws: a
   * report that is dropped is counted in {@link stats}, logged, and counted in a later envelope (`clientReport`).
   *
   * @returns the `reportId`.
   */
  capture(report: Report, options?: CaptureOptions): string {
    const draft = this.#draft(report, options);
    this.#queue.add(draft);
    try {
      this.#options.waitUntil?.(this.flush());
    } catch {}
    return draft.reportId;
  }

  /**
   * Sends the waiting reports now. Resolves to true when all of them are delivered, to false when `ms` milliseconds pass
   * first or a report was dropped. Never rejects. Simultaneous calls with the same `ms` share a promise.
   */
  flush(ms = flushMs): Promise<boolean> {
    const flushing = this.#flushing.get(ms) ?? this.#flush(ms).finally(() => this.#flushing.delete(ms));
    this.#flushing.set(ms, flushing);
    return flushing;
  }

  /**
   * Flushes and then drops every further report. Reports in a store are sent by the next client that uses the store;
   * reports that are only in memory are dropped.
   */
  async close(ms = flushMs): Promise<boolean> {
    const delivered = await this.flush(ms);
    this.#closed = true;
    this.#listening.abort();
    await this.#queue.close();
    return delivered;
  }

  /** Counts of the reports so far. At every moment `captured` equals `sent` + `queued` + the sum of `dropped`. */
  stats(): Stats {
    const { stats } = this.#counter;
    return { ...stats, dropped: { ...stats.dropped } };
  }

  /** Copies a report and gives it an id. Never throws: `pack` throws the `error` of a report that could not be copied. */
  #draft(report: Report, options?: CaptureOptions): Draft {
    const draft: Draft = { reportId: uuid(), at: Date.now(), attachments: [] };
    try {
      draft.attachments = [...(options?.attachments ?? [])].filter((one) => one != null).map(copyAttachment);
      const copy = JSON.parse(toJson(report));
      draft.report = copy;
      if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(copy.reportId))
        draft.reportId = copy.reportId.toLowerCase();
    } catch (error) {
      draft.error = new DroppedError("unserialisable", reasonOf(error));
    }
    if (this.#closed) draft.error = new DroppedError("closed", "The client is closed.");
    return draft;
  }

  async #flush(ms: number): Promise<boolean> {
    const { stats } = this.#counter;
    const dropped = JSON.stringify(stats.dropped);
    await withTimeout(ms, undefined, () => this.#queue.emptied()).catch(() => {});
    return !stats.queued && dropped === JSON.stringify(stats.dropped);
  }

  #listen() {
    const { document } = globalThis as { document?: EventTarget & { visibilityState: string } };
    const { signal } = this.#listening;
    const now = () => this.#queue.sendNow();
    document?.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && now(), { signal });
    if (document) addEventListener("pagehide", now, { signal });
  }
}
