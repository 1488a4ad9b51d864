import { type ApiError, type IntakeError, LimitError } from "../core/errors.ts";
import { reasonOf } from "../core/redact.ts";
import { backoffMs, isTransient, type Logger, tell } from "../core/send.ts";
import { within } from "../core/within.ts";
import { reportLimits } from "../generated/contract.ts";
import { type Attachment, attachmentsMax, sizeOf } from "./attachment.ts";
import { type Delivery, keepaliveBytes } from "./delivery.ts";
import { DroppedError, type DropReason, type Drops } from "./drops.ts";
import { requestOf } from "./form.ts";
import { type Draft, type PackOptions, pack } from "./pack.ts";
import { type QueueStore, type RecordName, readRecordName, recordName } from "./store.ts";
import type { Tally } from "./tally.ts";
import { later } from "./timer.ts";

/** How much waits, and how long. */
export interface QueueLimits {
  /** 200 unless told. A report captured beyond it is dropped (`queue_full`). */
  maxReports?: number | undefined;
  /** Bytes as they are sent. 20,000,000 unless told. */
  maxBytes?: number | undefined;
  /** Milliseconds. 43,200,000 (12 h) unless told: the server remembers a report for longer than that. */
  maxAgeMs?: number | undefined;
}

/** How reports are packed, and how they wait. */
export interface QueueOptions extends PackOptions {
  /** Keeps what waits beyond the life of page or process: `indexedDbStore()`, `fileStore()`. Memory unless told. */
  store?: QueueStore | undefined;
  /** Bounds of what waits. */
  queue?: QueueLimits | undefined;
  /** For packing, and for one try, in milliseconds. 30,000 unless told. */
  timeoutMs?: number | undefined;
  /** Is told of drops, stores that fail and tries that are made again. */
  logger?: Logger | undefined;
}

/** A report that waits. */
interface Waiting extends RecordName {
  /** Drops of which its envelope tells. */
  told: Drops;
  /** Ends when it is packed and, if there is a store, kept. */
  packed?: Promise<void>;
  /** Its bytes, unless it is from an earlier life or another tab. */
  form?: Uint8Array | undefined;
  /** Its record, once the store has it. */
  name?: string;
  /** The try that is under way. */
  sending?: Promise<boolean> | undefined;
}

/** The longest wait between two tries of a report. */
const backoffMaxMs = 60_000;
/** A `Retry-After` beyond a day is a mistake. */
const askedMaxMs = 86_400_000;
/** How often one looks whether the tab or process that sends is done. */
const lookMs = 1_000;

/**
 * Packs, keeps and sends reports one after another, the oldest first, until the server has each or it is given up.
 * Nothing here throws or rejects.
 */
