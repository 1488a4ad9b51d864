import { open, rename, rm } from "node:fs/promises";
import { CommandFailed } from "./failure.ts";

/**
 * Writes a stream to a file, or to stdout where `path` is `-`; returns the bytes. A file gets its name once all of it is
 * written, so that a killed command leaves no file that looks whole.
 */
export async function saveStream(path: string, stream: ReadableStream<Uint8Array>): Promise<number> {
  return path === "-" ? toStdout(stream) : toFile(path, stream);
}

async function toStdout(stream: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      process.stdout.write(chunk, resolve);
    });
    // Whoever reads the output has seen enough.
    if (error) return bytes;
    bytes += chunk.length;
  }
  return bytes;
}

async function toFile(path: string, stream: ReadableStream<Uint8Array>): Promise<number> {
  const draft = `${path}.partial`;
  let bytes = 0;
  try {
    const file = await open(draft, "w", 0o600);
    try {
      for await (const chunk of stream) {
        await file.writeFile(chunk);
        bytes += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new CommandFailed(`cannot write ${path} (${code ?? "unknown reason"})`);
  }
}
