/** What INTAKE_FILES names cannot be used. The message repeats no part of it. */
export class FilesUnusable extends Error {
  override name = "FilesUnusable";
}
