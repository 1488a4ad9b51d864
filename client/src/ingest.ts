import { requireBaseUrl } from "./core/base-url.ts";
import { requireCredential } from "./core/credential.ts";
import { reasonOf } from "./core/redact.ts";
import type { CallOptions, TransportOptions } from "./core/send-with-retries.ts";
import { uuid, uuidPattern } from "./core/uuid.ts";
import { type Attachments, copyAttachment } from "./reports/attachment.ts";
import { copyReport } from "./reports/copy-report.ts";
import { DroppedError } from "./reports/dropped-error.ts";
import type { Draft } from "./reports/pack.ts";
import type { QueueOptions } from "./reports/queue-options.ts";
import { createRepeatGuard, type Repeats } from "./reports/repeat-guard.ts";
import { reportQueue } from "./reports/report-queue.ts";
import type { Stats } from "./reports/tally.ts";
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
export type { Exception } from "./reports/exception.ts";
export type { Gzip, NativeForms } from "./reports/multipart-form.ts";
export type { PackOptions } from "./reports/pack.ts";
export type { PersistentStore } from "./reports/persistence.ts";
export type { QueueLimits, QueueOptions } from "./reports/queue-options.ts";
export type { QueueStore } from "./reports/queue-store.ts";
export type { Repeats } from "./reports/repeat-guard.ts";
export type { Stats } from "./reports/tally.ts";
export type { App, AttachmentKind, Receipt, Report, ReportError } from "./types.ts";

/** Options of an {@link IngestClient}. */
export interface IngestOptions extends TransportOptions, QueueOptions {
  /** URL of Intake, for example `https://intake.example.org`, with the path in front of `/api` where there is one. */
  ingestUrl: string;
  /** An SDK key (`isk_…`). It allows nothing but sending reports, so it may be part of an app. */
  key: string;
  /** In Workers: `ctx.waitUntil`. Called with a promise that resolves when the captured reports are sent. */
  waitUntil?: WaitUntil | undefined;
  /** Share of captured reports that is sent, from 0 to 1. Others are dropped (`sampled`). Default: 1. */
  sampleRate?: number | undefined;
  /** Of equal errors that are captured within some time only the first is sent; others are dropped (`repeated`). Default: all are sent. */
  repeats?: Repeats | undefined;
  /** What happened before each report: `breadcrumbs()` of `@intake/client/breadcrumbs`. */
  breadcrumbs?: Trail | undefined;
}

/** What goes along with a report. */
export interface ReportOptions {
  /** At most five. `capture` leaves further ones out and lists them in the envelope's `dropped`. */
  attachments?: Attachments | undefined;
}

/** Given a promise, keeps a Worker running until the promise is settled. */
export type WaitUntil = (done: Promise<unknown>) => void;

/** Records what happens in the app. */
export interface Trail {
  /** The entries so far, the oldest first, as JSON values that nobody changes. */
  entries(): readonly unknown[];
}

/** Options of {@link IngestClient.capture}. */
export interface CaptureOptions extends ReportOptions {
  /** `ctx.waitUntil` of the request in which the report is captured, where one client serves many. */
  waitUntil?: WaitUntil | undefined;
}

/** Options of {@link IngestClient.submit}. */
export interface SubmitOptions extends ReportOptions, CallOptions {}

