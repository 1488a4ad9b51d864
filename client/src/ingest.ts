import { requireBaseUrl } from "./core/base-url.ts";
import { requireCredential } from "./core/credential.ts";
import { LimitError } from "./core/errors.ts";
import { toJson } from "./core/json.ts";
import { reasonOf } from "./core/redact.ts";
import type { CallOptions, TransportOptions } from "./core/send.ts";
import { uuid } from "./core/uuid.ts";
import { within } from "./core/within.ts";
import { type Attachments, asItIs, attachmentsMax } from "./reports/attachment.ts";
import { Delivery } from "./reports/delivery.ts";
import { DroppedError } from "./reports/drops.ts";
import { type Draft, pack } from "./reports/pack.ts";
import { type QueueOptions, reasonFor, reportQueue } from "./reports/report-queue.ts";
import { type Stats, Tally } from "./reports/tally.ts";
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
export { DroppedError, type DropReason, type Drops } from "./reports/drops.ts";
export type { Gzip } from "./reports/form.ts";
export type { PackOptions } from "./reports/pack.ts";
export type { QueueLimits, QueueOptions } from "./reports/report-queue.ts";
export type { QueueStore } from "./reports/store.ts";
export type { Stats } from "./reports/tally.ts";
export type { App, AttachmentKind, Receipt, Report, ReportError } from "./types.ts";

/** Where reports go, by which app, and how. */
export interface IngestOptions extends TransportOptions, QueueOptions {
  /** Where Intake takes reports, for example `https://intake.example.org`; a path in front of `/api` may stand in it. */
  ingestUrl: string;
  /** An SDK key (`isk_…`). It can do nothing but send reports, and may stand in an app. */
  key: string;
  /** In Workers: `ctx.waitUntil`, given a promise that ends when captured reports are sent. */
  waitUntil?: ((done: Promise<unknown>) => void) | undefined;
  /** In pages: send what waits when the page is hidden or left. Adds listeners to the document. */
  flushOnHide?: boolean | undefined;
}

/** What goes along with a report. */
export interface CaptureOptions {
  /** Up to five; `capture` leaves further ones out and names them in the envelope. */
  attachments?: Attachments | undefined;
}

/** How one report is submitted. */
export interface SubmitOptions extends CaptureOptions, CallOptions {}

const flushMs = 10_000;

/**
 * Sends reports with an SDK key, each with up to five attachments, and each stored once however often it is sent.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl: "https://intake.example.org", key: "isk_…", app: { version: "4.2.0" } });
 * reports.capture({ type: "crash", title: error.message });
 * ```
 */
export class IngestClient {
  readonly #options: Omit<IngestOptions, "ingestUrl" | "key">;
  readonly #tally = new Tally();
  readonly #delivery: Delivery;
  readonly #queue: ReturnType<typeof reportQueue>;
  /** By how long they may take. */
  readonly #flushing = new Map<number, Promise<boolean>>();
  readonly #listening = new AbortController();
  #closed = false;

  /** Throws {@link IntakeError} for an address that is none and for an API token instead of a key. */
  constructor(given: IngestOptions) {
    const { ingestUrl, key, ...options } = given ?? {};
    this.#options = options;
    const delivery = new Delivery(requireBaseUrl("ingestUrl", ingestUrl), requireCredential("isk", key), options);
    this.#delivery = delivery;
    this.#queue = reportQueue(delivery, this.#tally, options);
    if (options.flushOnHide) this.#listen();
  }

  /**
   * Sends a report and waits for the answer. It is copied at the call, packed once, and tried again with the same bytes.
   * Envelope up to 5 MiB, everything up to 25 MiB; attachments that do not fit are left out (see `onTooLarge`).
   *
   * Rejects with an {@link IntakeError}: {@link LimitError} and {@link DroppedError} before anything is sent, an `ApiError`
   * with `code` for what the server refused, `ConnectionError`, `TimeoutError`, `AbortError`.
   */
  async submit(report: Report, given?: SubmitOptions): Promise<Receipt> {
    const options = given ?? {};
    const draft = this.#draft(report, options);
    const told = this.#tally.captured();
    try {
      if (draft.attachments.length > attachmentsMax)
        throw new LimitError(`A report takes ${attachmentsMax} attachments.`);
      const ms = options.timeoutMs ?? this.#options.timeoutMs ?? 30_000;
      const form = await within(ms, options.signal, () => pack(draft, told, this.#options));
      const receipt = await this.#delivery.send(form, options);
      this.#tally.sent(receipt.idempotent);
      return receipt;
    } catch (error) {
      this.#queue.drop(reasonFor(error, "refused"), draft, told, error);
      throw error;
    }
  }

  /**
   * Takes a report to be sent when it can be; never throws. It is copied and, with a store, kept before it is sent.
   * What becomes of it is told by {@link stats}, by the logger, and in a later envelope (`clientReport`).
   *
   * @returns its `reportId`.
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
   * Sends what waits, now. True when all of it is delivered; false when `ms` are over first or something was dropped.
   * Never rejects. Calls at the same time with one `ms` share a promise.
   */
  flush(ms = flushMs): Promise<boolean> {
    const flushing = this.#flushing.get(ms) ?? this.#flush(ms).finally(() => this.#flushing.delete(ms));
    this.#flushing.set(ms, flushing);
    return flushing;
  }

  /** Flushes, then refuses. What a store keeps is sent by the next client; what is in memory alone is dropped. */
  async close(ms = flushMs): Promise<boolean> {
    const delivered = await this.flush(ms);
    this.#closed = true;
    this.#listening.abort();
    await this.#queue.close();
    return delivered;
  }

  /** What became of the reports so far: `captured` is `sent + queued + ` the sum of `dropped`, at every moment. */
  stats(): Stats {
    const { stats } = this.#tally;
    return { ...stats, dropped: { ...stats.dropped } };
  }

  /** A copy that has its id. Never throws: what is wrong with it is told when it is packed. */
  #draft(report: Report, options?: CaptureOptions): Draft {
    const draft: Draft = { reportId: uuid(), at: Date.now(), attachments: [] };
    try {
      draft.attachments = [...(options?.attachments ?? [])].filter((one) => one != null).map(asItIs);
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
    const { stats } = this.#tally;
    const dropped = JSON.stringify(stats.dropped);
    await within(ms, undefined, () => this.#queue.emptied()).catch(() => {});
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
