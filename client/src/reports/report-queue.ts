import { type ApiError, type IntakeError, LimitError } from "../core/errors.ts";
import { reasonOf } from "../core/redact.ts";
import { backoffMs, isTransient, type Logger, logTo, retryAfterMaxMs } from "../core/send-with-retries.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { reportLimits } from "../generated/contract.ts";
import { type Attachment, attachmentsMax, sizeOf } from "./attachment.ts";
import { DroppedError, type DropReason, type Drops } from "./dropped-error.ts";
import { requestOf } from "./multipart-form.ts";
import { type Draft, type PackOptions, pack } from "./pack.ts";
import { type QueueStore, type RecordName, readRecordName, recordName } from "./queue-store.ts";
import { keepaliveBytes, type ReportSender } from "./report-sender.ts";
import type { StatsCounter } from "./stats-counter.ts";
import { setUnrefTimeout } from "./unref-timer.ts";

/** Limits of the queue. */
export interface QueueLimits {
  /** How many reports may wait; a further one is dropped (`queue_full`). Default: 200. */
  maxReports?: number | undefined;
  /** How many bytes all waiting reports may have, as they are sent. Default: 20,000,000. */
  maxBytes?: number | undefined;
  /** How long a report may wait, in milliseconds. Default: 43,200,000 (12 h), for which the server certainly recognises repeats. */
  maxAgeMs?: number | undefined;
}

/** Options for the contents of reports and for the queue in which they wait. */
export interface QueueOptions extends PackOptions {
  /** Keeps waiting reports when the page or process ends: `indexedDbStore()`, `fileStore()`. Default: memory only. */
  store?: QueueStore | undefined;
  /** Limits of the queue. */
  queue?: QueueLimits | undefined;
  /** Time limit of packing a report, and of one try to send it, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Logs dropped reports, failures of the store, and retries. */
  logger?: Logger | undefined;
}

/** What `drop` needs of a report. */
interface Dropped {
  reportId: string;
  /** Counts of dropped reports that this report's envelope carries to the server. */
  drops: Drops;
}

/** A report in the queue. */
interface Waiting extends RecordName, Dropped {
  /** Resolves when the report is packed and, if there is a store, stored. Undefined for a report that was found in the store. */
  packed?: Promise<void>;
  /** Its bytes; undefined until the report is packed or, if it was found in the store, read. */
  form?: Uint8Array | undefined;
  /** Name of its record, once the store has it. */
  name?: string;
  /** The try that is under way. */
  sending?: Promise<boolean> | undefined;
}

/** The longest wait between two tries of a report. */
const backoffMaxMs = 60_000;
/** How often a tab or process that does not send checks whether the sending one has finished. */
const contestMs = 1_000;

/**
 * Packs, stores and sends reports one after another, the oldest first, until each is delivered or dropped. No function of
 * the queue throws or rejects.
 */
