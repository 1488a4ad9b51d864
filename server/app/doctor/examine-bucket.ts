import { readS3Address, type S3Address } from "../../core/s3-address.ts";
import { bytesOf } from "../../store/files.ts";
import { S3Credentials } from "../../store/s3/credentials.ts";
import { S3Files } from "../../store/s3-files.ts";
import { bad, type Finding, good, look } from "./finding.ts";

/** A person waits for the answer: less patience than a server has. */
const timing = { pauses: [0, 500], try: 5_000, all: 8_000, troubled: 5_000 };
const [text, another] = [Buffer.from("intake doctor"), Buffer.from("something else")];

/** Stores, reads, lists and removes an object where attachments are kept, and looks whether one could be replaced. */
export async function examineBucket(address: string, folder: string): Promise<Finding[]> {
  let files: S3Files;
  let parsed: S3Address;
  try {
    parsed = readS3Address(address, process.env);
    files = new S3Files(parsed, { spool: `${folder}/uploads`, credentials: new S3Credentials(process.env), timing });
  } catch (error) {
    return [{ check: "bucket", ...bad("bucket_address", `INTAKE_FILES: ${(error as Error).message}`) }];
  }
  const id = Bun.randomUUIDv7();
  const { bucket, prefix, region, endpoint, pathStyle } = parsed;
  const where = `${bucket}${prefix && `/${prefix}`} in the region ${region} at ${new URL(endpoint).host}, its name in the ${pathStyle ? "path" : "host"}`;
  const stored = await look("bucket: store", () =>
    allowed("s3:PutObject", () => files.keepBytes(text, id, digestOf(text))),
  );
  const found = { check: "bucket", ...good(where) };
  // Nothing that follows can be told without an object.
  if (!stored.ok) return [found, stored];
  return [
    found,
    stored,
    await look("bucket: read", () => allowed("s3:GetObject", () => readBack(files, id))),
    await look("bucket: list", () => allowed("s3:ListBucket", () => files.keptBefore(Date.now() + 3_600_000).next())),
    await look("bucket: replace", () => conditional(files, id)),
    await look("bucket: delete", () => allowed("s3:DeleteObject", () => files.remove([id]))),
  ];
}

async function allowed(right: string, work: () => Promise<unknown>) {
  try {
    await work();
    return good("it works");
  } catch (error) {
    return bad(
      "bucket_right",
      (error as Error).message,
      `If that is about rights, the key needs ${right} below the prefix`,
    );
  }
}

async function readBack(files: S3Files, id: string) {
  const file = await files.find(id);
  if (!file) throw new Error("an object that was stored is not found");
  if (Buffer.compare(await bytesOf(file), text) !== 0)
    throw new Error("an object is read with other bytes than it was stored with");
}

/** Without that, two processes that meant the same id would overwrite each other's attachment unnoticed. */
async function conditional(files: S3Files, id: string) {
  const refused = await files.keepBytes(another, id, digestOf(another)).then(
    () => false,
    (error: { code?: string }) => {
      if (error.code === "EEXIST") return true;
      throw error;
    },
  );
  if (refused) return good("an object that is there is not replaced (If-None-Match)");
  return bad("bucket_replaces", "it replaces objects although it is asked not to (If-None-Match)");
}

function digestOf(bytes: Uint8Array) {
  return () => new Bun.SHA256().update(bytes as Uint8Array<ArrayBuffer>).digest() as unknown as Uint8Array;
}
