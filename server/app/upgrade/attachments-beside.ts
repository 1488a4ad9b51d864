import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { isUuid } from "../../../openapi/check.ts";
import { syncFile, syncFolder } from "../../core/durable-file.ts";
import { attachmentPath, LocalFiles } from "../../store/local-files.ts";
import { openDatabase } from "../../store/open-database.ts";
import { attachmentsBeside } from "../../store/upgrade-copies.ts";

/**
 * Gives every file of an attachment that the database `next` does not name a second name beside the copy `kept`: a
 * server that runs on `next` removes files that no row names. Returns how many there are.
 */
export async function keepAttachments(folder: string, next: string, kept: string): Promise<number> {
  const beside = attachmentsBeside(kept);
  const db = openDatabase(next, { readonly: true });
  let count = 0;
  try {
    const made = db.query("select 1 from sqlite_schema where type = 'table' and name = 'attachment'").all().length > 0;
    const named = made ? db.prepare("select 1 from attachment where id = ?1") : undefined;
    for await (const ids of new LocalFiles(folder).keptBefore(Number.POSITIVE_INFINITY)) {
      for (const id of ids) {
        if (named && named.all(id).length > 0) continue;
        if (count++ === 0) mkdirSync(beside, { mode: 0o700 });
        giveSecondName(attachmentPath(folder, id), `${beside}/${id}`);
      }
    }
    named?.finalize();
  } finally {
    db.close();
  }
  if (count > 0) syncFolder(beside);
  return count;
}

/** Puts the files beside a copy back to where a database that names them looks for them. */
export function putAttachmentsBack(folder: string, copy: string) {
  const beside = attachmentsBeside(copy);
  if (!existsSync(beside)) return;
  const folders = new Set<string>();
  for (const id of readdirSync(beside).filter(isUuid)) {
    const path = attachmentPath(folder, id);
    if (existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    folders.add(dirname(path));
    giveSecondName(`${beside}/${id}`, path);
  }
  for (const one of folders) syncFolder(one);
  if (folders.size > 0) syncFolder(`${folder}/attachments`);
}

/** Gives a file a second name; copies it where the file system has no second names, or the other folder is on another. */
export function giveSecondName(path: string, second: string) {
  try {
    linkSync(path, second);
  } catch (error) {
    if (!["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(String((error as { code?: string }).code))) {
      throw error;
    }
    const part = `${second}.part`;
    copyFileSync(path, part);
    syncFile(part);
    renameSync(part, second);
  }
}
