import { accessSync, constants, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { copyDatabase } from "../../backup/copy-database.ts";
import { settings } from "../../core/settings.ts";
import { freeSpace } from "../../store/free-space.ts";
import { databasePath, databaseSchema, MigrationRefused, wayBackFrom } from "../../store/migrate.ts";
import { openDatabase } from "../../store/open-database.ts";
import { listCopies } from "../../store/upgrade-copies.ts";
import { megabytes, upgradeSpace } from "../../store/upgrade-space.ts";
import { runProgram, shownOutput } from "./run-program.ts";
import { withScratchFolder } from "./scratch-folder.ts";

/** What another binary would change in an installation. */
export interface UpgradeCheck {
  /** The path of the other binary. */
  file: string;
  version: string;
  /** The schema of the database, and the one that the other binary brings it to. */
  schema: { from: number; to: number };
  pending: { number: number; name: string }[];
  /** What the upgrade of a copy showed; null where none was tried. */
  rehearsal: Rehearsal | null;
}

interface Rehearsal {
  /** How long the upgrade of a copy of this database took, with the copy that the upgrade makes itself. */
  seconds: number;
  /** How long each step of it took. */
  steps: { number: number; seconds: number }[];
  /** Free space that the upgrade of the database needs in the data directory, and what is free there. */
  neededBytes: number;
  freeBytes: number;
  settings: {
    /** Settings of this binary that the other one does not know. `set` ones have a value in this database. */
    gone: { name: string; set: boolean }[];
    added: string[];
  };
}

const answerMilliseconds = 20_000;
const nameMax = 100;
const upgradeMilliseconds = 2 * 3_600_000;

/** Upgrades a copy of the database with another binary, and says what came of it. A server may run meanwhile. */
export function checkUpgrade(folder: string, given: string, progress: (text: string) => void): Promise<UpgradeCheck> {
  const file = executable(given);
  const log = existsSync(`${databasePath(folder)}-wal`);
  const checking = withScratchFolder(folder, async (scratch, signal) => {
    const environment = { HOME: scratch, TMPDIR: scratch };
    const ask = askProgram({ file, cwd: scratch, env: environment, signal });
    const { version, schema } = await versionOf(ask, file);
    const current = databaseSchema(folder);
    if (current > schema) throw tooOld(folder, file, version, { current, schema });
    const room = requireRoom(folder, current);

    progress("copying the database");
    await copyDatabase(folder, databasePath(scratch), (share) => {
      signal.throwIfAborted();
      progress(`copying the database: ${Math.floor(share * 100)} %`);
    });
    signal.throwIfAborted();
    const stored = storedSettings(scratch);
    const { pending } = await ask<{ pending: UpgradeCheck["pending"] }>(["migrate", "status"]);
    progress(`upgrading the copy with ${file}`);
    const begun = performance.now();
    if (pending.length > 0) await ask(["migrate", "up"], upgradeMilliseconds);
    const seconds = Math.round(performance.now() - begun) / 1000;
    const steps = pending.length > 0 ? stepTimes(scratch, current) : [];
    const listed = await ask<{ items: { name: string }[] }>(["settings", "list"]);
    const theirs = listed.items.map(({ name }) => plainName(name));
    const gone = Object.keys(settings)
      .filter((name) => !theirs.includes(name))
      .map((name) => ({ name, set: stored.has(name) }));
    const added = theirs.filter((name) => !Object.hasOwn(settings, name));
    return {
      file,
      version,
      schema: { from: current, to: databaseSchema(scratch) },
      pending: plainSteps(pending),
      rehearsal: { seconds: pending.length > 0 ? seconds : 0, steps, ...room, settings: { gone, added } },
    };
  });
  return checking.finally(() => {
    if (!log) removeEmptyLog(folder);
  });
}

/** Asks another binary what it would change in a PostgreSQL database. Nothing is tried. */
export async function checkUpgradeOfDatabase(url: string, given: string): Promise<UpgradeCheck> {
  const file = executable(given);
  const ask = askProgram({
    file,
    cwd: "/",
    env: { INTAKE_DATABASE_URL: url },
    signal: new AbortController().signal,
  });
  const { version } = await versionOf(ask, file);
  const { current, newest, pending } = await ask<{
    current: number;
    newest: number;
    pending: UpgradeCheck["pending"];
  }>(["migrate", "status"]);
  return {
    file,
    version,
    schema: { from: current, to: Math.max(current, Number(newest)) },
    pending: plainSteps(pending),
    rehearsal: null,
  };
}

/** Returns the absolute path of a file that may be executed. */
function executable(given: string): string {
  const file = resolve(given);
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) throw new MigrationRefused(`there is no file ${file}`);
  if (!there.isFile()) throw new MigrationRefused(`${file} is not a regular file; name the binary of the other intake`);
  try {
    accessSync(file, constants.X_OK);
  } catch {
    throw new MigrationRefused(`${file} is not executable by this user; run: chmod +x ${file}`);
  }
  return file;
}

