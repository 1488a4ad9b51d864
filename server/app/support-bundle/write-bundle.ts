import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from "node:fs";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export class BundleNotWritten extends Error {
  override name = "BundleNotWritten";
}

/** Writes texts as one .tar.gz that only this user can read. A file or link that has the name already is left alone. */
export async function writeBundle(path: string, texts: Record<string, string>): Promise<number> {
  const bytes = await new Bun.Archive(texts, { compress: "gzip" }).bytes();
  let file: number;
  try {
    file = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  } catch (error) {
    const { code } = error as { code?: string };
    throw new BundleNotWritten(
      code === "EEXIST"
        ? `${path} is there already; choose another name with --to`
        : `${path} cannot be written (${code})`,
    );
  }
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw new BundleNotWritten(`${path} cannot be written (${(error as { code?: string }).code})`);
  } finally {
    closeSync(file);
  }
  return bytes.length;
}
