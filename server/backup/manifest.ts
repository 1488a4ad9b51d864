import { isUuid } from "../../openapi/check.ts";
import { BackupRefused } from "./backup-refused.ts";
import { isChain } from "./segment-name.ts";
import { digestOf, isDigest, pieceBytes, type StoredObject } from "./stored-object.ts";

/** What a backup holds. It is written last: what has no manifest is no backup. */
export interface Manifest {
  /** Of the form of backups: a binary reads the form that it knows, and older ones. */
  format: number;
  id: string;
  /** ISO 8601. Everything that the server answered before this time is in the backup. */
  asOf: string;
  /** The version of intake that made it. */
  intake: string;
  /** The number of the database's schema. */
  schema: number;
  /** What the database held, for people. */
  holds: { tickets: number; reports: number; newestTicket: string | null; newestReport: string | null };
  /** The file of the database, cut into pieces. */
  database: { bytes: number; pieces: StoredObject[] };
  attachments: {
    files: number;
    bytes: number;
    /** Rows whose file was missing already when the backup was made. */
    missing: number;
    /** Files whose bytes were already others than their row says. */
    differing: number;
    /** The list of them, cut into pieces at line ends; `attachment-list.ts` has its form. */
    list: StoredObject[];
  };
  /** Null when the backup was made without secrets, or nothing was sealed yet. */
  secretKey: StoredObject | null;
  /** What this backup has added to its target. */
  added: { objects: number; bytes: number };
  /** Where segments of the log go on; undefined when the server did not keep its log, or its version could not. */
  log?: BackupLog;
}

/** How far a backup's database is along a chain of segments. */
export interface BackupLog {
  chain: string;
  /** The last segment that was complete before the database was copied: those after it are applied to the copy. */
  segment: number;
  /** The place in SQLite's write-ahead log up to which the copy holds everything; null when there was no log. */
  salts: string | null;
  frame: number;
}

export const manifestFormat = 1;

/** A larger one is not read: its database would have more than 10 TB. */
export const manifestBytesMax = 268_435_456;

const head = '{"sha256":"';
const middle = '","backup":';
const start = head.length + 64 + middle.length;

/** The text of a manifest. It begins with the digest of the rest. */
export function writeManifest(manifest: Manifest): string {
  const text = JSON.stringify(manifest);
  return `${head}${digestOf(text)}${middle}${text}}\n`;
}

/** Reads a manifest. Throws unless every byte of it is as it was written. */
export function readManifest(id: string, text: string): Manifest {
  const damaged = new BackupRefused(
    `the manifest of the backup ${id} is damaged; use another backup (intake backup list), and delete this one's manifest`,
  );
  const body = text.slice(start, -2);
  if (text !== `${head}${digestOf(body)}${middle}${body}}\n`) throw damaged;
  let manifest: Manifest;
  try {
    manifest = JSON.parse(body) as Manifest;
  } catch {
    throw damaged;
  }
  if (typeof manifest?.format === "number" && manifest.format > manifestFormat) {
    throw new BackupRefused(
      `the backup ${id} was made by a newer intake (${String(manifest.intake).slice(0, 40)}); use that version or a newer one`,
    );
  }
  if (manifest?.id !== id || !isWhole(manifest)) throw damaged;
  return manifest;
}

/** Whether every part that a later step relies on has its type: the digest shows only that nothing was changed by chance. */
function isWhole(manifest: Manifest): boolean {
  const { format, asOf, intake, schema, holds, database, attachments, secretKey, added, log } = manifest;
  const pieces = [...(database?.pieces ?? []), ...(attachments?.list ?? []), ...(secretKey ? [secretKey] : [])];
  return (
    format === manifestFormat &&
    isTime(asOf) &&
    (log === undefined || isLog(log)) &&
    /^[\w.+-]{1,40}$/.test(intake) &&
    [schema, holds?.tickets, holds?.reports, database?.bytes, added?.objects, added?.bytes].every(isCount) &&
    [holds.newestTicket, holds.newestReport].every((id) => id === null || isUuid(id)) &&
    [attachments?.files, attachments?.bytes, attachments?.missing, attachments?.differing].every(isCount) &&
    pieces.every((piece) => isDigest(piece?.sha256) && isCount(piece?.bytes) && piece.bytes <= pieceBytes) &&
    database.pieces.reduce((sum, { bytes }) => sum + bytes, 0) === database.bytes
  );
}

function isLog({ chain, segment, salts, frame }: BackupLog): boolean {
  return isChain(chain) && [segment, frame].every(isCount) && (salts === null || /^[0-9a-f]{16}$/.test(salts));
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** `20261123T104922123Z-3fa9c1`: the names of backups are in the order of their times. */
export function newBackupId(now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:.]/g, "");
  return `${stamp}-${crypto.randomUUID().slice(0, 6)}`;
}

export function isBackupId(text: string): boolean {
  return /^\d{8}T\d{9}Z-[0-9a-f]{6}$/.test(text);
}
