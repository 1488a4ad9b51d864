import type { Row, Step, Tx } from "../core/store.ts";
import { sha256 } from "../envelope/sha256.ts";
import { digestsIn, type Identity, prefixOf, type ReceiptRow, rangeOf, selectReceipts } from "./receipt-binding.ts";
import { addKeyUsageStep } from "./usage.ts";

/** Receipts that are read in one transaction. */
const receiptsAtOnce = 8;

/** Bytes that a row of `repeat_key` takes in its table and index, as measured. */
const keyBytes = 176;

/** Canonical digests of envelopes, made when two reports of one id have different bytes. */
export interface Canonicals {
  ofReport: Uint8Array;
  /** Digests by event. An empty digest stands for an envelope that is gone: no report equals it. */
  others: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads the first receipts of a report id that have no keys yet, and returns the events whose envelopes have to be read
 * for them. Usually that is one event; more only after an upgrade from a binary without keys.
 */
export function* unreadEventsStep(tx: Tx, report: Identity, since: number): Step<string[]> {
  const unread = yield* unreadReceiptsStep(tx, report, since);
  return unread.rows.filter(({ canonical }) => !canonical).map(({ event_id }) => event_id);
}

/** Keeps the digests that were made for receipts without one, so that no envelope is read for them again. */
export function* keepDigestsStep(
  tx: Tx,
  report: Identity,
  { since, others }: { since: number; others: Canonicals["others"] },
): Step<void> {
  const { rows } = yield* unreadReceiptsStep(tx, report, since);
  for (const row of rows) yield* keepDigestStep(tx, row, others);
}

/**
 * Gives keys to the receipts of a report id that have none, a few in each transaction. Returns undefined once all have
 * keys; otherwise the events whose envelopes have to be read before the next call. `now`: the day that the bytes of the
 * keys count for.
 */
export function* readReceiptsStep(
  tx: Tx,
  report: Identity,
  { since, now, canonicals }: { since: number; now: number; canonicals: Canonicals },
): Step<string[] | undefined> {
  const { rows, readTo, end } = yield* unreadReceiptsStep(tx, report, since);
  const unknown = rows.filter(({ event_id, canonical }) => !canonical && !canonicals.others.has(event_id));
  if (unknown.length > 0) return unknown.map(({ event_id }) => event_id);
  for (const row of rows) {
    yield* keepDigestStep(tx, row, canonicals.others);
    const { binding, attachments, canonical, event_id: eventId, received_at: receivedAt } = row;
    if (!canonical) continue;
    const bytes = yield* addRepeatKeysStep(tx, { ...report, binding, attachments, canonical, receivedAt });
    if (bytes > 0) yield* addKeyUsageStep(tx, { projectId: report.projectId, eventId, now, bytes });
  }
  if (readTo) yield* readToStep(tx, report, { readTo, newest: Math.max(0, ...rows.map(receivedAtOf)), since });
  return end ? undefined : yield* unreadEventsStep(tx, report, since);
}

function* keepDigestStep(tx: Tx, row: ReceiptRow, others: Canonicals["others"]): Step<void> {
  const made = others.get(row.event_id);
  if (row.canonical || !made || made.length === 0) return;
  row.canonical = made;
  yield* tx.run("update receipt set canonical = $2 where binding in ($1)", [row.binding, made]);
}

/** Finds the first report that this one is a repeat of. */
export function* findRepeatStep(
  tx: Tx,
  report: Identity,
  { since, canonical }: { since: number; canonical: Uint8Array },
): Step<FoundRow | undefined> {
  return yield* tx.one<FoundRow>(
    `select receipt.event_id, receipt.delivery_count from repeat_key
     join receipt on receipt.binding = repeat_key.binding and receipt.received_at = repeat_key.received_at
     where repeat_key.key in ($1) and receipt.received_at > $2
     order by repeat_key.received_at, repeat_key.binding limit 1`,
    [repeatKey(report.projectId, canonical, distinct(report.attachments)), since],
  );
}

interface FoundRow extends Row {
  event_id: string;
  delivery_count: number;
}

/** Bytes that the repeat keys of a receipt with these attachments take on the disk. */
export function bytesOfRepeatKeys(attachments: Uint8Array): number {
  return keyBytes * 2 ** distinct(attachments).length;
}

/** Adds a key for every set of attachments that a repeat may come with; returns the bytes that the keys take. */
export function* addRepeatKeysStep(
  tx: Tx,
  receipt: Identity & { binding: Uint8Array; canonical: Uint8Array; receivedAt: number },
): Step<number> {
  let bytes = 0;
  for (const set of subsets(distinct(receipt.attachments))) {
    const added = yield* tx.all(
      `insert into repeat_key (key, received_at, binding) values ($1, $2, $3) on conflict do nothing returning binding`,
      [repeatKey(receipt.projectId, receipt.canonical, set), receipt.receivedAt, receipt.binding],
    );
    bytes += added.length * keyBytes;
  }
  yield* tx.run("update reused_report_id set received_at = $2 where prefix in ($1) and received_at < $2", [
    prefixOf(receipt),
    receipt.receivedAt,
  ]);
  return bytes;
}

/** Forgets that a report id was reused, once its last receipt is gone: the next report is the first one again. */
export function* forgetReuseStep(tx: Tx, report: Identity): Step<void> {
  yield* tx.run("delete from reused_report_id where prefix in ($1)", [prefixOf(report)]);
}

/** Deletes the keys that are older than the window of de-duplication, as their receipts are. */
export function* forgetRepeatKeysStep(tx: Tx, until: number): Step<void> {
  yield* tx.run("delete from repeat_key where received_at <= $1", [until]);
  yield* tx.run("delete from reused_report_id where received_at <= $1", [until]);
}

/** `end`: no further receipt is without keys; `readTo` is undefined when that was known before. */
function* unreadReceiptsStep(
  tx: Tx,
  report: Identity,
  since: number,
): Step<{ rows: ReceiptRow[]; readTo: Uint8Array | undefined; end: boolean }> {
  const [lowest, highest] = rangeOf(report);
  const reused = yield* tx.one<{ read_to: Uint8Array }>(
    "select read_to from reused_report_id where prefix in ($1) and received_at > $2",
    [prefixOf(report), since],
  );
  const from = reused?.read_to ?? lowest;
  if (Buffer.compare(from, highest) === 0) return { rows: [], readTo: undefined, end: true };
  const rows = yield* tx.all<ReceiptRow>(
    `${selectReceipts} where binding > $1 and binding <= $2 order by binding limit ${receiptsAtOnce}`,
    [from, highest],
  );
  const end = rows.length < receiptsAtOnce;
  const readTo = end ? highest : rows.at(-1)?.binding;
  return { rows: rows.filter(({ project_id }) => project_id === report.projectId), readTo, end };
}

/**
 * Notes up to which receipt keys were made. A row that is older than the window is about reports that are gone: it is
 * replaced.
 */
function* readToStep(
  tx: Tx,
  report: Identity,
  { readTo, newest, since }: { readTo: Uint8Array; newest: number; since: number },
): Step<void> {
  yield* tx.run(
    `insert into reused_report_id (prefix, read_to, received_at) values ($1, $2, $3)
     on conflict (prefix) do update set read_to = excluded.read_to, received_at =
       case when reused_report_id.received_at > $4 and reused_report_id.received_at > excluded.received_at
         then reused_report_id.received_at else excluded.received_at end`,
    [prefixOf(report), readTo, newest, since],
  );
}

function receivedAtOf({ received_at }: ReceiptRow): number {
  return received_at;
}

function repeatKey(projectId: string, canonical: Uint8Array, attachments: readonly string[]): Uint8Array {
  return sha256(`${projectId} ${canonical.toHex()} ${attachments.join(" ")}`);
}

/** The sorted digests of attachments without duplicates. */
function distinct(attachments: Uint8Array): string[] {
  return [...new Set(digestsIn(attachments))];
}

/** All subsets, the empty one too: a report has at most five attachments, so there are at most 32. */
function subsets(of: readonly string[]): string[][] {
  const sets: string[][] = [[]];
  for (const one of of) sets.push(...sets.map((set) => [...set, one]));
  return sets;
}
