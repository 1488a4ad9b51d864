import type { Database } from "bun:sqlite";
import { existsSync, statfsSync, statSync } from "node:fs";
import { Ballast } from "./ballast.ts";
import { copiesFolder, listCopies } from "./upgrade-copies.ts";

/**
 * All steps are one transaction. In the worst case every page of a database that has doubled in size stands once in the
 * log and is then copied back.
 */
const workTimes = 3;
const slackBytes = 4 * 1024 * 1024;

interface UpgradeSpace {
  /** The pages in use, which are what the copy has. */
  copyBytes: number;
  /** Free space that the whole upgrade needs, in the folder that has the least to spare. */
  neededBytes: number;
  freeBytes: number;
}

/**
 * Computes the space that an upgrade from the schema `current` needs, for the copy and all steps, and the free space.
 * The copy of a failed upgrade is removed before the steps begin, so its space serves the steps: a restart needs no
 * more than the start before.
 */
export function upgradeSpace(db: Database, folder: string, current: number): UpgradeSpace {
  const pragma = (name: string) => Object.values(db.query(`pragma ${name}`).all()[0] ?? {})[0] as number;
  const [page, count, unused] = [pragma("page_size"), pragma("page_count"), pragma("freelist_count")];
  const copyBytes = (count - unused) * page;
  const workBytes = workTimes * count * page + slackBytes;
  const copies = existsSync(copiesFolder(folder)) ? copiesFolder(folder) : folder;
  if (statSync(copies).dev === statSync(folder).dev) {
    const replaced = listCopies(folder).filter(({ begun, from }) => begun && from === current);
    const freedBytes = replaced.reduce((sum, { bytes }) => sum + bytes, 0);
    const neededBytes = copyBytes + Math.max(slackBytes, workBytes - freedBytes);
    return { copyBytes, neededBytes, freeBytes: freeBytes(folder) };
  }
  const forCopy = { copyBytes, neededBytes: copyBytes + slackBytes, freeBytes: freeBytes(copies) };
  const forWork = { copyBytes, neededBytes: workBytes, freeBytes: freeBytes(folder) };
  return forCopy.freeBytes - forCopy.neededBytes < forWork.freeBytes - forWork.neededBytes ? forCopy : forWork;
}

/** When space is short, the ballast is given up; the server makes it again once there is room. */
export function makeRoom(db: Database, folder: string, current: number): UpgradeSpace {
  const space = upgradeSpace(db, folder, current);
  if (space.freeBytes >= space.neededBytes || !new Ballast(folder).giveUp()) return space;
  return upgradeSpace(db, folder, current);
}

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
