import { type ApiError, IntakeError, LimitError } from "../core/errors.ts";
import { reasonOf } from "../core/redact.ts";
import { backoffMs, type CallOptions, isTransient, logTo, retryAfterMaxMs } from "../core/send-with-retries.ts";
import { type Closing, withTimeout } from "../core/with-timeout.ts";
import { requestBytesMax } from "../generated/contract.ts";
import type { Receipt } from "../types.ts";
import { attachmentsMax } from "./attachment.ts";
import { createDelivery, keepaliveBytes } from "./delivery.ts";
import { DroppedError, type DropReason, type Drops } from "./dropped-error.ts";
import { type Draft, pack } from "./pack.ts";
import type { QueueOptions } from "./queue-options.ts";
import type { QueueStore, RecordName } from "./queue-store.ts";
import { createTally, type Tally } from "./tally.ts";
import { setUnrefTimeout } from "./unref-timer.ts";

/** What `drop` needs of a report. */
interface Dropped {
  reportId: string;
  /** Counts of dropped reports that this report's envelope carries to the server. */
  _drops: Drops;
}

/** A report in the queue. */
export interface Waiting extends RecordName, Dropped {
  /** Resolves when the report is packed and, if there is a store, stored. Undefined for a report that was found in the store. */
  _packed?: Promise<void>;
  /** Its bytes; undefined until the report is packed or, if it was found in the store, read. */
  _form?: Uint8Array | undefined;
  /** Name of its record, once the store has it. */
  name?: string;
  /** The try that is under way; resolves to false when the report has to be tried again later. */
  _sending?: Promise<boolean> | undefined;
}

/** What a queue offers to the store that is connected with it. */
interface OpenQueue {
  options: QueueOptions;
  timeoutMs: number;
  maxReports: number;
  _tally: Tally;
  /** The waiting reports, which an argument replaces. */
  _waiting(next?: Waiting[]): Waiting[];
  /** Removes a report from the queue and from the store; false when it was removed before. */
  _take(one: Waiting): Promise<boolean>;
  _giveUp(one: Waiting, reason: DropReason): Promise<void>;
}

/** A store that is connected with a queue. No function of it rejects. */
interface Persistence {
  /** Resolves when the queue has the reports of the store. */
  _opened: Promise<void>;
  /** Stores a packed report. */
  _save(one: Waiting, form: Uint8Array): Promise<void>;
  /** Reads the bytes of a report that the store has. */
  _load(one: Waiting): Promise<void>;
  /** Removes a record. */
  _forget(name: string): Promise<void>;
  /** Sends all reports, unless another tab or process is sending: then resolves to the milliseconds after which to look again. */
  _round(sendAll: () => Promise<void>): Promise<number | undefined>;
}

/** Connects a store with a queue. */
export type Persist = (store: QueueStore, queue: OpenQueue) => Persistence;

/**
 * Sends reports with one SDK key: those of `submit` at once, and those of `add` one after another, the oldest first, until each is delivered
 * or dropped. No function but `submit` throws or rejects.
 */
