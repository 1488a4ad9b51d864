import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file of mode 0600, or replaces it: it is on the disk when this returns, whole. A kill leaves the old one. */
export function writeDurably(path: string, text: string) {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Syncs a folder, so that the names in it outlive a power cut. */
export function syncFolder(path: string) {
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}
