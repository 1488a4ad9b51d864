import type { Context } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import type { AttachmentPlan, PlannedAttachment } from "./plan-attachments.ts";
import type { Part } from "./spool.ts";

interface KeptAttachments {
  rows: (PlannedAttachment & { id: string })[];
  warnings: AttachmentPlan["warnings"];
  /** Removes the files when their rows are not stored after all. Never throws: files that remain are swept later. */
  remove(): Promise<void>;
}

/**
 * Makes the parts durable as files, each under a new id, before a row names them. `plan` hashes them while they are
 * written.
 */
export async function keepAttachments(
  { newId, store }: Pick<Context, "newId" | "store">,
  files: Files,
  parts: readonly Part[],
  plan: () => Promise<AttachmentPlan>,
): Promise<KeptAttachments> {
  const ids = parts.map(() => newId());
  const remove = async () => {
    if (ids.length > 0) await removeUnnamed(store, files, ids).catch(() => {});
  };
  const keeping = parts.map((part, i) => keep(files, ids[i] as string, part));
  const planning = plan();
  try {
    const [{ attachments, warnings }] = await Promise.all([planning, ...keeping]);
    const rows = attachments.map((attachment, i) => ({ ...attachment, id: ids[i] ?? newId() }));
    return { rows, warnings, remove };
  } catch (error) {
    // All have to settle before the files are removed: a file that is written later would stay.
    await Promise.allSettled([planning, ...keeping]);
    await remove();
    throw error;
  }
}

function keep(files: Files, id: string, { content, digest }: Part): Promise<void> {
  return content instanceof Uint8Array ? files.keepBytes(content, id, digest) : files.keep(content, id, digest);
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
