import type { Row } from "../core/store.ts";
import { sha256 } from "../envelope/sha256.ts";

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

/** Digests of attachments as {@link Identity} has them. */
export function joinDigests(digests: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...digests].sort(Buffer.compare));
}

const digestBytes = 32;
const prefixBytes = 20;
const bindingBytes = 32;

export const selectReceipts = `select binding, project_id, event_id, digest, canonical, attachments, delivery_count, received_at
  from receipt`;

/** In hex. */
export function digestsIn(attachments: Uint8Array): string[] {
  const hex = attachments.toHex();
  return Array.from({ length: attachments.length / digestBytes }, (_, i) => hex.slice(i * 64, (i + 1) * 64));
}

/** 4 bytes for the project, 16 for the report id or the envelope's digest. */
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
