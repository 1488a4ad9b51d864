import { DatabaseEnd } from "./database-end.ts";
import type { Progress } from "./ends.ts";
import { estimateMove, type MoveEstimate } from "./estimate-move.ts";
import { failureOfMove } from "./failure-of-move.ts";
import { FolderEnd } from "./folder-end.ts";
import { type Moved, moveInstallation } from "./move.ts";

interface Input {
  data: string;
  url: string;
  /** From the database into the data directory. */
  back: boolean;
  dryRun: boolean;
  out: Progress;
}

/** Moves an installation between a data directory and the database and bucket that the environment names. */
export async function moveBetween({ data, url, back, dryRun, out }: Input): Promise<Moved | MoveEstimate> {
  const folder = new FolderEnd(data);
  const database = await DatabaseEnd.open(url, data);
  const [source, target] = back ? [database, folder] : [folder, database];
  try {
    return dryRun ? await estimateMove(source, target) : await moveInstallation(source, target, out);
  } catch (error) {
    throw failureOfMove(error);
  } finally {
    await folder.close();
    await database.close();
  }
}