export function reportQueue(delivery: Delivery, tally: Tally, options: QueueOptions) {
  const { store, logger, timeoutMs = 30_000, queue } = options;
  const { maxReports = 200, maxBytes = 20_000_000, maxAgeMs = 43_200_000 } = queue ?? {};
  let waiting: Waiting[] = [];
  /** Records that are done with, but may still be there. */
  const done = new Set<string>();
  let captured = 0;
  let failures = 0;
  let running = false;
  let again = false;
  let closed = false;
  /** What the server asked to wait, in milliseconds. */
  let asked = 0;
  /** Another tab or process was at the store when it was looked at last. */
  let contested = false;
  let cancelTimer = () => {};

  /** What the store answers; undefined when it fails or hangs, and what is in memory goes on. */
  const ask = <T>(question: () => Promise<T> | undefined) =>
    within(timeoutMs, undefined, async () => question()).catch((error) => {
      tell(logger, "warn", "the store failed", { reason: reasonOf(error) });
      return undefined;
    });

  const forget = async (name: string) => {
    done.add(name);
    await ask(() => store?.remove(name));
  };

  /** Out of the queue, here and in the store; false when it was out already. */
  const take = async (one: Waiting) => {
    const there = waiting.includes(one);
    waiting = waiting.filter((other) => other !== one);
    if (there && one.name) await forget(one.name);
    return there;
  };

  const drop = (reason: DropReason, { reportId }: { reportId: string }, told: Drops, error?: unknown) => {
    tally.dropped(reason, told);
    tell(logger, "warn", "report dropped", { reportId, reason, error: error && reasonOf(error) });
  };

  const giveUp = async (one: Waiting, reason: DropReason, error?: unknown) => {
    if (await take(one)) drop(reason, one, one.told, error);
  };

  /** One report may be larger than all together, as long as it waits alone. */
  const isFull = () => waiting.length > 1 && waiting.reduce((bytes, { size }) => bytes + size, 0) > maxBytes;

  const keep = async (one: Waiting, draft: Draft, count: number) => {
    try {
      const form = await within(timeoutMs, undefined, () => pack(draft, one.told, options));
      one.size = form.length;
      if (isFull()) return giveUp(one, "queue_full");
      one.form = form;
      // What is in the store was there first.
      await opened;
      if (waiting.indexOf(one) >= maxReports) return giveUp(one, "queue_full");
      if (!store) return;
      const name = recordName(one, count);
      if (!(await ask(() => store.write(name, form).then(() => true)))) return;
      one.name = name;
      if (!waiting.includes(one)) await forget(name);
    } catch (error) {
      await giveUp(one, reasonFor(error, "before_send_threw"), error);
    }
  };

  /** Takes in what the store has from an earlier life or another tab. */
  const takeIn = async () => {
    const kept = waiting.filter(({ name }) => name);
    const names = await ask(async () => new Set((await store?.names()) ?? kept.map(({ name }) => name ?? "")));
    if (!names) return;
    for (const one of kept) {
      if (names.has(one.name ?? "")) continue;
      // It has been sent by whoever else was at it, or else somebody has emptied the store.
      if (contested || !one.form) (await take(one)) && tally.sent();
      else delete one.name;
    }
    for (const name of done) if (!names.has(name)) done.delete(name);
    const known = new Set(waiting.map(({ reportId }) => reportId));
    const older = waiting.filter(({ packed }) => !packed);
    for (const name of [...names].sort()) {
      const record = readRecordName(name);
      // What is more than fits is taken in when there is room.
      if (!record || done.has(name) || known.has(record.reportId) || older.length >= maxReports) continue;
      tally.captured();
      older.push({ ...record, name, told: {} });
    }
    waiting = [...older, ...waiting.filter(({ packed }) => packed)];
  };

  /** False when the same report is to be tried later. */
  const send = async (one: Waiting, form: Uint8Array) => {
    try {
      const { idempotent } = await delivery.send(form, { maxRetries: 0 });
      if (await take(one)) tally.sent(idempotent);
    } catch (error) {
      one.sending = undefined;
      // A redirect is a network that wants a sign-in, more often than a wrong address.
      asked = Math.min((error as ApiError).retryAfterMs ?? 0, askedMaxMs);
      if (isTransient(error as IntakeError) || (error as ApiError).status < 400) return false;
      await giveUp(one, "refused", error);
    }
    return true;
  };

  const drain = async () => {
    for (let [one] = waiting; one && !closed; [one] = waiting) {
      const { name } = one;
      await one.packed;
      // A copy, because a store may give a part of a larger buffer.
      if (name) one.form ??= await ask(async () => new Uint8Array((await store?.read(name)) ?? []));
      // Not read now, it may be in the next life, so it is not removed.
      if (name && !one.form && done.add(name)) delete one.name;
      const { heldMs } = delivery;
      if (!waiting.includes(one)) continue;
      if (Date.now() - one.at > maxAgeMs) await giveUp(one, "too_old");
      else if (one.form?.length !== one.size || !isForm(one.form)) await giveUp(one, "storage");
      else if (heldMs) return runLater(heldMs);
      else {
        one.sending ??= send(one, one.form);
        if (await one.sending) failures = 0;
        else return runLater(delivery.heldMs || asked || backoffMs(failures++, backoffMaxMs));
      }
    }
  };

  const turn = async () => {
    await takeIn();
    await drain();
  };

  /** A turn that nobody else takes at the same time; false when somebody else is at it. */
  const turnAlone = async () => {
    let begun = false;
    const alone = async () => {
      begun = true;
      await turn();
    };
    const mine = new Promise<boolean | undefined>((resolve) => {
      // Without a word from the store it goes on without it.
      const cancel = later(timeoutMs, () => begun || resolve(undefined));
      const asked = async () => store?.exclusive?.(alone);
      void asked()
        .then(resolve, () => resolve(begun || undefined))
        .finally(cancel);
    });
    if ((await mine) === undefined) await turn();
    return mine;
  };

  /** One at a time; called meanwhile, it goes round once more. */
  const run = async () => {
    cancelTimer();
    again = true;
    if (running) return;
    running = true;
    while (again && !closed) {
      again = false;
      contested = (await turnAlone()) === false;
      if (contested && waiting[0]) runLater(lookMs);
    }
    running = false;
  };

  const runLater = (ms: number) => {
    cancelTimer();
    again = false;
    if (!closed) cancelTimer = later(ms, run);
  };

  const opened = takeIn();
  void opened.then(run);

  return {
    /** Takes a report in, or drops it. */
    add(draft: Draft) {
      // Counted as far as it is known, so that packing many at once does not take more than the queue may.
      const sizes = draft.attachments
        .slice(0, attachmentsMax)
        .map((one) => sizeOf("data" in Object(one) ? (one as Attachment).data : one) ?? 0);
      const size = sizes.reduce((sum, bytes) => sum + (bytes > reportLimits.requestBytes ? 0 : bytes), 0);
      const one: Waiting = { reportId: draft.reportId, at: draft.at, size, told: tally.captured() };
      waiting.push(one);
      if (waiting.length > maxReports || isFull()) {
        waiting.pop();
        return drop("queue_full", one, one.told);
      }
      one.packed = keep(one, draft, captured++);
      // A wait after a failure ends by its timer.
      if (!failures) void run();
    },

    /** Counts a report that is not delivered. */
    drop,

    /** Sends now, whatever went wrong before; a key that is held stays held. Ends when nothing waits any more. */
    async emptied() {
      await opened;
      failures = 0;
      void run();
      await tally.idle();
    },

    /** Sends what fits, all at once and without waiting for anything: the page may be gone in a moment. */
    sendNow() {
      for (const one of delivery.heldMs ? [] : waiting) {
        if (one.form && one.size <= keepaliveBytes) one.sending ??= send(one, one.form);
      }
    },

    /** Gives up what is kept nowhere else. */
    async close() {
      closed = true;
      cancelTimer();
      await Promise.all(waiting.map((one) => one.name || giveUp(one, "closed")));
    },
  };
}

/** A store may give back anything. */
function isForm(bytes: Uint8Array): boolean {
  try {
    return requestOf(bytes) !== undefined;
  } catch {
    return false;
  }
}

/** Why a report was dropped, from what was thrown. */
export function reasonFor(error: unknown, otherwise: DropReason): DropReason {
  return error instanceof DroppedError ? error.reason : error instanceof LimitError ? "too_large" : otherwise;
}
