import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClaimedRun } from "../../../client/src/runner.ts";

/** The files of one run, readable by their owner only. The folder is removed when the run ends. */
export interface RunFolder {
  path: string;
  /** Working folder of the command: the clone of the repository, or an empty folder. */
  work: string;
  /** `TMPDIR` of the command. */
  temporary: string;
  /** JSON of the ticket, stdin of the command. */
  ticket: string;
  /** Where the command may write `result.json`. */
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

/** Removes the folder. Throws when it contains files of another user. */
export async function removeRunFolder({ path }: RunFolder): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true });
  await remove().catch(async () => {
    // Some tools write-protect folders, such as Go its module cache: make them writable and try again.
    await Bun.spawn(["chmod", "-R", "u+rwX", path], { stdio: ["ignore", "ignore", "ignore"] }).exited;
    await remove();
  });
}