export function reportQueue(sender: ReportSender, counter: StatsCounter, options: QueueOptions) {
  const { store, logger, timeoutMs = 30_000, queue } = options;
  const { maxReports = 200, maxBytes = 20_000_000, maxAgeMs = 43_200_000 } = queue ?? {};
  let waiting: Waiting[] = [];
  /** Names of records that are delivered or dropped; the store may still contain them. */
  const done = new Set<string>();
  let captured = 0;
  let failures = 0;
  let running = false;
  let again = false;
  let closed = false;
  /** `Retry-After` of the last failed try, in milliseconds; 0 when it had none. */
  let retryAfterMs = 0;
  /** Whether another tab or process was sending from the store in the last round. */
  let contested = false;
  let cancelTimer = () => {};

  /** Calls the store; undefined when it fails or hangs, so that the queue goes on in memory. */
  const callStore = <T>(call: () => Promise<T> | undefined) =>
    withTimeout(timeoutMs, undefined, async () => call()).catch((error) => {
      logTo(logger, "warn", "the store failed", { reason: reasonOf(error) });
      return undefined;
    });

  const forget = async (name: string) => {
    done.add(name);
    await callStore(() => store?.remove(name));
  };

  /** Removes a report from the queue and from the store; false when it was removed before. */
  const take = async (one: Waiting) => {
    const there = waiting.includes(one);
    waiting = waiting.filter((other) => other !== one);
    if (there && one.name) await forget(one.name);
    return there;
  };

  const drop = (reason: DropReason, { reportId, drops }: Dropped, error?: unknown) => {
    counter.dropped(reason, drops);
    logTo(logger, "warn", "report dropped", { reportId, reason, error: error && reasonOf(error) });
  };

  const giveUp = async (one: Waiting, reason: DropReason, error?: unknown) => {
    if (await take(one)) drop(reason, one, error);
  };

  /** Whether the queue has more than `maxBytes`. A report that waits alone may be larger than that. */
  const isFull = () => waiting.length > 1 && waiting.reduce((bytes, { size }) => bytes + size, 0) > maxBytes;

  const keep = async (one: Waiting, draft: Draft, count: number) => {
    try {
      const form = await withTimeout(timeoutMs, undefined, () => pack(draft, one.drops, options));
      one.size = form.length;
      if (isFull()) return giveUp(one, "queue_full");
      one.form = form;
      // The reports of the store come first: they are older, so the limit of the queue hits the newer ones.
      await opened;
      if (waiting.indexOf(one) >= maxReports) return giveUp(one, "queue_full");
      if (!store) return;
      const name = recordName(one, count);
      if (!(await callStore(() => store.write(name, form).then(() => true)))) return;
      one.name = name;
      if (!waiting.includes(one)) await forget(name);
    } catch (error) {
      await giveUp(one, reasonFor(error, "before_send_threw"), error);
    }
  };

  /** Adds to the queue what the store has from an earlier page or process, or from another tab. */
  const readStore = async () => {
    const kept = waiting.filter((one): one is Waiting & { name: string } => !!one.name);
    const names = await callStore(async () => new Set((await store?.names()) ?? kept.map(({ name }) => name)));
    if (!names) return;
    for (const one of kept) {
      if (names.has(one.name)) continue;
      // The record is gone: another tab or process has sent the report, or else the store was emptied.
      if (contested || !one.form) (await take(one)) && counter.sent();
      else delete (one as Waiting).name;
    }
    for (const name of done) if (!names.has(name)) done.delete(name);
    const known = new Set(waiting.map(({ reportId }) => reportId));
    const older = waiting.filter(({ packed }) => !packed);
    for (const name of [...names].sort()) {
      const record = readRecordName(name);
      // Records beyond the limit are added once there is room for them.
      if (!record || done.has(name) || known.has(record.reportId) || older.length >= maxReports) continue;
      counter.captured();
      older.push({ ...record, name, drops: {} });
    }
    waiting = [...older, ...waiting.filter(({ packed }) => packed)];
  };

  /** Sends a report. False when it has to be tried again later. */
  const send = async (one: Waiting, form: Uint8Array) => {
    try {
      const { idempotent } = await sender.send(form, { maxRetries: 0 });
      if (await take(one)) counter.sent(idempotent);
    } catch (error) {
      one.sending = undefined;
      // A redirect mostly comes from a network that wants its user to sign in, so it is retried as well.
      retryAfterMs = Math.min((error as ApiError).retryAfterMs ?? 0, retryAfterMaxMs);
      if (isTransient(error as IntakeError) || (error as ApiError).status < 400) return false;
      await giveUp(one, "refused", error);
    }
    return true;
  };

  const drain = async () => {
    for (let [one] = waiting; one && !closed; [one] = waiting) {
      const { name } = one;
      await one.packed;
      // Copied, because a store may return a view of a larger buffer, and the whole buffer would be sent.
      if (name) one.form ??= await callStore(async () => new Uint8Array((await store?.read(name)) ?? []));
      // The record could not be read now. It stays in the store: the next page or process may be able to read it.
      if (name && !one.form && done.add(name)) delete one.name;
      const { heldMs } = sender;
      if (!waiting.includes(one)) continue;
      if (Date.now() - one.at > maxAgeMs) await giveUp(one, "too_old");
      else if (one.form?.length !== one.size || !isForm(one.form)) await giveUp(one, "storage");
      else if (heldMs) return runLater(heldMs);
      else {
        one.sending ??= send(one, one.form);
        if (await one.sending) failures = 0;
        else return runLater(sender.heldMs || retryAfterMs || backoffMs(failures++, backoffMaxMs));
      }
    }
  };

  const sendAll = async () => {
    await readStore();
    await drain();
  };

  /** Sends all reports unless another tab or process is sending; false in that case. */
  const sendAllExclusively = async () => {
    let begun = false;
    const alone = async () => {
      begun = true;
      await sendAll();
    };
    const mine = new Promise<boolean | undefined>((resolve) => {
      // A store that does not answer in time is not waited for.
      const cancel = setUnrefTimeout(timeoutMs, () => begun || resolve(undefined));
      const locked = async () => store?.exclusive?.(alone);
      void locked()
        .then(resolve, () => resolve(begun || undefined))
        .finally(cancel);
    });
    if ((await mine) === undefined) await sendAll();
    return mine;
  };

  /** Sends all reports, one round at a time. A call while a round is under way leads to one more round. */
  const run = async () => {
    cancelTimer();
    again = true;
    if (running) return;
    running = true;
    while (again && !closed) {
      again = false;
      contested = (await sendAllExclusively()) === false;
      if (contested && waiting[0]) runLater(contestMs);
    }
    running = false;
  };

  const runLater = (ms: number) => {
    cancelTimer();
    again = false;
    if (!closed) cancelTimer = setUnrefTimeout(ms, run);
  };

  const opened = readStore();
  void opened.then(run);

  return {
    /** Adds a report to the queue, or drops it when the queue is full. */
    add(draft: Draft) {
      // The sizes that are known now count at once, so that many reports packed at the same time do not exceed the limit.
      const sizes = draft.attachments
        .slice(0, attachmentsMax)
        .map((one) => sizeOf("data" in Object(one) ? (one as Attachment).data : one) ?? 0);
      const size = sizes.reduce((sum, bytes) => sum + (bytes > reportLimits.requestBytes ? 0 : bytes), 0);
      const one: Waiting = { reportId: draft.reportId, at: draft.at, size, drops: counter.captured() };
      waiting.push(one);
      if (waiting.length > maxReports || isFull()) {
        waiting.pop();
        return drop("queue_full", one);
      }
      one.packed = keep(one, draft, captured++);
      // After a failure the timer starts the next round, not a new report.
      if (!failures) void run();
    },

    /** Counts and logs a dropped report. */
    drop,

    /** Sends now, without waiting for the backoff of earlier failures; a 429 is still waited for. Resolves when the queue is empty. */
    async emptied() {
      await opened;
      failures = 0;
      void run();
      await counter.idle();
    },

    /** Starts all requests at once, for reports that are small enough for `keepalive`: the page is being left. */
    sendNow() {
      for (const one of sender.heldMs ? [] : waiting) {
        if (one.form && one.size <= keepaliveBytes) one.sending ??= send(one, one.form);
      }
    },

    /** Ends the queue and drops the reports that are not in a store. */
    async close() {
      closed = true;
      cancelTimer();
      await Promise.all(waiting.map((one) => one.name || giveUp(one, "closed")));
    },
  };
}

/** Whether the bytes are a packed report: a store may return anything. */
function isForm(bytes: Uint8Array): boolean {
  try {
    return requestOf(bytes) !== undefined;
  } catch {
    return false;
  }
}

/** The reason for dropping a report, derived from the error that packing or sending has thrown. */
export function reasonFor(error: unknown, otherwise: DropReason): DropReason {
  return error instanceof DroppedError ? error.reason : error instanceof LimitError ? "too_large" : otherwise;
}
