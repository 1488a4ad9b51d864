import type { Reader, Step, Tx } from "../core/store.ts";
import { bindingOf, digestsIn, type Identity, type ReceiptRow, rangeOf, selectReceipts } from "./receipt-binding.ts";
import {
  addRepeatKeysStep,
  type Canonicals,
  findRepeatStep,
  forgetRepeatKeysStep,
  forgetReuseStep,
  readReceiptsStep,
  unreadEventsStep,
} from "./repeat-keys.ts";

type Deduplicated =
  | { kind: "new"; reused: boolean }
  | { kind: "repeat"; eventId: string; deliveryCount: number }
  /**
   * The events whose envelopes have to be compared: the decision needs their canonical digests and that of the report
   * itself.
   */
  | { kind: "compare"; eventIds: string[] };

/** Receipts of one report id that are compared one by one; with more of them, repeat keys are looked up. */
const comparedMax = 20;

/**
 * Decides, in the transaction that stores a report, whether the report is a repeat of one that was received before. With
 * a report id a repeat has an equal envelope and no attachment that the first one lacked; without an id it has equal bytes
 * and equal attachments.
 */
export function* deduplicateStep(
  tx: Tx,
  report: Identity,
  { since, now, canonicals }: { since: number; now: number; canonicals?: Canonicals | undefined },
): Step<Deduplicated> {
  let rows = yield* receiptsStep(tx, report);
  if (rows.length === 0) return { kind: "new", reused: false };
  if (rows.some(({ received_at }) => received_at <= since)) {
    yield* tx.run("delete from receipt where binding >= $1 and binding <= $2 and received_at <= $3", [
      ...rangeOf(report),
      since,
    ]);
    rows = yield* receiptsStep(tx, report);
  }
  const ofProject = rows.filter(({ project_id }) => project_id === report.projectId);
  // The receipt of equal bytes may lie beyond the compared ones and be expired; then the receipt of the new report
  // replaces it.
  let exact = yield* exactStep(tx, report);
  if (exact && exact.received_at <= since) {
    yield* tx.run("delete from receipt where binding in ($1)", [exact.binding]);
    exact = undefined;
  }
  if (ofProject.length === 0) {
    if (report.reportId !== null) yield* forgetReuseStep(tx, report);
    return { kind: "new", reused: false };
  }
  const whole = rows.length < comparedMax;
  const equal = [...(exact ? [exact] : []), ...(whole ? ofProject : [])]
    .filter((row) => same(row.digest, report.digest) && fits(row, report))
    .sort((one, other) => one.received_at - other.received_at)[0];
  if (equal) return repeat(equal);
  if (report.reportId === null) return { kind: "new", reused: false };
  if (!canonicals) return { kind: "compare", eventIds: yield* unreadEventsStep(tx, report, since) };
  const unread = yield* readReceiptsStep(tx, report, { since, now, canonicals });
  if (unread) return { kind: "compare", eventIds: unread };
  const found = yield* findRepeatStep(tx, report, { since, canonical: canonicals.ofReport });
  return found ? repeat(found) : { kind: "new", reused: true };
}

export function* addReceiptStep(
  tx: Tx,
  report: Identity,
  stored: { eventId: string; deliveryCount: number; now: number; canonical: Uint8Array | null },
): Step<void> {
  const binding = bindingOf(report);
  yield* tx.run(
    `insert into receipt (binding, project_id, event_id, digest, canonical, attachments, delivery_count, received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      binding,
      report.projectId,
      stored.eventId,
      report.digest,
      stored.canonical,
      report.attachments,
      stored.deliveryCount,
      stored.now,
    ],
  );
  if (stored.canonical === null || report.reportId === null) return;
  yield* addRepeatKeysStep(tx, { ...report, binding, canonical: stored.canonical, receivedAt: stored.now });
}

/** Whether a receipt is kept by which a late repeat of this report is found. */
export async function hasReceipt(store: Reader, report: Identity): Promise<boolean> {
  return (await store.one("select event_id from receipt where binding in ($1)", [bindingOf(report)])) !== undefined;
}

/**
 * Keeps the canonical digest of an event that is being deleted with its receipt. The receipt stays, so that a late repeat
 * does not bring the report back, and the digest replaces the envelope that is gone.
 */
export function* keepCanonicalStep(tx: Tx, report: Identity, eventId: string, canonical: Uint8Array): Step<void> {
  yield* tx.run("update receipt set canonical = $3 where binding in ($1) and event_id = $2", [
    bindingOf(report),
    eventId,
    canonical,
  ]);
}

/** Deletes the receipts that are older than the window of de-duplication. */
export function* forgetReceiptsStep(tx: Tx, until: number): Step<void> {
  yield* tx.run("delete from receipt where received_at <= $1", [until]);
  yield* forgetRepeatKeysStep(tx, until);
}

function* exactStep(tx: Tx, report: Identity): Step<ReceiptRow | undefined> {
  return yield* tx.one<ReceiptRow>(`${selectReceipts} where binding in ($1)`, [bindingOf(report)]);
}

function* receiptsStep(tx: Tx, report: Identity): Step<ReceiptRow[]> {
  return yield* tx.all<ReceiptRow>(
    `${selectReceipts} where binding >= $1 and binding <= $2 order by binding limit ${comparedMax}`,
    rangeOf(report),
  );
}

function repeat({ event_id, delivery_count }: Pick<ReceiptRow, "event_id" | "delivery_count">): Deduplicated {
  return { kind: "repeat", eventId: event_id, deliveryCount: delivery_count };
}

/** Whether the attachments of the report allow it to be a repeat of the receipt's report. */
function fits({ attachments }: ReceiptRow, report: Identity): boolean {
  if (report.reportId === null) return same(attachments, report.attachments);
  const known = new Set(digestsIn(attachments));
  return digestsIn(report.attachments).every((digest) => known.has(digest));
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
