import { mkdirSync } from "node:fs";
import { isUuid } from "../../openapi/check.ts";
import type { S3Address } from "../core/s3-address.ts";
import { dayOfId } from "./day-of-id.ts";
import { type DraftFile, Drafts } from "./drafts.ts";
import { FileHealth } from "./file-health.ts";
import { type Digest, type Files, type KeptFile, pageOfIds } from "./files.ts";
import { S3Client, type S3Request, type Timing, textWithin, usualTiming } from "./s3/client.ts";
import type { S3Credentials } from "./s3/credentials.ts";
import { downloadStream } from "./s3/download.ts";
import { Failure, ObjectStorageUnavailable } from "./s3/failure.ts";
import { elementsOf, textOf } from "./s3/xml.ts";

interface S3Options {
  /** The folder for drafts on the local disk. No other process may use it. */
  spool: string;
  credentials: S3Credentials;
  timing?: Timing;
  /** Called with the reason when files cannot be kept, and with undefined when they can be kept again. */
  onTrouble?: (reason: string | undefined) => void;
}

/** What the head of an object tells. */
interface StoredObject {
  size: number;
  /** SHA-256 as hexadecimal digits; null of an object that another program has stored. */
  digest: string | null;
}

/** An object in a listing. */
interface Listed {
  id: string;
  size: number;
  /** Milliseconds since it was stored, by the storage's clock. */
  storedFor: number;
}

/** Objects that one request lists or removes at most. */
const batch = 1_000;
const listBytes = 4_194_304;

/**
 * Files as objects `attachments/<day>/<id>` of a bucket of S3-compatible object storage, by the day in the id. An
 * upload is spooled to the local disk and then stored by a single PUT, which the server acknowledges once the object is
 * durable: its signature covers the SHA-256 of the bytes, so that no other bytes are stored, and `If-None-Match: *`
 * keeps an object from being replaced. There are no uploads in parts, of which some could be left over.
 */
export class S3Files implements Files {
  readonly shared = true;
  readonly #client: S3Client;
  readonly #drafts: Drafts;
  readonly #health = new FileHealth();
  readonly #folder: string;
  readonly #timing: Timing;
  readonly #onTrouble: (reason: string | undefined) => void;
  /** Why the latest object could not be stored. */
  #trouble: string | undefined;

  constructor(address: S3Address, { spool, credentials, timing = usualTiming, onTrouble = () => {} }: S3Options) {
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    this.#client = new S3Client(address, credentials, timing);
    this.#drafts = new Drafts(spool, this.#health);
    this.#folder = `${address.prefix}attachments/`;
    this.#timing = timing;
    this.#onTrouble = onTrouble;
  }

  trouble(): string | undefined {
    return this.#health.trouble ?? this.#trouble;
  }

  async probe(): Promise<void> {
    const id = Bun.randomUUIDv7();
    const bytes = Buffer.from("probe");
    let draft: DraftFile | undefined;
    try {
      draft = await this.draft();
      await draft.write(bytes);
      await this.keep(draft, id, () => new Bun.SHA256().update(bytes).digest() as unknown as Uint8Array);
      await this.#client.send({ method: "DELETE", key: this.#key(id) }, discardBody);
    } catch {
      // What failed is remembered as trouble. An object that could not be removed belongs to no report, and is swept.
    } finally {
      await draft?.discard();
    }
  }

  draft(): Promise<DraftFile> {
    return this.#drafts.open();
  }

  async keep(draft: DraftFile, id: string, digest: Digest): Promise<void> {
    await this.#put(id, draft.size, digest, () => draft.stream());
    await draft.discard();
  }

  keepBytes(bytes: Uint8Array, id: string, digest: Digest): Promise<void> {
    return this.#put(id, bytes.length, digest, () => bytes as Uint8Array<ArrayBuffer>);
  }

  async find(id: string): Promise<KeptFile | undefined> {
    const head = await this.#head(id);
    return head && { size: head.size, open: (start, end) => this.#open(id, start, end) };
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (let i = 0; i < ids.length; i += batch) await this.#remove(ids.slice(i, i + batch));
  }

  removeDrafts(whose: "earlier" | "all"): Promise<void> {
    return this.#drafts.remove(whose);
  }

  async *keptBefore(moment: number): AsyncGenerator<string[]> {
    for await (const page of this.#pages()) {
      const ids = page.flatMap(({ id, storedFor }) => (storedFor > Date.now() - moment ? [id] : []));
      for (let i = 0; i < ids.length; i += pageOfIds) yield ids.slice(i, i + pageOfIds);
    }
  }

  /** Every object with its size, in the order of the ids, a thousand with each request. */
  async *sizes(): AsyncGenerator<{ id: string; size: number }> {
    for await (const page of this.#pages()) yield* page;
  }

  async *#pages(): AsyncGenerator<Listed[]> {
    let after: string | undefined;
    do {
      const page = await this.#list(after);
      yield page.objects;
      after = page.next;
    } while (after !== undefined);
  }

  #key(id: string): string {
    return `${this.#folder}${dayOfId(id)}/${id}`;
  }

