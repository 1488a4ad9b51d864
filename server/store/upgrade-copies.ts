import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncFile, syncFolder } from "../core/durable-file.ts";
import { openDatabase } from "./open-database.ts";

/** A copy of the database as it was before an upgrade of its schema, or before going back to an older copy. */
export interface UpgradeCopy {
  path: string;
  /** The schema of the copy. */
  from: number;
  /** The schema that the upgrade, or going back, led to. */
  to: number;
  /** When it was made, as its name says: an ISO time. */
  madeAt: string;
  bytes: number;
  /** True when the upgrade that the copy was made for was not committed. */
  begun: boolean;
}

export const copiesFolder = (folder: string) => `${folder}/backups`;

const named = /^before-schema-(\d+)-from-(\d+)-(.+)\.db$/;
/** The name of a copy until it is complete and verified. */
const unfinished = /^before-schema-.+\.db\.part(-journal|-wal|-shm)?$/;
/** What stands beside a copy. */
const beside = /^(before-schema-.+\.db)\.(begun|attachments)$/;
/** An empty file beside a copy, which exists from before the copy is made until its upgrade is committed. */
const markOf = (path: string) => `${path}.begun`;

/** A folder beside a copy: files of attachments that the copy names, and the database that took its place does not. */
export const attachmentsBeside = (path: string) => `${path}.attachments`;

/** The path of a new copy. */
export function newCopyPath(folder: string, { from, to }: { from: number; to: number }): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  return `${copiesFolder(folder)}/before-schema-${to}-from-${from}-${stamp}.db`;
}

/** The copies in the folder, newest first. */
export function listCopies(folder: string): UpgradeCopy[] {
  const copies = namesIn(folder).flatMap((name) => {
    const [, to, from, stamp = ""] = named.exec(name) ?? [];
    if (to === undefined) return [];
    const path = `${copiesFolder(folder)}/${name}`;
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const begun = existsSync(markOf(path));
    return [{ copy: { path, from: Number(from), to: Number(to), madeAt: timeOf(stamp), bytes, begun }, stamp }];
  });
  return copies.sort((a, b) => (a.stamp < b.stamp ? 1 : -1)).map(({ copy }) => copy);
}

/**
 * Makes a copy and verifies every page of it. First it removes a copy that was cut short. Once the new copy exists, it
 * removes copies that failed upgrades of the same schema made, so that an upgrade that fails again and again keeps one
 * copy.
 */
export function makeCopy(db: Database, folder: string, { from, to }: { from: number; to: number }): UpgradeCopy {
  const copies = copiesFolder(folder);
  mkdirSync(copies, { recursive: true, mode: 0o700 });
  removeUnfinished(folder);
  const path = newCopyPath(folder, { from, to });
  const part = `${path}.part`;
  try {
    db.run("vacuum into ?1", [part]);
    verify(part);
    syncFile(part);
    writeFileSync(markOf(path), "", { mode: 0o600 });
    renameSync(part, path);
    syncFolder(copies);
  } catch (error) {
    removeUnfinished(folder);
    throw error;
  }
  const made = listCopies(folder);
  for (const copy of made) {
    if (copy.begun && copy.from === from && copy.path !== path) remove(copy);
  }
  return made.find((copy) => copy.path === path) as UpgradeCopy;
}

/** Notes that upgrades up to the schema `current` are committed: no later upgrade replaces their copies. */
export function keepCopies(folder: string, current: number) {
  for (const { path, from, begun } of listCopies(folder)) {
    if (begun && from < current) rmSync(markOf(path), { force: true });
  }
}

/**
 * Removes all copies except the newest ones and `latest`; returns the removed copies. To be called after the commit
 * only.
 */
export function pruneCopies(folder: string, kept: number, latest: UpgradeCopy): UpgradeCopy[] {
  const older = listCopies(folder).filter(({ path }) => path !== latest.path);
  const removed = older.slice(Math.max(0, kept - 1));
  for (const copy of removed) remove(copy);
  return removed;
}

/** `2026-11-23T11-40-51-123Z` of a name is the time `2026-11-23T11:40:51.123Z`. */
function timeOf(stamp: string): string {
  return stamp.replace(/T(\d+)-(\d+)-(\d+)-(\d+Z)$/, "T$1:$2:$3.$4");
}

export function hasUnfinishedCopy(folder: string): boolean {
  return namesIn(folder).some((name) => unfinished.test(name));
}

/** Removes the mark last: without it the copy of a failed upgrade would pass for that of a committed one. */
function remove({ path }: UpgradeCopy) {
  rmSync(path, { force: true });
  rmSync(attachmentsBeside(path), { recursive: true, force: true });
  rmSync(markOf(path), { force: true });
}

function removeUnfinished(folder: string) {
  const names = namesIn(folder);
  const besideNone = (name: string) => {
    const [, copy] = beside.exec(name) ?? [];
    return copy !== undefined && !names.includes(copy);
  };
  for (const name of names) {
    if (unfinished.test(name) || besideNone(name)) {
      rmSync(`${copiesFolder(folder)}/${name}`, { recursive: true, force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  const copies = copiesFolder(folder);
  return existsSync(copies) ? readdirSync(copies) : [];
}

function verify(path: string) {
  const copy = openDatabase(path, { readonly: true });
  try {
    const answer = copy.query<{ integrity_check: string }, []>("pragma integrity_check").all();
    if (answer[0]?.integrity_check !== "ok") throw new Error("the copy of the database is not sound");
  } finally {
    copy.close();
  }
}