declare global {
  // Older compilers and libraries do not declare it.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/**
 * Sends reports with an SDK key, each with up to five attachments. A report that is sent again is stored only once.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl: "https://intake.example.org", key: "isk_…", app: { version: "4.2.0" } });
 * reports.capture(new TypeError("total is undefined"));
 * ```
 */
export class IngestClient {
  readonly #options: IngestOptions;
  readonly #queue: ReturnType<typeof reportQueue>;
  /** Flushes under way, by their time limit in milliseconds. */
  readonly #flushing: Record<number, Promise<boolean>> = {};
  readonly #isRepeated: ((report: Report) => boolean) | undefined;

  /** Throws {@link IntakeError} when `ingestUrl` is no http URL or `key` is no SDK key. */
  constructor(given: IngestOptions) {
    const options = { ...given };
    this.#options = options;
    this.#isRepeated = options.repeats && createRepeatGuard(options.repeats);
    this.#queue = reportQueue(
      requireBaseUrl("ingestUrl", options.ingestUrl),
      requireCredential("isk", options.key),
      options,
    );
  }

  /**
   * Sends a report, or an error as one, and waits for the answer. The report is copied at the call, packed once, and every try sends the same
   * bytes. Limits: envelope 5 MiB, whole request 25 MiB; attachments that do not fit are left out (see `onTooLarge`).
   *
   * Rejects with an {@link IntakeError}: {@link LimitError} and {@link DroppedError} before anything is sent, an `ApiError`
   * with `code` when the server refuses the report, `ConnectionError`, `TimeoutError`, `AbortError`.
   */
  async submit(report: Report | Error, options?: SubmitOptions): Promise<Receipt> {
    return this.#queue.submit(this.#draft(report, options), options ?? {});
  }

  /**
   * Queues a copy of a report, to be sent as soon as possible; with a store the copy is stored first. Never throws: a
   * report that is dropped is counted in {@link stats}, logged, and counted in a later envelope (`clientReport`).
   *
   * An error is a report of `type` and `level` `"error"`, with a title made of its name and message. To add to it, or for a
   * caught value of unknown type, use the member `exception`:
   *
   * ```ts
   * reports.capture(error);
   * reports.capture({ exception: error, level: "fatal", tags: { page: "cart" } });
   * ```
   *
   * @returns the `reportId`.
   */
  capture(report: Report | Error, options?: CaptureOptions): string {
    const draft = this.#draft(report, options);
    if (Math.random() >= (this.#options.sampleRate ?? 1)) draft.error = new DroppedError("sampled");
    else if (draft.report && this.#isRepeated?.(draft.report)) draft.error = new DroppedError("repeated");
    this.#queue.add(draft);
    try {
      (options?.waitUntil ?? this.#options.waitUntil)?.(this.flush());
    } catch {}
    return draft.reportId;
  }

  /**
   * Sends the waiting reports now. Resolves to true when all of them are delivered, to false when `ms` milliseconds pass
   * first or a report was dropped. Never rejects. Simultaneous calls with the same `ms` share a promise.
   */
  flush(ms = 10_000): Promise<boolean> {
    this.#flushing[ms] ??= this.#queue.flush(ms).finally(() => delete this.#flushing[ms]);
    return this.#flushing[ms];
  }

  /**
   * Flushes, aborts requests that are still under way, and drops every further report. Reports in a store are sent by the next client that uses the store;
   * reports that are only in memory are dropped.
   */
  async close(ms?: number): Promise<boolean> {
    const delivered = await this.flush(ms);
    await this.#queue.close();
    return delivered;
  }

  /** {@link close} at the end of a block: `await using reports = new IngestClient(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Starts the requests of all waiting reports at once, as far as they may outlive the page: for the moment at which a page
   * is left. `flushOnHide` of `@intake/client/browser` calls it.
   */
  sendNow() {
    this.#queue.sendNow();
  }

  /** Counts of the reports so far. At every moment `captured` equals `sent` + `queued` + the sum of `dropped`. */
  stats(): Stats {
    return JSON.parse(JSON.stringify(this.#queue.stats));
  }

  /** Copies a report and gives it an id. Never throws: `pack` throws the `error` of a report that could not be copied. */
  #draft(report: Report | Error, options?: CaptureOptions): Draft {
    const draft: Draft = { reportId: uuid(), at: Date.now(), attachments: [] };
    try {
      draft.attachments = Array.from(options?.attachments ?? [])
        .filter((one) => one != null)
        .map(copyAttachment);
      draft.report = {
        ...(this.#options.breadcrumbs && { breadcrumbs: [...this.#options.breadcrumbs.entries()] }),
        ...copyReport(report),
      };
      const { reportId } = draft.report as { reportId: string };
      if (uuidPattern.test(reportId)) draft.reportId = reportId.toLowerCase();
    } catch (error) {
      draft.error = new DroppedError("unserialisable", reasonOf(error));
    }
    return draft;
  }
}