  async #put(id: string, size: number, digest: Digest, body: NonNullable<S3Request["body"]>): Promise<void> {
    const hex = Buffer.from(digest()).toString("hex");
    const headers = {
      "content-length": String(size),
      "content-type": "application/octet-stream",
      "if-none-match": "*",
      [digestHeader]: hex,
    };
    try {
      const request = { method: "PUT", key: this.#key(id), headers, digest: hex, body, answers: [412] } as const;
      const status = await this.#client.send(request, async (response) => {
        await discardBody(response);
        // Every S3 server tells the entity tag of what it has stored: a 200 without one is the answer of something else.
        if (response.ok && !response.headers.has("etag")) throw new Failure("what answers is not object storage");
        return response.status;
      });
      this.#tell(undefined);
      if (status !== 412) return;
    } catch (error) {
      if (error instanceof ObjectStorageUnavailable) this.#tell(`attachments cannot be stored: ${error.message}`);
      throw error;
    }
    await this.#requireSame(id, size, hex);
  }

  /**
   * Resolves when the object that has this id already is the one that was to be stored: an earlier try has stored it
   * although the answer did not arrive. Some servers show an object before its metadata, so one look is not enough.
   */
  async #requireSame(id: string, size: number, hex: string): Promise<void> {
    let stored: StoredObject | undefined;
    for (const pause of this.#timing.pauses) {
      if (pause > 0) await Bun.sleep(pause);
      stored = await this.#head(id);
      if (stored?.size === size && stored.digest === hex) return;
    }
    if (!stored) throw new ObjectStorageUnavailable("object storage has an object that it does not show");
    throw Object.assign(new Error(`EEXIST: another file has the id ${id}`), { code: "EEXIST" });
  }

  async #head(id: string): Promise<StoredObject | undefined> {
    return this.#client.send({ method: "HEAD", key: this.#key(id), answers: [404] }, ({ status, headers }) => {
      if (status === 404) return undefined;
      return { size: Number(headers.get("content-length")), digest: headers.get(digestHeader) };
    });
  }

  async #open(id: string, start: number, end: number): ReturnType<KeptFile["open"]> {
    if (start >= end) return new Blob([]);
    const open = (from: number) => this.#get(id, from, end);
    return downloadStream({ start, end, milliseconds: this.#timing.try }, await open(start), open);
  }

  #get(id: string, start: number, end: number) {
    const request = { method: "GET", key: this.#key(id), headers: { range: `bytes=${start}-${end - 1}` } } as const;
    return this.#client.send(request, ({ status, headers, body }) => {
      const range = headers.get("content-range") ?? "";
      if (status === 206 && body && range.startsWith(`bytes ${start}-${end - 1}/`)) {
        return body as ReadableStream<Uint8Array<ArrayBuffer>>;
      }
      void body?.cancel().catch(() => {});
      throw new Failure("object storage does not answer with the range that was asked for");
    });
  }

  async #remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const objects = ids.map((id) => `<Object><Key>${this.#key(id)}</Key></Object>`).join("");
    const body = Buffer.from(`<Delete xmlns="${namespace}"><Quiet>true</Quiet>${objects}</Delete>`);
    const headers = {
      "content-type": "application/xml",
      "content-md5": new Bun.CryptoHasher("md5").update(body).digest("base64"),
    };
    const digest = new Bun.CryptoHasher("sha256").update(body).digest("hex");
    const query = { delete: "" };
    await this.#client.send({ method: "POST", key: "", query, headers, digest, body: () => body }, async (response) => {
      const text = await answerText(response, "DeleteResult");
      const codes = elementsOf(text, "Error").map((error) => textOf(error, "Code") ?? "");
      const failed = codes.filter((code) => code !== "NoSuchKey");
      if (failed.length === 0) return;
      const kinds = [...new Set(failed)].map((code) => code.replace(/[^\w.-]/g, "").slice(0, 60));
      throw new Failure(`${failed.length} of ${ids.length} attachments could not be removed (${kinds.join(", ")})`, {
        passing: kinds.every((code) => /^(InternalError|SlowDown|ServiceUnavailable|OperationAborted)$/.test(code)),
      });
    });
  }

  /** A page of the listing, and where the next page begins. */
  async #list(after: string | undefined): Promise<{ objects: Listed[]; next: string | undefined }> {
    const query = {
      "list-type": "2",
      "max-keys": String(batch),
      prefix: this.#folder,
      ...(after === undefined ? {} : { "continuation-token": after }),
    };
    return this.#client.send({ method: "GET", key: "", query }, async (response) => {
      const text = await answerText(response, "ListBucketResult");
      const serverTime = Date.parse(response.headers.get("date") ?? "");
      // Ages are counted by one clock, that of the server, which has also told when the objects were stored.
      const objects = elementsOf(text, "Contents").flatMap((object) => {
        const id = this.#idOf(textOf(object, "Key") ?? "");
        const storedFor = serverTime - Date.parse(textOf(object, "LastModified") ?? "");
        return id === undefined ? [] : [{ id, size: Number(textOf(object, "Size")), storedFor }];
      });
      const cut = textOf(text, "IsTruncated") === "true";
      const next = cut ? textOf(text, "NextContinuationToken") : undefined;
      if (cut && !next) throw new Failure("object storage tells a part of a list without saying how it goes on");
      return { objects, next };
    });
  }

  /** The id in the key of an object that this program has stored; undefined for any other object, which stays. */
  #idOf(key: string): string | undefined {
    const id = key.slice(-36);
    return isUuid(id) && key === this.#key(id) ? id : undefined;
  }

  #tell(reason: string | undefined) {
    if (reason === this.#trouble) return;
    this.#trouble = reason;
    this.#onTrouble(reason);
  }
}

const digestHeader = "x-amz-meta-sha256";
const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

async function discardBody(response: Response): Promise<void> {
  await textWithin(response, listBytes);
}

/** The text of an answer that has to be this element: what passes for an answer otherwise may come from a proxy. */
async function answerText(response: Response, element: string): Promise<string> {
  const text = await textWithin(response, listBytes);
  if (!text.includes(`<${element}`)) throw new Failure("what answers is not object storage");
  return text;
}
