import { readdirSync, rmSync, statSync } from "node:fs";

/** The folder for frames that are not in the backup target yet. */
export function spoolFolder(data: string): string {
  return `${data}/wal-spool`;
}

const name = /^(\d{8}T\d{9}Z-[0-9a-f]{6})-(\d{10})\.spool$/;

export interface SpoolName {
  file: string;
  chain: string;
  number: number;
}

export function spoolName(chain: string, number: number): string {
  return `${chain}-${String(number).padStart(10, "0")}.spool`;
}

/** The files of the spool, oldest first. The last one is being written. */
export function spoolFiles(folder: string): SpoolName[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
  return names.sort().flatMap((file) => {
    const found = name.exec(file);
    return found ? [{ file, chain: found[1] ?? "", number: Number(found[2]) }] : [];
  });
}

/** The chain of segments that the data directory is at, and the last one that was completed; undefined without any. */
export function spooledUpTo(data: string): { chain: string; segment: number } | undefined {
  const last = spoolFiles(spoolFolder(data)).at(-1);
  return last && { chain: last.chain, segment: last.number - 1 };
}

/** Bytes of all segments that are not shipped, and of the one that is being written. */
export function spoolBytes(folder: string): number {
  return spoolFiles(folder).reduce((sum, { file }) => sum + sizeOf(`${folder}/${file}`), 0);
}

/** Removes everything, also what is not shipped yet. */
export function discardSpool(folder: string) {
  for (const name of readdirIf(folder)) rmSync(`${folder}/${name}`, { force: true });
}

function readdirIf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
