import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file of mode 0600, or replaces it: it is on the disk when this returns, whole. A kill leaves the old one. */
export function writeDurably(path: string, text: string) {
  const draft = `${path}.new`;
  try {
    const file = openSync(draft, "w", 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Syncs what was written to a file. */
export function syncFile(path: string) {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, so that the names in it outlive a power cut. */
export function syncFolder(path: string) {
  syncFile(path);
}
