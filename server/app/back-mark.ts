import { existsSync, readFileSync, rmSync } from "node:fs";
import { syncFolder, writeDurably } from "../core/durable-file.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";
import { attachmentsBeside, copiesFolder } from "../store/upgrade-copies.ts";
import { DataFolderUnusable } from "./data-folder-unusable.ts";

/** Stands in a data directory while its database is replaced by an older copy. */
interface BackMark {
  /** The path that the database is kept at from then on. */
  kept: string;
}

/** What takes the place of the database, until it does. */
export const draftPath = (folder: string) => `${databasePath(folder)}.back`;

const markPath = (folder: string) => `${folder}/going-back.json`;

export function isGoingBack(folder: string): boolean {
  return existsSync(markPath(folder));
}

/** The mark is on the disk when this returns, whole. */
export function writeBackMark(folder: string, mark: BackMark) {
  writeDurably(markPath(folder), `${JSON.stringify(mark)}\n`);
}

/**
 * Ends what a killed `intake migrate back` has left; to be called under the lock of the folder. The database is whole at
 * every moment: one rename puts the draft in its place, after the second name of the database was made. So going back is
 * done when that name is there and the draft is not; otherwise it has not happened, and what was prepared is removed.
 * The order of removal is such that a kill in the middle of it does not look like the former.
 */
export function endGoingBack(folder: string) {
  if (!isGoingBack(folder)) return;
  const { kept } = readBackMark(folder);
  const draft = draftPath(folder);
  if (existsSync(draft) || !existsSync(kept)) {
    rmSync(kept, { force: true });
    rmSync(`${kept}.part`, { force: true });
    rmSync(attachmentsBeside(kept), { recursive: true, force: true });
    if (existsSync(copiesFolder(folder))) syncFolder(copiesFolder(folder));
    rmSync(draft, { force: true });
    // Plays the journal back that a kill may have left: a connection that cannot write is refused until then.
    openDatabase(databasePath(folder)).close();
  }
  for (const end of ["-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
  syncFolder(folder);
  rmSync(markPath(folder), { force: true });
  syncFolder(folder);
}

function readBackMark(folder: string): BackMark {
  try {
    const { kept } = JSON.parse(readFileSync(markPath(folder), "utf8")) as BackMark;
    if (typeof kept === "string" && kept.startsWith(`${copiesFolder(folder)}/`)) return { kept };
  } catch {}
  throw new DataFolderUnusable(
    `${markPath(folder)} is damaged: intake migrate back was cut short. The database is whole; delete that file`,
  );
}
