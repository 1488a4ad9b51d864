import type { Row } from "../../core/store.ts";
import type { Files } from "../../store/files.ts";
import type { MoveSource, MoveTarget, Progress } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";

export interface FilesMoved {
  files: number;
  bytes: number;
  /** Ids of attachments that have a row and no file at the source. */
  missing: string[];
  /** Ids of attachments whose bytes are others than their row says: moved as they are. */
  differing: string[];
}

interface AttachmentRow extends Row {
  id: string;
  size: number;
  sha256: string | null;
}

/** Files under way at once: the latency of object storage is what takes time. */
const atOnce = 16;

/** Copies the file of each attachment in the order of their ids, and compares the ids of all files with the rows. */
export async function copyFiles(
  source: MoveSource,
  target: MoveTarget,
  { before, out }: { before: number; out: Progress },
): Promise<FilesMoved> {
  const rows = await source.all<AttachmentRow>(
    "select id, size, sha256 from attachment where state <> 'missing' order by id",
  );
  const moved: FilesMoved = { files: 0, bytes: 0, missing: [], differing: [] };
  for (let i = before; i < rows.length; i += atOnce) {
    const some = rows.slice(i, i + atOnce);
    await Promise.all(some.map((row) => copyFile(source.files, target.files, row, moved)));
    await target.movedFiles(i + some.length);
    out.progress(`attachments: ${i + some.length} of ${rows.length}`);
  }
  const there = await idsOf(target.files);
  for (const { id, size } of rows) {
    if (there.has(id)) {
      moved.files++;
      moved.bytes += size;
      continue;
    }
    if (await source.files.find(id)) throw new MoveRefused(`the attachment ${id} did not arrive in ${target.words}`);
    moved.missing.push(id);
  }
  if (moved.files > 0) out.note(`attachments: ${moved.files.toLocaleString("en")} files`);
  return moved;
}

async function copyFile(from: Files, to: Files, { id, sha256 }: AttachmentRow, moved: FilesMoved) {
  const file = await from.find(id);
  if (!file) return;
  const digest = new Bun.SHA256();
  const draft = await to.draft();
  try {
    for await (const bytes of streamOf(await file.open(0, file.size))) {
      digest.update(bytes);
      await draft.write(bytes);
    }
    const found = digest.digest() as unknown as Uint8Array;
    if (sha256 !== null && found.toHex() !== sha256) moved.differing.push(id);
    await to.keep(draft, id, () => found);
  } finally {
    await draft.discard();
  }
}

function streamOf(bytes: Blob | ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return bytes instanceof Blob ? bytes.stream() : bytes;
}

async function idsOf(files: Files): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const some of files.keptBefore(Number.MAX_SAFE_INTEGER)) for (const id of some) ids.add(id);
  return ids;
}
