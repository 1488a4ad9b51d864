import type { Database } from "bun:sqlite";
import { settings } from "../core/settings.ts";
import { brokenReferences } from "./broken-references.ts";
import type { Migration } from "./migrations/index.ts";
import { openDatabase } from "./open-database.ts";
import {
  hasUnfinishedCopy,
  keepCopies,
  listCopies,
  makeCopy,
  pruneCopies,
  type UpgradeCopy,
} from "./upgrade-copies.ts";
import { makeRoom, megabytes, upgradeSpace } from "./upgrade-space.ts";

export class MigrationRefused extends Error {
  override name = "MigrationRefused";
}

interface MigrationStatus {
  /** Number of the schema in the file; 0 for an empty one. */
  current: number;
  /** Number of the newest schema this binary knows. */
  newest: number;
  applied: { number: number; name: string; appliedAt: string }[];
  pending: { number: number; name: string }[];
  /** What the operator should do when steps are pending. */
  upgrade?: UpgradeWays;
}

/** Says that a database has an older schema, and what can be done about it. */
interface UpgradeWays {
  state: string;
  forward: string;
  back: string;
}

/**
 * Brings a database to the newest schema. One copy is made and verified before all steps, once there is room for all of
 * them; the steps are one transaction. A kill at any moment leaves the old schema or the newest one.
 */
export function migrate(folder: string, known: readonly Migration[], progress: (text: string) => void = () => {}) {
  const db = openDatabase(databasePath(folder));
  try {
    const steps = pendingSteps(db, folder, known);
    const [from, to] = [schemaOf(db), steps.at(-1)?.number];
    if (to === undefined) {
      // A process that was killed after the commit may have left the mark beside the copy.
      settleCopies(db, folder, from, progress);
      return;
    }
    const copy = from > 0 ? copyBefore(db, folder, { from, to, progress }) : undefined;
    applyAll(db, folder, steps, progress);
    if (copy) {
      settleCopies(db, folder, to, progress, copy);
      progress(`the database has schema ${to}`);
    }
  } finally {
    db.close();
  }
}

/** Throws {@link MigrationRefused} unless the file has exactly the schema of this binary. */
export function requireCurrent(folder: string, known: readonly Migration[]) {
  const { upgrade } = migrationStatus(folder, known);
  if (upgrade)
    throw new MigrationRefused(`the database is older than this binary: ${upgrade.state}. ${upgrade.forward}`);
}

export function migrationStatus(folder: string, known: readonly Migration[]): MigrationStatus {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    const pending = pendingSteps(db, folder, known).map(({ number, name }) => ({ number, name }));
    const applied = appliedSteps(db).map(({ number, name, applied_at }) => {
      return { number, name, appliedAt: new Date(applied_at).toISOString() };
    });
    const [current, newest] = [schemaOf(db), known.at(-1)?.number ?? 0];
    const upgrade = current > 0 && pending.length > 0 ? { upgrade: waysOf(db, folder, current, newest) } : {};
    return { current, newest, applied, pending, ...upgrade };
  } finally {
    db.close();
  }
}

/** The number of the schema in the file, whether or not this binary knows it; 0 for an empty one. */
export function databaseSchema(folder: string): number {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    return schemaOf(db);
  } finally {
    db.close();
  }
}

/**
 * How a database that is too new for a binary can be used with it: that binary can upgrade an older copy itself. The
 * command is one of the binary that says this.
 */
