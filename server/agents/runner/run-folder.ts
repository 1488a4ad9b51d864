import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClaimedRun } from "../../../client/src/runner.ts";

/** What one run has on disk, for its owner only. It is gone when the run is. */
export interface RunFolder {
  path: string;
  /** Where the command runs: the repository, or an empty folder. */
  work: string;
  temporary: string;
  ticket: string;
  result: string;
}

export function makeRunFolder(workDir: string, { ticket }: ClaimedRun): RunFolder {
  const path = mkdtempSync(join(workDir, "intake-run-"));
  const folder = {
    path,
    work: join(path, "work"),
    temporary: join(path, "tmp"),
    ticket: join(path, "ticket.json"),
    result: join(path, "result.json"),
  };
  chmodSync(path, 0o700);
  mkdirSync(folder.work);
  mkdirSync(folder.temporary);
  writeFileSync(folder.ticket, `${JSON.stringify(ticket)}\n`);
  return folder;
}

/** Throws when something in it belongs to somebody else. */
export async function removeRunFolder({ path }: RunFolder): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true });
  await remove().catch(async () => {
    // Folders that nobody may write to, such as a cache of modules.
    await Bun.spawn(["chmod", "-R", "u+rwX", path], { stdio: ["ignore", "ignore", "ignore"] }).exited;
    await remove();
  });
}
