import { StoreUnavailable } from "../core/store.ts";
import { BackupRefused } from "./backup-refused.ts";

const full = ["ENOSPC", "EDQUOT", "SQLITE_FULL"];
const closed = ["EROFS", "EACCES", "EPERM", "SQLITE_READONLY", "SQLITE_CANTOPEN"];

/** What a failure of a disk or of object storage says to an operator. `where` names what was written or read. */
export function failureOfBackup(error: unknown, where: string): unknown {
  if (error instanceof BackupRefused) return error;
  const { code = "", path, syscall } = error as { code?: string; path?: string; syscall?: string };
  const at = path === undefined ? where : path;
  const refused = (text: string) => new BackupRefused(text, { cause: error });
  if (error instanceof StoreUnavailable) {
    return refused(`${where}: ${error.message}. Run the same command again: what was copied is not copied again`);
  }
  if (full.includes(code)) {
    return refused(`${where} is full (${code}). Make room and run the same command again: it goes on from there`);
  }
  // A folder is made unless it is there: what is there already is a file.
  if (code === "ENOTDIR" || (code === "EEXIST" && syscall === "mkdir")) {
    return refused(`${at} is a file, or lies in one (${code}); give a folder`);
  }
  if (closed.some((one) => code.startsWith(one))) {
    return refused(`${at} cannot be used (${code}); give this user the right to read and write there`);
  }
  if (code === "EIO") return refused(`${at} cannot be read or written (EIO): its disk fails; use another one`);
  return error;
}
