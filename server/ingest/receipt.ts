import { limits } from "../../openapi/schema/limits.ts";
import type { Reader, Row, Step, Tx } from "../store/store.ts";
import { sha256 } from "./sha256.ts";

/** What tells one report from another, within a project. */
export interface Identity {
  projectId: string;
  /** Lower case; null when the envelope has none. */
  reportId: string | null;
  /** SHA-256 of the unpacked envelope. */
  digest: Uint8Array;
  /** SHA-256 of every attachment that came, 32 bytes each, sorted. */
  attachments: Uint8Array;
}

/** Digests of envelopes in canonical form, made when two of one report id have other bytes. */
export interface Canonicals {
  own: Uint8Array;
  /** By event. */
  others: ReadonlyMap<string, Uint8Array>;
}

export type Recognised =
  | { kind: "new"; reused: boolean }
  | { kind: "repeat"; eventId: string; deliveryCount: number }
  /** Whether it is a repeat takes the canonical digests of these events' envelopes, and its own. */
  | { kind: "compare"; eventIds: string[] };

interface ReceiptRow extends Row {
  binding: Uint8Array;
  project_id: string;
  event_id: string;
  digest: Uint8Array;
  canonical: Uint8Array | null;
  attachments: Uint8Array;
  delivery_count: number;
  received_at: number;
}

/** Digests of attachments as {@link Identity} has them. */
export function joinDigests(digests: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...digests].sort(Buffer.compare));
}

const digestBytes = 32;
const prefixBytes = 20;
const bindingBytes = 32;

/**
 * De-duplication, within the transaction that stores. With a report id a repeat has an equal envelope and no
 * attachment that the first had not; without one, equal bytes and equal attachments.
 */
export function* recogniseStep(
  tx: Tx,
  report: Identity,
  { since, canonicals }: { since: number; canonicals?: Canonicals | undefined },
): Step<Recognised> {
  const some = yield* receiptsStep(tx, report);
  if (some.length === 0) return { kind: "new", reused: false };
  // The very same report may lie beyond those that are compared.
  const exact = yield* tx.all<ReceiptRow>(`${selectReceipts} where binding in ($1)`, [bindingOf(report)]);
  const rows = [...exact, ...some];
  const live = rows.filter(({ received_at }) => received_at > since);
  if (live.length < rows.length) {
    yield* tx.run("delete from receipt where binding >= $1 and binding <= $2 and received_at <= $3", [
      ...rangeOf(report),
      since,
    ]);
  }
  const equal = live.find((row) => same(row.digest, report.digest) && fits(row, report));
  if (equal) return repeat(equal);
  if (report.reportId === null || live.length === 0) return { kind: "new", reused: false };

  const comparable = live.filter((row) => fits(row, report));
  const unknown = comparable.filter(({ event_id, canonical }) => !canonical && !canonicals?.others.has(event_id));
  if (comparable.length > 0 && (!canonicals || unknown.length > 0)) {
    return { kind: "compare", eventIds: unknown.map(({ event_id }) => event_id) };
  }
  for (const row of comparable) {
    const made = canonicals?.others.get(row.event_id);
    if (row.canonical || !made) continue;
    row.canonical = made;
    yield* tx.run("update receipt set canonical = $2 where binding in ($1)", [row.binding, made]);
  }
  const matching = comparable.find(({ canonical }) => canonical && canonicals && same(canonical, canonicals.own));
  return matching ? repeat(matching) : { kind: "new", reused: true };
}

export function* addReceiptStep(
  tx: Tx,
  report: Identity,
  stored: { eventId: string; deliveryCount: number; now: number; canonical: Uint8Array | null },
): Step<void> {
  yield* tx.run(
    `insert into receipt (binding, project_id, event_id, digest, canonical, attachments, delivery_count, received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      bindingOf(report),
      report.projectId,
      stored.eventId,
      report.digest,
      stored.canonical,
      report.attachments,
      stored.deliveryCount,
      stored.now,
    ],
  );
}

/** Whether a late repeat of this report would be recognised. */
export async function hasReceipt(store: Reader, report: Identity): Promise<boolean> {
  return (await store.one("select event_id from receipt where binding in ($1)", [bindingOf(report)])) !== undefined;
}

/**
 * Before an event goes: its receipt stays, so that a late repeat does not bring the report back. Without the envelope
 * nothing could be compared any more, so its canonical digest has to be kept.
 */
export function* keepCanonicalStep(tx: Tx, report: Identity, eventId: string, canonical: Uint8Array): Step<void> {
  yield* tx.run("update receipt set canonical = $3 where binding in ($1) and event_id = $2", [
    bindingOf(report),
    eventId,
    canonical,
  ]);
}

const selectReceipts = `select binding, project_id, event_id, digest, canonical, attachments, delivery_count, received_at
  from receipt`;

function* receiptsStep(tx: Tx, report: Omit<Identity, "attachments">): Step<ReceiptRow[]> {
  const rows = yield* tx.all<ReceiptRow>(
    `${selectReceipts} where binding >= $1 and binding <= $2 order by binding limit ${limits.comparedReports}`,
    rangeOf(report),
  );
  return rows.length === 0 ? rows : rows.filter(({ project_id }) => project_id === report.projectId);
}

function repeat({ event_id, delivery_count }: ReceiptRow): Recognised {
  return { kind: "repeat", eventId: event_id, deliveryCount: delivery_count };
}

/** Whether a report with these attachments may be a repeat of that one. */
function fits({ attachments }: ReceiptRow, report: Identity): boolean {
  if (report.reportId === null) return same(attachments, report.attachments);
  const known = new Set(digestsIn(attachments));
  return digestsIn(report.attachments).every((digest) => known.has(digest));
}

function digestsIn(attachments: Uint8Array): string[] {
  const hex = attachments.toHex();
  return Array.from({ length: attachments.length / digestBytes }, (_, i) => hex.slice(i * 64, (i + 1) * 64));
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** 4 bytes for the project, 16 for the report id or the envelope's digest. */
function prefixOf({ projectId, reportId, digest }: Omit<Identity, "attachments">): Uint8Array {
  const prefix = new Uint8Array(prefixBytes);
  prefix.set(sha256(`${reportId === null ? "content" : "report"} ${projectId}`).subarray(0, 4));
  prefix.set(reportId === null ? digest.subarray(0, 16) : Uint8Array.fromHex(reportId.replaceAll("-", "")), 4);
  return prefix;
}

function rangeOf(report: Omit<Identity, "attachments">): [Uint8Array, Uint8Array] {
  const lowest = new Uint8Array(bindingBytes);
  const highest = new Uint8Array(bindingBytes).fill(0xff);
  const prefix = prefixOf(report);
  lowest.set(prefix);
  highest.set(prefix);
  return [lowest, highest];
}

function bindingOf(report: Identity): Uint8Array {
  const binding = new Uint8Array(bindingBytes);
  binding.set(prefixOf(report));
  const content = sha256(Buffer.concat([report.digest, report.attachments]));
  binding.set(content.subarray(0, bindingBytes - prefixBytes), prefixBytes);
  return binding;
}
