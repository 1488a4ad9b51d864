import type { Context } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import type { PlannedAttachment } from "./plan-attachments.ts";

interface KeptAttachments {
  rows: (PlannedAttachment & { id: string })[];
  /** Removes the files when their rows are not stored after all. Never throws: files that remain are swept later. */
  remove(): Promise<void>;
}

/** Makes the files of attachments durable, each under a new id, before a row names them. */
export async function keepAttachments(
  { newId, store }: Pick<Context, "newId" | "store">,
  files: Files,
  attachments: readonly PlannedAttachment[],
): Promise<KeptAttachments> {
  const rows = attachments.map((attachment) => ({ ...attachment, id: newId() }));
  const remove = async () => {
    const ids = rows.flatMap(({ id, source }) => (source ? [id] : []));
    if (ids.length > 0) await removeUnnamed(store, files, ids).catch(() => {});
  };
  // All have to settle before the files are removed: a file that is written later would stay.
  const kept = await Promise.allSettled(rows.map((row) => keep(files, row)));
  const failed = kept.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") {
    await remove();
    throw failed.reason;
  }
  return { rows, remove };
}

async function keep(files: Files, { id, source }: PlannedAttachment & { id: string }): Promise<void> {
  if (!source) return;
  const { content } = source;
  const digest = source.digest();
  await (content instanceof Uint8Array ? files.keepBytes(content, id, digest) : files.keep(content, id, digest));
}

/** Removes those of the files that no row names: a file whose row exists stays. */
export async function removeUnnamed(store: Reader, files: Files, ids: readonly string[]): Promise<number> {
  const unnamed: string[] = [];
  for (const id of ids) {
    if (!(await store.one("select number from attachment where id in ($1)", [id]))) unnamed.push(id);
  }
  await files.remove(unnamed);
  return unnamed.length;
}
