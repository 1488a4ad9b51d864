import { filesOf } from "../../server/app/files-of.ts";
import type { Files } from "../../server/store/files.ts";
import { LocalFiles } from "../../server/store/local-files.ts";
import { onS3 } from "./databases.ts";

/** The attachments of a data directory, as its server keeps them. */
export function openFiles(folder: string): Files {
  return onS3 ? filesOf(folder) : new LocalFiles(folder);
}

/** The ids of all files that are kept; on S3 of the whole test file. */
export async function keptIds(folder: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of openFiles(folder).keptBefore(Number.POSITIVE_INFINITY)) ids.push(...page);
  return ids.sort();
}
