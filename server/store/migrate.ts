import type { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import type { Migration } from "./migrations/index.ts";
import { openDatabase } from "./open-database.ts";

export class MigrationRefused extends Error {
  override name = "MigrationRefused";
}

export interface MigrationStatus {
  /** Number of the schema in the file; 0 for an empty one. */
  current: number;
  /** Number of the newest schema this binary knows. */
  newest: number;
  applied: { number: number; name: string; appliedAt: string }[];
  pending: { number: number; name: string }[];
}

/**
 * Brings a database to the newest schema. Before each step a copy is made and verified; each step is one transaction,
 * so that a kill in the middle leaves the old schema or the new one.
 */
export function migrate(folder: string, known: readonly Migration[], progress: (text: string) => void = () => {}) {
  const db = openDatabase(databasePath(folder));
  try {
    const fresh = currentNumber(db) === 0;
    for (const step of pendingSteps(db, folder, known)) {
      const from = currentNumber(db);
      if (!fresh) {
        progress(`copying the database before step ${step.number}`);
        copyBefore(db, folder, from, step.number);
      }
      progress(`schema ${from} → ${step.number} (${step.name})`);
      apply(db, step);
    }
  } finally {
    db.close();
  }
}

/** Throws {@link MigrationRefused} unless the file has exactly the schema of this binary. */
export function requireCurrent(folder: string, known: readonly Migration[]) {
  const { pending } = migrationStatus(folder, known);
  if (pending.length > 0) {
    throw new MigrationRefused("the database has an older schema than this binary; run `intake migrate up` first");
  }
}

export function migrationStatus(folder: string, known: readonly Migration[]): MigrationStatus {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    const pending = pendingSteps(db, folder, known).map(({ number, name }) => ({ number, name }));
    const applied = appliedSteps(db).map(({ number, name, applied_at }) => {
      return { number, name, appliedAt: new Date(applied_at).toISOString() };
    });
    return { current: currentNumber(db), newest: known.at(-1)?.number ?? 0, applied, pending };
  } finally {
    db.close();
  }
}

export function databasePath(folder: string): string {
  return `${folder}/intake.db`;
}

interface Applied {
  number: number;
  name: string;
  checksum: string;
  applied_at: number;
}

function appliedSteps(db: Database): Applied[] {
  const made = db.query("select 1 from sqlite_schema where name = 'migration'").all().length > 0;
  return made ? db.query<Applied, []>("select * from migration order by number").all() : [];
}

function currentNumber(db: Database): number {
  return appliedSteps(db).at(-1)?.number ?? 0;
}

function pendingSteps(db: Database, folder: string, known: readonly Migration[]): Migration[] {
  const applied = appliedSteps(db);
  const newest = known.at(-1)?.number ?? 0;
  const current = applied.at(-1)?.number ?? 0;
  if (current > newest) {
    const copy = newestCopy(folder, newest);
    const back = copy
      ? `or go back to the copy made before the upgrade: ${copy}`
      : "no copy with the older schema is kept";
    throw new MigrationRefused(
      `the database has schema ${current}, this binary knows up to ${newest}; start a newer intake, ${back}`,
    );
  }
  for (const { number, checksum } of applied) {
    const step = known.find((candidate) => candidate.number === number);
    if (!step || checksumOf(step) !== checksum) {
      throw new MigrationRefused(`step ${number} of the database's schema is not the one this binary knows`);
    }
  }
  return known.filter(({ number }) => number > current);
}

function apply(db: Database, step: Migration) {
  db.run("begin immediate");
  try {
    db.run(
      "create table if not exists migration (number integer primary key, name text not null, checksum text not null, applied_at real not null) strict",
    );
    db.run(step.sql);
    if (db.query("pragma foreign_key_check").all().length > 0) {
      throw new MigrationRefused(`step ${step.number} would leave broken references; nothing was changed`);
    }
    db.run("insert into migration values (?1, ?2, ?3, ?4)", [step.number, step.name, checksumOf(step), Date.now()]);
    db.run("commit");
  } catch (error) {
    if (db.inTransaction) db.run("rollback");
    throw error;
  }
}

function checksumOf({ sql }: Migration): string {
  return Bun.SHA256.hash(sql, "hex");
}

const copyName = (from: number, to: number, stamp: string) => `before-schema-${to}-from-${from}-${stamp}.db`;

function copyBefore(db: Database, folder: string, from: number, to: number) {
  const copies = `${folder}/backups`;
  mkdirSync(copies, { recursive: true, mode: 0o700 });
  const size = statSync(databasePath(folder)).size;
  const { bavail, bsize } = statfsSync(copies);
  if (bavail * bsize < 2 * size) {
    throw new MigrationRefused(
      `the copy before the upgrade needs ${Math.ceil((2 * size) / 1e6)} MB free in ${copies}; free some and start again`,
    );
  }
  const path = `${copies}/${copyName(from, to, new Date().toISOString().replaceAll(/[:.]/g, "-"))}`;
  db.run("vacuum into ?1", [path]);
  syncFile(path);
  const copy = openDatabase(path, { readonly: true });
  try {
    const answer = copy.query<{ integrity_check: string }, []>("pragma integrity_check").all();
    if (answer[0]?.integrity_check !== "ok")
      throw new MigrationRefused(`the copy ${path} is not sound; nothing was changed`);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    copy.close();
  }
}

function syncFile(path: string) {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

function newestCopy(folder: string, schema: number): string | undefined {
  const copies = `${folder}/backups`;
  if (!existsSync(copies)) return undefined;
  const name = readdirSync(copies)
    .filter((file) => file.includes(`-from-${schema}-`) && file.endsWith(".db"))
    .sort()
    .at(-1);
  return name && `${copies}/${name}`;
}
