import { statfsSync } from "node:fs";

const lowBytes = 512 * 1024 * 1024;
const lowShare = 0.05;

interface FreeSpace {
  /** Bytes that this user may still write. */
  bytes: number;
  /** Bytes of the whole disk. */
  size: number;
  /** Space kept free for tickets and for deleting: min(5 % of the disk, 512 MiB). */
  keptFree: number;
  /** True when less than that is free. */
  low: boolean;
}

const askMilliseconds = 250;

/** Free space for callers that ask often: the system is asked at most four times a second. */
export function spaceOf(folder: string): () => FreeSpace {
  let asked = Number.NEGATIVE_INFINITY;
  let space: FreeSpace = { bytes: 0, size: 0, keptFree: 0, low: false };
  return () => {
    if (performance.now() - asked > askMilliseconds) {
      space = freeSpace(folder);
      asked = performance.now();
    }
    return space;
  };
}

export function freeSpace(folder: string): FreeSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const bytes = bavail * bsize;
  const keptFree = Math.min(blocks * bsize * lowShare, lowBytes);
  return { bytes, size: blocks * bsize, keptFree, low: bytes < keptFree };
}
