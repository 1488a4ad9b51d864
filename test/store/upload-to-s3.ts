import { readFileSync } from "node:fs";
import { readS3Address } from "../../server/core/s3-address.ts";
import { usualTiming } from "../../server/store/s3/client.ts";
import { S3Credentials } from "../../server/store/s3/credentials.ts";
import { S3Files } from "../../server/store/s3-files.ts";

/**
 * `upload-to-s3.ts ADDRESS SPOOL COUNT BYTES`: keeps so many files of so many bytes at once, reads them back, and prints
 * the most memory that this process had, in bytes.
 */
const [address = "", spool = "", count = "", bytes = ""] = process.argv.slice(2);
const files = new S3Files(readS3Address(address), {
  spool,
  credentials: new S3Credentials(process.env),
  timing: { ...usualTiming, try: 50_000, all: 50_000 },
});
const chunk = Buffer.alloc(65_536, "bytes");

async function upload(): Promise<string> {
  const draft = await files.draft();
  const hash = new Bun.SHA256();
  for (let left = Number(bytes); left > 0; left -= chunk.length) {
    const part = chunk.subarray(0, left);
    hash.update(part);
    await draft.write(part);
  }
  const id = Bun.randomUUIDv7();
  const digest = hash.digest() as unknown as Uint8Array;
  await files.keep(draft, id, () => digest);
  return id;
}

async function download(id: string): Promise<number> {
  const file = await files.find(id);
  let read = 0;
  for await (const part of ((await file?.open(0, file.size)) as ReadableStream<Uint8Array>) ?? []) read += part.length;
  return read;
}

const ids = await Promise.all(Array.from({ length: Number(count) }, upload));
const read = await Promise.all(ids.map(download));
if (read.some((size) => size !== Number(bytes))) throw new Error("not all came back");
const [, kibibytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
process.stdout.write(`${Number(kibibytes) * 1_024}\n`);