export function reportQueue(baseUrl: string, key: string, options: QueueOptions) {
  const { timeoutMs = 30_000 } = options;
  const { maxReports = 200, maxBytes = 20_000_000, maxAgeMs = 43_200_000 } = options.queue ?? {};
  const closing: Closing & AbortController = new AbortController();
  const delivery = createDelivery(baseUrl, key, options, closing);
  const tally = createTally();
  const { stats } = tally;
  let waiting: Waiting[] = [];
  let failures = 0;
  let running = false;
  let again = false;
  /** `Retry-After` of the last failed try, in milliseconds; 0 when it had none. */
  let retryAfterMs = 0;
  let cancelTimer = () => {};

  const take = async (one: Waiting) => {
    const there = waiting.includes(one);
    waiting = waiting.filter((other) => other !== one);
    if (there && one.name) await persistence?._forget(one.name);
    return there;
  };

  const drop = (reason: DropReason, { reportId, _drops: drops }: Dropped, error?: unknown) => {
    tally.dropped(reason, drops);
    void logTo(options.logger, "warn", "report dropped", { reportId, reason, error: error && reasonOf(error) });
  };

  const giveUp = async (one: Waiting, reason: DropReason, error?: unknown) => {
    if (await take(one)) drop(reason, one, error);
  };

  /** Whether the queue has more than `maxBytes`. A report that waits alone may be larger than that. */
  const isFull = () => waiting.length > 1 && waiting.reduce((bytes, { size }) => bytes + size, 0) > maxBytes;

  const keep = async (one: Waiting, draft: Draft) => {
    try {
      const form = await withTimeout(timeoutMs, undefined, () => pack(draft, one._drops, options), closing);
      one.size = form.length;
      if (isFull()) return giveUp(one, "queue_full");
      one._form = form;
      await persistence?._save(one, form);
    } catch (error) {
      await giveUp(one, reasonFor(error, "before_send_threw"), error);
    }
  };

  /** Sends a report. False when it has to be tried again later. */
  const send = async (one: Waiting, form: Uint8Array) => {
    try {
      const receipt = await delivery.send(form, { maxRetries: 0 });
      if (await take(one)) tally.sent(receipt.idempotent);
    } catch (error) {
      one._sending = undefined;
      // A redirect mostly comes from a network that wants its user to sign in, so it is retried as well.
      retryAfterMs = Math.min((error as ApiError).retryAfterMs ?? 0, retryAfterMaxMs);
      if (closing.error || isTransient(error as IntakeError) || (error as ApiError).status < 400) return false;
      await giveUp(one, "refused", error);
    }
    return true;
  };

  const sendAll = async () => {
    while (waiting[0] && !closing.error) {
      const one = waiting[0];
      await one._packed;
      if (Date.now() - one.at > maxAgeMs) await giveUp(one, "too_old");
      else await persistence?._load(one);
      if (!one._form || !waiting.includes(one)) continue;
      const heldMs = delivery._heldMs();
      if (heldMs) return runLater(heldMs);
      one._sending ??= send(one, one._form);
      if (!(await one._sending)) return runLater(delivery._heldMs() || retryAfterMs || backoffMs(failures++, 60_000));
      failures = 0;
    }
  };

  /** Sends all reports, one round at a time. A call while a round is under way leads to one more round. */
  const run = async () => {
    cancelTimer();
    again = true;
    if (running) return;
    running = true;
    while (again && !closing.error) {
      again = false;
      const contestedMs = await (persistence ? persistence._round(sendAll) : sendAll());
      if (contestedMs && waiting[0]) runLater(contestedMs);
    }
    running = false;
  };

  const runLater = (ms: number) => {
    cancelTimer();
    again = false;
    if (!closing.error) cancelTimer = setUnrefTimeout(ms, run);
  };

  if (options.store && !options.store.persist) throw new IntakeError("store: wrap it in persistent().");
  const persistence = options.store?.persist(options.store, {
    options,
    timeoutMs,
    maxReports,
    _tally: tally,
    _waiting(next = waiting) {
      waiting = next;
      return waiting;
    },
    _take: take,
    _giveUp: giveUp,
  });
  void persistence?._opened.then(run);

  return {
    /** Adds a report to the queue, or drops it when the queue is full. */
    add(draft: Draft) {
      // The sizes that are known now count at once, so that many reports packed at the same time do not exceed the limit.
      const size = draft.attachments
        .slice(0, attachmentsMax)
        .reduce((sum, { size = 0 }) => sum + (size > requestBytesMax ? 0 : size), 0);
      const one: Waiting = { reportId: draft.reportId, at: draft.at, size, _drops: tally.captured() };
      waiting.push(one);
      if (waiting.length > maxReports || isFull()) {
        waiting.pop();
        return drop("queue_full", one);
      }
      one._packed = keep(one, draft);
      // After a failure the timer starts the next round, not a new report.
      if (!failures) void run();
    },

    /** Sends a report at once, beside the queue. Throws what the caller is told. */
    async submit(draft: Draft, callOptions: CallOptions): Promise<Receipt> {
      const drops = tally.captured();
      try {
        if (draft.attachments.length > attachmentsMax)
          throw new LimitError(`A report takes ${attachmentsMax} attachments.`);
        const form = await withTimeout(
          callOptions.timeoutMs ?? timeoutMs,
          callOptions.signal,
          () => pack(draft, drops, options),
          closing,
        );
        const receipt = await delivery.send(form, callOptions);
        tally.sent(receipt.idempotent);
        return receipt;
      } catch (error) {
        drop(reasonFor(error, "refused"), { ...draft, _drops: drops }, error);
        throw error;
      }
    },

    /** Sends what waits now, without waiting for the backoff of earlier failures; a 429 is still waited for. True when all was delivered within `ms`. */
    async flush(ms: number): Promise<boolean> {
      const dropped = JSON.stringify(stats.dropped);
      const emptied = async () => {
        await persistence?._opened;
        failures = 0;
        void run();
        await tally._idle();
      };
      await withTimeout(ms, undefined, emptied).catch(() => {});
      return !stats.queued && dropped === JSON.stringify(stats.dropped);
    },

    /** Starts all requests at once, for reports that are small enough for `keepalive`: the page is being left. */
    sendNow() {
      for (const one of delivery._heldMs() ? [] : waiting) {
        if (one._form && one.size <= keepaliveBytes) one._sending ??= send(one, one._form);
      }
    },

    /** Aborts everything that is under way, and drops the reports that are not in a store. */
    async close() {
      closing.error ??= new DroppedError("closed", "Client closed: use a new one, with the same reportId.");
      closing.abort();
      cancelTimer();
      await Promise.all(waiting.map((one) => one.name || giveUp(one, "closed")));
    },

    stats,
  };
}

/** The reason for dropping a report, derived from the error that packing or sending has thrown. */
function reasonFor(error: unknown, otherwise: DropReason): DropReason {
  if (error instanceof DroppedError) return error.reason;
  const reasons: Record<string, DropReason> = { LimitError: "too_large", IntakeError: "unserialisable" };
  return reasons[(error as Error).name] ?? otherwise;
}
