import { readFileSync, statSync } from "node:fs";
import { bytesOfFile } from "./folder-target.ts";
import { digestOf, pieceBytes, type StoredObject } from "./stored-object.ts";
import type { ObjectSource } from "./target.ts";

/** Stores a file as an object by `add`. A file of more than 4 MiB is not held in memory. */
export async function storeFile(
  path: string,
  add: (object: StoredObject, source: ObjectSource) => Promise<void>,
): Promise<StoredObject> {
  const { size } = statSync(path);
  if (size <= pieceBytes) {
    const content = new Uint8Array(readFileSync(path));
    const object = { sha256: digestOf(content), bytes: content.length };
    await add(object, content);
    return object;
  }
  const digest = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const some of await bytesOfFile(path)) {
    bytes += some.length;
    digest.update(some);
  }
  const object = { sha256: digest.digest("hex"), bytes };
  await add(object, { path });
  return object;
}
