import { BackupRefused } from "./backup-refused.ts";
import type { StoredObject } from "./stored-object.ts";
import type { BackupTarget } from "./target.ts";

const remedy =
  "Restore another backup; once an object is removed there, the next intake backup create stores it again, while the server still has its bytes";

/** An object of a backup is missing or has other bytes. */
export class ObjectDamaged extends BackupRefused {
  readonly sha256: string;
  readonly remedy = remedy;

  constructor(target: BackupTarget, { sha256 }: StoredObject, what: string) {
    super(`the object ${sha256} in ${target.words} ${what}. ${remedy}`);
    this.sha256 = sha256;
  }
}

/** The bytes of an object as they come, each chunk valid until the next is asked for. Throws at the end unless all of them are as they were stored. */
export async function* readObject(target: BackupTarget, object: StoredObject): AsyncGenerator<Uint8Array> {
  const digest = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const some of await target.open(object)) {
    bytes += some.length;
    if (bytes > object.bytes) break;
    digest.update(some);
    yield some;
  }
  if (bytes !== object.bytes) throw new ObjectDamaged(target, object, "has another size");
  if (digest.digest("hex") !== object.sha256) throw new ObjectDamaged(target, object, "has other bytes");
}

/** The bytes of a piece, all of them checked. */
export async function readPiece(target: BackupTarget, piece: StoredObject): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const some of readObject(target, piece)) chunks.push(Buffer.from(some));
  return Buffer.concat(chunks);
}
