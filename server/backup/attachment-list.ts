import { isUuid } from "../../openapi/check.ts";
import { BackupRefused } from "./backup-refused.ts";
import { readPiece } from "./read-object.ts";
import { digestOf, isDigest, pieceBytes, type StoredObject } from "./stored-object.ts";
import type { BackupTarget } from "./target.ts";

/** An attachment in a backup; without an object when its file was missing already. */
export interface ListedAttachment {
  id: string;
  object: StoredObject | undefined;
}

/** Characters of a line at most: a digest, a number and an id. */
const lineMax = 128;

/** Writes the list of a backup's attachments: lines of digest, size and id, or `- - id`; equal digests follow each other. */
export class AttachmentListWriter {
  readonly #put: (piece: StoredObject, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly pieces: StoredObject[] = [];
  #lines: string[] = [];
  #length = 0;

  constructor(put: (piece: StoredObject, bytes: Uint8Array<ArrayBuffer>) => Promise<void>) {
    this.#put = put;
  }

  async add({ id, object }: ListedAttachment): Promise<void> {
    const line = `${object?.sha256 ?? "-"} ${object?.bytes ?? "-"} ${id}\n`;
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length > pieceBytes - lineMax) await this.end();
  }

  async end(): Promise<void> {
    if (this.#length === 0) return;
    const bytes = new TextEncoder().encode(this.#lines.join(""));
    [this.#lines, this.#length] = [[], 0];
    const piece = { sha256: digestOf(bytes), bytes: bytes.length };
    await this.#put(piece, bytes);
    this.pieces.push(piece);
  }
}

export async function* readAttachmentList(
  target: BackupTarget,
  pieces: readonly StoredObject[],
): AsyncGenerator<ListedAttachment> {
  for (const piece of pieces) {
    const text = (await readPiece(target, piece)).toString("latin1");
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf("\n", at);
      yield attachmentIn(target, text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length : end + 1;
    }
  }
}

/** Ids become names of files in the data directory, so that nothing but an id may pass. */
function attachmentIn(target: BackupTarget, line: string): ListedAttachment {
  const [sha256 = "", size = "", id = "", ...more] = line.split(" ");
  if (isUuid(id) && id === id.toLowerCase() && more.length === 0) {
    if (sha256 === "-" && size === "-") return { id, object: undefined };
    if (isDigest(sha256) && /^\d{1,15}$/.test(size)) return { id, object: { sha256, bytes: Number(size) } };
  }
  throw new BackupRefused(`a list of attachments in ${target.words} was not written by intake; use another backup`);
}