export function wayBackFrom(folder: string, newest: number): string {
  const [copy] = listCopies(folder)
    .filter(({ from }) => from <= newest)
    .sort((a, b) => b.from - a.from);
  return copy
    ? `go back to the copy made before the upgrade (schema ${copy.from}); with this binary, which says first what that loses: intake migrate back ${copy.path} --data ${folder}`
    : "no copy with the older schema is kept";
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

/** The number of the schema, whether or not this binary knows it; 0 for an empty database. */
export function schemaOf(db: Database): number {
  return appliedSteps(db).at(-1)?.number ?? 0;
}

function pendingSteps(db: Database, folder: string, known: readonly Migration[]): Migration[] {
  const newest = known.at(-1)?.number ?? 0;
  const current = schemaOf(db);
  if (current > newest) {
    throw new MigrationRefused(
      `the database has schema ${current}, this binary knows up to ${newest}; start a newer intake, or ${wayBackFrom(folder, newest)}`,
    );
  }
  requireKnown(db, known);
  return known.filter(({ number }) => number > current);
}

/** Throws unless every step that the database has is one of these. */
export function requireKnown(db: Database, known: readonly Migration[]) {
  for (const { number, checksum } of appliedSteps(db)) {
    const step = known.find((candidate) => candidate.number === number);
    if (!step || checksumOf(step) !== checksum) {
      throw new MigrationRefused(`step ${number} of the database's schema is not the one this binary knows`);
    }
  }
}

function copyBefore(
  db: Database,
  folder: string,
  { from, to, progress }: { from: number; to: number; progress: (text: string) => void },
): UpgradeCopy {
  const { copyBytes, neededBytes, freeBytes } = makeRoom(db, folder, from);
  if (freeBytes < neededBytes) {
    const { forward, back } = waysOf(db, folder, from, to);
    throw new MigrationRefused(
      `there is no room for the upgrade from schema ${from} to ${to}; nothing was changed. ${forward} ${back}`,
    );
  }
  progress(`copying the database (${megabytes(copyBytes)}) before the upgrade from schema ${from} to ${to}`);
  let copy: UpgradeCopy;
  try {
    copy = makeCopy(db, folder, { from, to });
  } catch (error) {
    throw new MigrationRefused(
      `the copy before the upgrade could not be made, so nothing was changed: ${(error as Error).message}`,
    );
  }
  progress(`the copy is verified: ${copy.path}`);
  return copy;
}

/** Marks and removes copies, after the commit only. A server starts even when the copies cannot be changed. */
function settleCopies(
  db: Database,
  folder: string,
  current: number,
  progress: (text: string) => void,
  latest?: UpgradeCopy,
) {
  try {
    keepCopies(folder, current);
    const removed = latest ? pruneCopies(folder, copiesKept(db), latest) : [];
    for (const { path } of removed) progress(`an older copy was removed: ${path}`);
  } catch (error) {
    progress(`the older copies could not be tidied: ${(error as Error).message}`);
  }
}

/** Runs all pending steps in one transaction. */
function applyAll(db: Database, folder: string, steps: readonly Migration[], progress: (text: string) => void) {
  const from = schemaOf(db);
  let current = from;
  db.run("begin immediate");
  try {
    db.run(
      "create table if not exists migration (number integer primary key, name text not null, checksum text not null, applied_at real not null) strict",
    );
    for (const step of steps) {
      progress(`schema ${current} → ${step.number} (${step.name})`);
      db.run(step.sql);
      db.run("insert into migration values (?1, ?2, ?3, ?4)", [step.number, step.name, checksumOf(step), Date.now()]);
      current = step.number;
    }
    const broken = brokenReferences(db);
    if (broken) throw new MigrationRefused(`the upgrade would leave broken references: ${broken.words}`);
    db.run("commit");
  } catch (error) {
    if (db.inTransaction) db.run("rollback");
    if (from === 0) throw error;
    const { back } = waysOf(db, folder, from, steps.at(-1)?.number ?? from);
    const { reason, forward } = reasonOf(error as Error, db, folder);
    throw new MigrationRefused(
      `the upgrade stopped behind schema ${current}, and nothing was changed (schema ${from}): ${reason}. ${forward} ${back}`,
    );
  }
}

/**
 * Why an upgrade failed, and the way forward. Broken references are named as they are in the database before the
 * upgrade, where they can be mended: steps that rebuild a table change its rowids.
 */
function reasonOf(error: Error, db: Database, folder: string): { reason: string; forward: string } {
  const ofReferences = /broken references|FOREIGN KEY/.test(error.message);
  const broken = ofReferences ? brokenReferences(db) : undefined;
  if (broken) {
    return {
      reason: `the database has broken references, from before the upgrade: ${broken.words}`,
      forward: `Forward: delete those rows (the copy keeps them) as the user of the server, and start again: sqlite3 ${databasePath(folder)} "${broken.sql}"`,
    };
  }
  return {
    reason: error.message,
    forward: ofReferences
      ? "Forward: the rows were whole before the upgrade, so the fault is in the upgrade: start again with a newer intake."
      : "Forward: start again once that is mended.",
  };
}

/** Advice for a folder with an older schema, whether or not an upgrade was tried. */
function waysOf(db: Database, folder: string, current: number, newest: number): UpgradeWays {
  const { neededBytes, freeBytes } = upgradeSpace(db, folder, current);
  const copies = listCopies(folder);
  const begun = copies.some(({ from, begun }) => begun && from === current) || hasUnfinishedCopy(folder);
  const begins = begun ? "; an upgrade was begun and did not end, which has changed nothing" : "";
  const room =
    freeBytes < neededBytes
      ? `Forward: free ${megabytes(neededBytes - freeBytes)} more for ${folder} (the upgrade needs ${megabytes(neededBytes)}, ${megabytes(freeBytes)} are free), then run: intake migrate up.`
      : `Forward: run: intake migrate up (it needs ${megabytes(neededBytes)} free, ${megabytes(freeBytes)} are).`;
  const older = [...new Map(copies.toReversed().map((copy) => [copy.from, copy])).values()]
    .filter(({ from }) => from < current)
    .sort((a, b) => b.from - a.from)
    .map(({ from, path }) => `${path} (schema ${from})`);
  const kept = older.length === 0 ? "" : `, and copies made before earlier upgrades are kept: ${older.join(", ")}`;
  return {
    state: `schema ${current} of ${newest}${begins}`,
    forward: room,
    back: `Back: an intake of schema ${current} opens the database as it is${kept}.`,
  };
}

/** Reads the setting before a server runs. */
function copiesKept(db: Database): number {
  const stored = db.query<{ value: string }, []>("select value from setting where name = 'upgrade_copies'").all();
  return stored[0] ? Number(stored[0].value) : settings.upgrade_copies.default;
}

function checksumOf({ sql }: Migration): string {
  return Bun.SHA256.hash(sql, "hex");
}
