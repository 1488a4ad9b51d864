import { readFileSync, writeFileSync } from "node:fs";

/**
 * The id of the process that used this folder before; undefined for the first one. A folder is used by one process at a
 * time, so the former one has ended, and what it had claimed is free at once. Notes the id of this process for the next.
 */
export function formerProcess(folder: string, id: string): string | undefined {
  const path = `${folder}/process-id`;
  const former = read(path);
  writeFileSync(path, `${id}\n`, { mode: 0o600 });
  return former;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
