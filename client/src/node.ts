import { randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gzip as zlibGzip } from "node:zlib";
import type { Attachment } from "./reports/attachment.ts";
import { type QueueStore, readRecordName } from "./reports/store.ts";

export type { Attachment } from "./reports/attachment.ts";
export type { QueueStore } from "./reports/store.ts";

/** A lock that nobody has touched for so long belongs to a process that is gone. */
const staleMs = 60_000;
const lockName = "lock";
const chunkBytes = 65_536;

/**
 * Keeps waiting reports as files of one folder, over restarts and for all processes that use it, of which one sends.
 * The folder is made when it is needed, readable for its owner only. Give each key one of its own.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, store: fileStore("/var/lib/shop/reports") });
 * ```
 */
export function fileStore(folder: string): QueueStore {
  const path = (name: string) => join(folder, name);

  return {
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
  };
}

/**
 * A file as an attachment. It is read when the report is packed, not before; one that cannot be read then is left out
 * of the report and named in its envelope.
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

/** Packs with `node:zlib`, on a thread of its own: for `gzip` of the client's options where there is no `CompressionStream`. */
export const gzip: (bytes: Uint8Array) => Promise<Uint8Array> = promisify(zlibGzip);

/** Writes a file beside its place, durably, so that what stands in its place is always whole. */
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

/** Those of processes that were killed while they wrote. */
async function removeDrafts(folder: string) {
  for (const name of await readdir(folder)) {
    const [, pid] = /\.(\d+)\.[0-9a-f-]{36}$/.exec(name) ?? [];
    if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** So that a new name outlives a power cut too; where folders cannot be opened, as on Windows, the system does it. */
async function sync(folder: string) {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function takeLock(lock: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      // Linked, so that it is there with its owner or not at all.
      await withDraft(lock, new TextEncoder().encode(String(process.pid)), (draft) => link(draft, lock));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const state = await stateOf(lock);
    if (state === "held") return false;
    // Let go of meanwhile: another may have it by now, whose lock is not to be moved away.
    if (state === "free") continue;
    // Moved away rather than deleted, so that hardly ever two get it who find it stale; the server keeps one of each.
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

/** A process of another container cannot be asked: then two may send, and the server keeps one of each. */
function isAlive(pid: number): boolean {
  try {
    // Signal 0 only asks.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
