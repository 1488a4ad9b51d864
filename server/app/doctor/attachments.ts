import { statSync } from "node:fs";
import type { Reader } from "../../core/store.ts";
import { attachmentPath } from "../../store/local-files.ts";
import type { S3Files } from "../../store/s3-files.ts";
import { bad, counted, good } from "./finding.ts";

interface AttachmentRow {
  id: string;
  size: number;
}

const page = 10_000;
/** So many are looked for once more, each with a request to object storage. */
const secondLooks = 1_000;

/** Whether every attachment that a row names has its file in the folder, and of the right size. */
export async function attachmentsInFolder(folder: string, reader: Reader) {
  const sizeOf = (id: string) => statSync(attachmentPath(folder, id), { throwIfNoEntry: false })?.size;
  let found = 0;
  const lost: string[] = [];
  for await (const { id, size } of rowsOf(reader)) {
    if (sizeOf(id) === size) found++;
    else lost.push(id);
  }
  const missing = await stillNamed(reader, lost);
  if (missing === 0) return good(`${counted(found, "attachment has its file", "attachments have their files")}`);
  return bad(
    "attachments_missing",
    `the ${missing === 1 ? "file of 1 attachment is" : `files of ${missing} attachments are`} missing or cut`,
    "restore the folder attachments from a backup",
  );
}

/** The same for object storage: its list and the rows are read side by side, both in the order of the ids. */
export async function attachmentsInBucket(files: S3Files, reader: Reader) {
  const objects = files.sizes();
  let object = await objects.next();
  let found = 0;
  const lost: AttachmentRow[] = [];
  for await (const row of rowsOf(reader)) {
    while (!object.done && object.value.id < row.id) object = await objects.next();
    if (!object.done && object.value.id === row.id && object.value.size === row.size) found++;
    else lost.push(row);
  }
  // What was stored after its page of the list had been read is there all the same.
  const really: string[] = [];
  for (const [i, { id, size }] of lost.entries()) {
    if (i >= secondLooks || (await files.find(id))?.size !== size) really.push(id);
    else found++;
  }
  const missing = await stillNamed(reader, really);
  if (missing === 0) return good(counted(found, "attachment has its bytes", "attachments have their bytes"));
  return bad(
    "attachments_missing",
    `the bytes of ${counted(missing, "attachment")} are missing or cut`,
    "look whether INTAKE_FILES names the right bucket, or restore them from its versions",
  );
}

async function* rowsOf(reader: Reader): AsyncGenerator<AttachmentRow> {
  for (let after = ""; ; ) {
    const rows = await reader.all<{ id: string; size: number }>(
      `select id, size from attachment where state <> 'missing' and id > $1 order by id limit ${page}`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** A live server may have deleted an attachment meanwhile: it deletes the row before the file. */
async function stillNamed(reader: Reader, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (const id of ids) {
    if (await reader.one("select 1 as there from attachment where id = $1", [id])) count++;
  }
  return count;
}
