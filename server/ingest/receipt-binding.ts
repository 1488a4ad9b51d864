import type { Row } from "../core/store.ts";
import { sha256 } from "../envelope/sha256.ts";

/** What makes two reports of a project the same or different. */
export interface Identity {
  projectId: string;
  /** The envelope's `reportId` in lower case; null when it has none. */
  reportId: string | null;
  /** SHA-256 of the unpacked envelope. */
  digest: Uint8Array;
  /** SHA-256 of every attachment that came, 32 bytes each, sorted. */
  attachments: Uint8Array;
}

export interface ReceiptRow extends Row {
  binding: Uint8Array;
  project_id: string;
  event_id: string;
  digest: Uint8Array;
  canonical: Uint8Array | null;
  attachments: Uint8Array;
  delivery_count: number;
  received_at: number;
}

/** Joins digests of attachments into the form of {@link Identity}: sorted, 32 bytes each. */
export function joinDigests(digests: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...digests].sort(Buffer.compare));
}

const digestBytes = 32;
const prefixBytes = 20;
const bindingBytes = 32;

export const selectReceipts = `select binding, project_id, event_id, digest, canonical, attachments, delivery_count, received_at
  from receipt`;

/** Splits joined digests into their hex texts. */
export function digestsIn(attachments: Uint8Array): string[] {
  const hex = attachments.toHex();
  return Array.from({ length: attachments.length / digestBytes }, (_, i) => hex.slice(i * 64, (i + 1) * 64));
}

/** The first bytes of a binding: 4 for the project, 16 for the report id or the envelope's digest. */
export function prefixOf({ projectId, reportId, digest }: Omit<Identity, "attachments">): Uint8Array {
  const prefix = new Uint8Array(prefixBytes);
  prefix.set(sha256(`${reportId === null ? "content" : "report"} ${projectId}`).subarray(0, 4));
  prefix.set(reportId === null ? digest.subarray(0, 16) : Uint8Array.fromHex(reportId.replaceAll("-", "")), 4);
  return prefix;
}

/** The lowest and the highest binding of a report id. */
export function rangeOf(report: Omit<Identity, "attachments">): [Uint8Array, Uint8Array] {
  const lowest = new Uint8Array(bindingBytes);
  const highest = new Uint8Array(bindingBytes).fill(0xff);
  const prefix = prefixOf(report);
  lowest.set(prefix);
  highest.set(prefix);
  return [lowest, highest];
}

export function bindingOf(report: Identity): Uint8Array {
  const binding = new Uint8Array(bindingBytes);
  binding.set(prefixOf(report));
  const content = sha256(Buffer.concat([report.digest, report.attachments]));
  binding.set(content.subarray(0, bindingBytes - prefixBytes), prefixBytes);
  return binding;
}
