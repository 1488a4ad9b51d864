import { isGoingBack } from "./back-mark.ts";
import { DataFolderUnusable } from "./data-folder-unusable.ts";
import { DataDirectoryLocked, DataLock } from "./lock.ts";

/** For commands that use a data directory without its lock: refuses while it goes back, and ends what a kill has left. */
export function endLeftGoingBack(folder: string) {
  if (!isGoingBack(folder)) return;
  try {
    // Whoever takes the lock ends it.
    new DataLock(folder, "migrate back").release();
  } catch (error) {
    if (error instanceof DataDirectoryLocked || error instanceof DataFolderUnusable) throw error;
    const { code = "unknown" } = error as { code?: string };
    throw new DataFolderUnusable(
      `the data directory ${folder} was left by intake migrate back, which was killed, and it could not be put in order (${code}); run a command as the user of the server, such as: intake migrate status`,
    );
  }
}
