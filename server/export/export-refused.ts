/** An export that cannot be written, or cannot go on. The message says why, and what to do. */
export class ExportRefused extends Error {
  override name = "ExportRefused";
}
