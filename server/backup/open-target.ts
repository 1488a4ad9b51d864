import { resolve } from "node:path";
import { readS3Address } from "../core/s3-address.ts";
import { S3Credentials } from "../store/s3/credentials.ts";
import { BackupRefused } from "./backup-refused.ts";
import { FolderTarget } from "./folder-target.ts";
import { S3Target } from "./s3-target.ts";
import type { BackupTarget } from "./target.ts";

/** Opens a backup target: a folder, or `s3://bucket/prefix`, with the key that the environment names. */
export function openTarget(text: string, environment: Record<string, string | undefined> = process.env): BackupTarget {
  if (!text.startsWith("s3:")) {
    if (/^\w+:\/\//.test(text)) throw new BackupRefused("the backup target: must be a folder or s3://BUCKET/PREFIX");
    return new FolderTarget(resolve(text));
  }
  try {
    return new S3Target(readS3Address(text, environment), new S3Credentials(environment));
  } catch (error) {
    throw new BackupRefused(`the backup target: ${(error as Error).message}`, { cause: error });
  }
}