type Ask = <T>(words: string[], milliseconds?: number) => Promise<T>;

/** Runs commands of another binary on the folder that it runs in, and reads the JSON that they print. */
function askProgram(at: { file: string; cwd: string; env: Record<string, string>; signal: AbortSignal }): Ask {
  return async (words, milliseconds = answerMilliseconds) => {
    const ran = await runProgram(at.file, [...words, "--json", "--data", at.cwd], { ...at, milliseconds });
    const asked = `${at.file} ${words.join(" ")}`;
    if (ran.code !== 0) throw new MigrationRefused(`${asked} failed (exit ${ran.code}): ${shownOutput(ran)}`);
    try {
      const answer = JSON.parse(ran.stdout);
      if (isAnswer(words[0], answer)) return answer;
    } catch {}
    throw new MigrationRefused(`${asked} does not answer as an intake does; it wrote: ${shownOutput(ran)}`);
  };
}

function isAnswer(word: string | undefined, answer: Record<string, unknown>): boolean {
  if (word === "--version") {
    return (
      /^\d+\.\d+\.\d+[\w.+-]{0,80}$/.test(String(answer["version"])) &&
      Number.isInteger(answer["schema"]) &&
      "sqlite" in answer
    );
  }
  return word === "settings"
    ? Array.isArray(answer["items"])
    : Array.isArray(answer["pending"]) && Number.isInteger(answer["current"]);
}

function versionOf(ask: Ask, file: string): Promise<{ version: string; schema: number }> {
  return ask<{ version: string; schema: number }>(["--version"]).catch((error: Error) => {
    if (!(error instanceof MigrationRefused) || /interrupted/.test(error.message)) throw error;
    throw new MigrationRefused(`${file} is no intake that can be checked: ${error.message}`);
  });
}

function tooOld(
  folder: string,
  file: string,
  version: string,
  { current, schema }: { current: number; schema: number },
): MigrationRefused {
  return new MigrationRefused(
    `${file} (intake ${version}, schema ${schema}) is older than the database (schema ${current}) and would not start on it; nothing was changed. Back: ${wayBackFrom(folder, schema)}`,
  );
}

/** Throws unless the copy and its upgrade leave the server the space that it keeps free. */
function requireRoom(folder: string, current: number): { neededBytes: number; freeBytes: number } {
  const path = databasePath(folder);
  const db = openDatabase(path, { readonly: true });
  try {
    const { neededBytes, freeBytes } = upgradeSpace(db, folder, current);
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const { bytes, keptFree } = freeSpace(folder);
    const rehearsalBytes = statSync(path).size + 2 * log + neededBytes + keptFree;
    if (bytes < rehearsalBytes) {
      throw new MigrationRefused(
        `there is no room to try the upgrade on a copy: that needs ${megabytes(rehearsalBytes)} free for ${folder}, and ${megabytes(bytes)} are. The upgrade itself needs ${megabytes(neededBytes)}. Nothing was changed`,
      );
    }
    return { neededBytes, freeBytes };
  } finally {
    db.close();
  }
}

/** A reader leaves an empty log where none was; a writer that closes the database last removes it. */
function removeEmptyLog(folder: string) {
  try {
    openDatabase(databasePath(folder)).close();
  } catch {
    // The log is empty, and what is wrong with the database was said already.
  }
}

function plainSteps(pending: UpgradeCheck["pending"]): UpgradeCheck["pending"] {
  return pending.map(({ number, name }) => ({ number: Number(number), name: plainName(name) }));
}

/** A name that another program wrote, as it may be shown on a terminal. */
function plainName(name: unknown): string {
  return String(name)
    .replaceAll(/[^\w.:+-]/g, "?")
    .slice(0, nameMax);
}

/** Reads when each step of an upgrade was done. The steps begin when the copy before them has got its name. */
function stepTimes(folder: string, from: number): Rehearsal["steps"] {
  const copy = listCopies(folder)[0]?.path;
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    const rows = db
      .query<{ number: number; at: number }, [number]>(
        "select number, applied_at as at from migration where number > ?1 order by number",
      )
      .all(from);
    let last = copy === undefined ? (rows[0]?.at ?? 0) : Math.floor(statSync(copy).ctimeMs);
    return rows.map(({ number, at }) => {
      const seconds = Math.max(0, at - last) / 1000;
      last = at;
      return { number, seconds };
    });
  } finally {
    db.close();
  }
}

/** The names of settings that have a value in the database. */
function storedSettings(folder: string): Set<string> {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    const rows = db.query<{ name: string }, []>("select name from setting").all();
    return new Set(rows.map(({ name }) => name));
  } finally {
    db.close();
  }
}
