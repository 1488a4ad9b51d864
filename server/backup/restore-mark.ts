import { readFileSync, rmSync } from "node:fs";
import { syncFolder, writeDurably } from "../core/durable-file.ts";
import { BackupRefused } from "./backup-refused.ts";

/** Stands in a data directory as long as a backup is being restored to it: nothing else works with it meanwhile. */
interface RestoreMark {
  /** The backup. */
  id: string;
  /** Its target in words. */
  from: string;
  /** The moment that is being restored, as it was asked for, in epoch milliseconds; undefined for that of the backup. */
  at?: number | undefined;
}

/** Throws when a restore to the data directory has not ended. */
export function requireRestored(folder: string) {
  const mark = readRestoreMark(folder);
  if (mark) throw unfinished(folder, mark);
}

export function unfinished(folder: string, { id, from }: RestoreMark): BackupRefused {
  return new BackupRefused(
    `the data directory ${folder} is being restored from the backup ${id} in ${from}, which has not ended. Run the same intake restore again, or delete the directory`,
  );
}

export function readRestoreMark(folder: string): RestoreMark | undefined {
  let text: string;
  try {
    text = readFileSync(markPath(folder), "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(String((error as { code?: string }).code))) return undefined;
    throw error;
  }
  try {
    const { id, from, at } = JSON.parse(text) as RestoreMark;
    return { id: String(id), from: String(from), at: at === undefined ? undefined : Number(at) };
  } catch {
    throw new BackupRefused(`${markPath(folder)} is damaged: a restore has not ended; delete the directory ${folder}`);
  }
}

/** The mark is on the disk when this returns, whole. */
export function writeRestoreMark(folder: string, mark: RestoreMark) {
  writeDurably(markPath(folder), `${JSON.stringify(mark)}\n`);
}

export function removeRestoreMark(folder: string) {
  rmSync(markPath(folder), { force: true });
  syncFolder(folder);
}

function markPath(folder: string): string {
  return `${folder}/restoring.json`;
}
