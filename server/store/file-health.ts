import { StoreUnavailable } from "../core/store.ts";
import { diskFull, isFull } from "./sqlite-errors.ts";

/** Failures of the system, not faults of this program: nothing was stored, and the same call may succeed later. */
const failures = /^(EIO|EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EMFILE|ENFILE)$/;

/** Remembers whether the last attempt to write a file on the local disk succeeded. */
export class FileHealth {
  trouble: string | undefined;

  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      this.trouble = undefined;
      return done;
    } catch (error) {
      const { code = "" } = error as { code?: string };
      const full = isFull(code) || code === "EDQUOT";
      if (!full && !failures.test(code)) throw error;
      this.trouble = full ? diskFull : `attachments cannot be written (${code})`;
      throw new StoreUnavailable(this.trouble, { cause: error });
    }
  }
}
