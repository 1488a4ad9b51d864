import { log } from "../core/log.ts";
import { readS3Address, type S3Address } from "../core/s3-address.ts";
import type { Files } from "../store/files.ts";
import { LocalFiles } from "../store/local-files.ts";
import { S3Credentials } from "../store/s3/credentials.ts";
import { S3Files } from "../store/s3-files.ts";
import { FilesUnusable } from "./files-unusable.ts";

type Environment = Record<string, string | undefined>;

/** Where attachments are kept: in the bucket that INTAKE_FILES names, or in the folder, which one process uses then. */
export function filesOf(folder: string, environment: Environment = process.env): Files {
  const address = bucketOf(environment);
  if (!address) {
    log.warn(
      "attachments are kept in the folder of this process, where no other finds them; set INTAKE_FILES to s3://…",
      {
        folder,
      },
    );
    return new LocalFiles(folder);
  }
  return orUnusable(() => {
    return new S3Files(address, {
      spool: `${folder}/uploads`,
      credentials: new S3Credentials(environment),
      onTrouble: (reason) => {
        if (reason === undefined) log.info("attachments can be stored again");
        else log.error("attachments cannot be stored", { reason });
      },
    });
  });
}

/** The bucket that INTAKE_FILES names; undefined when it names none. */
export function bucketOf(environment: Environment = process.env): S3Address | undefined {
  const text = environment["INTAKE_FILES"];
  return text ? orUnusable(() => readS3Address(text, environment)) : undefined;
}

function orUnusable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FilesUnusable(`INTAKE_FILES: ${(error as Error).message}`, { cause: error });
  }
}
