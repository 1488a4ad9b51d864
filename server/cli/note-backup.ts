import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { usesDatabase } from "../app/place-variables.ts";
import type { CreatedBackup } from "../backup/create-backup.ts";
import { backupVerifiedStep, beginBackupTryStep, endBackupTryStep } from "../core/backup-tries.ts";
import type { Step, Tx } from "../core/store.ts";
import { databasePath, databaseSchema } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import type { Io } from "./io.ts";
import { startedByServer } from "./started-by-server.ts";
import { withFolderStore } from "./with-store.ts";

interface Made {
  folder: string;
  to: string;
  io: Io;
}

/**
 * Notes in the database how a backup went that was made by hand, where the page, metrics and doctor look. The server
 * notes those that it has made. Nothing is noted before the work has ended: it closes files of the database, and with
 * them the locks of this process.
 */
export async function noted({ folder, to, io }: Made, create: () => Promise<CreatedBackup>): Promise<CreatedBackup> {
  const startedAt = Date.now();
  const target = to.startsWith("s3:") ? to : resolve(to);
  const begun = { origin: "command", target, startedAt } as const;
  const note = (ended: Parameters<typeof endBackupTryStep>[2]) =>
    noteIn(folder, io, function* (tx) {
      yield* endBackupTryStep(tx, yield* beginBackupTryStep(tx, begun), ended);
    });
  let made: CreatedBackup;
  try {
    made = await create();
  } catch (error) {
    await note({ endedAt: Date.now(), failure: (error as Error).message });
    throw error;
  }
  const { id, asOf, bytes, addedBytes } = made;
  await note({ endedAt: Date.now(), backupId: id, asOf: Date.parse(asOf), bytes, addedBytes });
  return made;
}

/** Notes that a backup of the data directory was read back by hand; `failure` is why it is not sound. */
export function noteVerified(folder: string, io: Io, backupId: string, failure: string | null): Promise<void> {
  return noteIn(folder, io, (tx) => backupVerifiedStep(tx, backupId, { at: Date.now(), failure }));
}

async function noteIn(folder: string, io: Io, step: (tx: Tx) => Step<void>): Promise<void> {
  if (startedByServer() || usesDatabase() || !existsSync(databasePath(folder))) return;
  try {
    // An older database has no table for it before the server has started.
    if (databaseSchema(folder) !== migrations.at(-1)?.number) return;
    await withFolderStore(folder, ({ store }) => store.write(step));
  } catch (error) {
    io.note(`this was not noted in the database: ${(error as Error).message}`);
  }
}
