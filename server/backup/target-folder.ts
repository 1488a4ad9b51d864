import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { BackupRefused } from "./backup-refused.ts";

/** Where the server reads a backup back: beside it, or in the data directory when it is in a bucket. */
export function scratchForVerify(to: string, data: string): string {
  return `${to.startsWith("s3:") ? `${data}/backups` : to}/unfinished/verify`;
}

/** Throws when the target is a folder in the data directory: what takes one takes the other. */
export function requireApart(data: string, to: string) {
  if (to.startsWith("s3:")) return;
  const [folder, target] = [realPath(resolve(data)), realPath(resolve(to))];
  if (target !== folder && !target.startsWith(folder + sep)) return;
  throw new BackupRefused(
    `${target} is in the data directory ${folder}; give a folder elsewhere, best on another disk`,
  );
}

/** The path without symbolic links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
