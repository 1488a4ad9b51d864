import { randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gzip as zlibGzip } from "node:zlib";
import type { Attachment } from "./reports/attachment.ts";
import { type PersistentStore, persistent } from "./reports/persistence.ts";
import { readRecordName } from "./reports/queue-store.ts";

export type { Attachment } from "./reports/attachment.ts";
export type { PersistentStore } from "./reports/persistence.ts";
export { type CaptureErrorsOptions, captureErrors } from "./reports/process-errors.ts";
export type { QueueStore } from "./reports/queue-store.ts";

/** A lock file that was not touched for so long belongs to a process that has ended. */
const staleMs = 60_000;
const lockName = "lock";
const chunkBytes = 65_536;

/**
 * Keeps waiting reports as files in one folder, across restarts. Several processes may share the folder; one of them
 * sends. The folder is created when it is first needed, readable by its owner only. Use one folder for each SDK key.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, store: fileStore("/var/lib/shop/reports") });
 * ```
 */
export function fileStore(folder: string): PersistentStore {
  const path = (name: string) => join(folder, name);

  return persistent({
    async names() {
      const names = await readdir(folder).catch(absent);
      return (names ?? []).filter((name) => readRecordName(name));
    },
    async read(name) {
      const bytes = await readFile(path(name)).catch(absent);
      return bytes && new Uint8Array(bytes);
    },
    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await withDraft(path(name), bytes, (draft) => rename(draft, path(name)));
      await sync(folder);
    },
    remove: (name) => rm(path(name), { force: true }),
    async exclusive(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lock = path(lockName);
      if (!(await takeLock(lock))) return false;
      const renewal = setInterval(() => utimes(lock, new Date(), new Date()).catch(() => {}), staleMs / 3);
      renewal.unref();
      try {
        await removeDrafts(folder);
        await work();
      } finally {
        clearInterval(renewal);
        await rm(lock, { force: true });
      }
      return true;
    },
  });
}

/**
 * Attaches a file. The file is read when the report is packed, not before; a file that cannot be read then is left out of
 * the report and listed in the envelope's `dropped`.
 *
 * ```ts
 * reports.capture({ title: "Import failed" }, { attachments: [attachmentFromPath("import.log", { kind: "log" })] });
 * ```
 */
export function attachmentFromPath(path: string, more: Partial<Omit<Attachment, "data">> = {}): Attachment {
  let file: FileHandle | undefined;
  const data = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        file ??= await open(path);
        const { bytesRead, buffer } = await file.read(new Uint8Array(chunkBytes)).catch(async (error) => {
          await file?.close();
          throw error;
        });
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await file.close();
        controller.close();
      },
      cancel: () => file?.close(),
    },
    { highWaterMark: 0 },
  );
  return { filename: basename(path), ...more, data };
}

/** Compresses with `node:zlib`, on another thread: for the option `gzip` where there is no `CompressionStream`. */
export const gzip: (bytes: Uint8Array) => Promise<Uint8Array> = promisify(zlibGzip);

/** Writes and syncs a temporary file beside `path`, which `place` then links or renames, so that `path` is never half written. */
async function withDraft(path: string, bytes: Uint8Array, place: (draft: string) => Promise<void>) {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the temporary files of processes that were killed while they wrote. */
async function removeDrafts(folder: string) {
  for (const name of await readdir(folder)) {
    const [, pid] = /\.(\d+)\.[0-9a-f-]{36}$/.exec(name) ?? [];
    if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Syncs a folder, so that a file's new name survives a power cut. Windows cannot open folders and needs no sync. */
async function sync(folder: string) {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function takeLock(lock: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      // A link is atomic: the lock file exists with its owner's pid in it, or does not exist.
      await withDraft(lock, new TextEncoder().encode(String(process.pid)), (draft) => link(draft, lock));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const state = await stateOf(lock);
    if (state === "held") return false;
    // Released meanwhile: another process may hold the lock by now, so the file must not be moved away.
    if (state === "free") continue;
    // Renamed before it is deleted, so that two processes that both find the lock stale hardly ever both take it. If they
    // do, both send, and the server stores each report once.
    const old = `${lock}.${process.pid}.${randomUUID()}`;
    await rename(lock, old).catch(absent);
    await rm(old, { force: true });
  }
  return false;
}

async function stateOf(lock: string): Promise<"held" | "stale" | "free"> {
  const touched = await stat(lock).catch(absent);
  if (!touched) return "free";
  if (Date.now() - touched.mtimeMs > staleMs) return "stale";
  const owner = await readFile(lock, "utf8").catch(absent);
  if (owner === undefined) return "free";
  return isAlive(Number(owner)) ? "held" : "stale";
}

/**
 * Whether the process exists. Processes of another container count as ended: then two processes may send at once, and
 * the server stores each report once.
 */
function isAlive(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Undefined for a file that does not exist; throws every other error. */
function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
