/** A backup that cannot be made, read, removed or restored. The message says why, and what to do. */
export class BackupRefused extends Error {
  override name = "BackupRefused";
}
