import type { S3Address } from "../core/s3-address.ts";
import { S3Client, type Timing, textWithin } from "../store/s3/client.ts";
import type { S3Credentials } from "../store/s3/credentials.ts";
import { downloadStream } from "../store/s3/download.ts";
import { Failure } from "../store/s3/failure.ts";
import { elementsOf, textOf } from "../store/s3/xml.ts";
import { BackupRefused } from "./backup-refused.ts";
import { bytesOfFile } from "./folder-target.ts";
import { hasEnded, type LockOwner, thisOwner } from "./lock-owner.ts";
import { isBackupId, manifestBytesMax } from "./manifest.ts";
import { ObjectDamaged } from "./read-object.ts";
import { SegmentDamaged } from "./segment.ts";
import { inOrder, pathOfSegment, type SegmentName, segmentOfPath } from "./segment-name.ts";
import { digestOf, isDigest, type StoredObject } from "./stored-object.ts";
import { type BackupTarget, type ObjectSource, ObjectsLocked, type TargetLock } from "./target.ts";

/** A backup waits longer than a request may: nobody waits for it. */
const timing: Timing = { pauses: [0, 500, 2_000, 5_000, 10_000], try: 120_000, all: 300_000, troubled: 60_000 };

const answerBytes = 4_194_304;
const digestHeader = "x-amz-meta-sha256";

/** A lock that was not renewed for so long, by the clock of the storage, was left by a run that was killed. */
const lockMilliseconds = 15 * 60_000;
/** That of the objects is held for moments only, and segments of the log wait for it. */
const objectsLockMilliseconds = 90_000;
/** Times that a lock is renewed until it would count as left. */
const renewals = 15;

interface LockOptions {
  taken: string;
  mayBeLeft: string;
  /** Milliseconds after which a lock that was not renewed counts as left. */
  stale?: number;
}

interface ListedObject {
  key: string;
  bytes: number;
  modified: number;
}

/**
 * Backups in a bucket, with the same names as in a folder. One PUT stores an object, whose signature covers the digest
 * of its bytes; `If-None-Match: *` keeps an object from being replaced.
 */
export class S3Target implements BackupTarget {
  readonly words: string;
  readonly scratch = undefined;
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(address: S3Address, credentials: S3Credentials) {
    this.words = `s3://${address.bucket}/${address.prefix}`;
    this.#client = new S3Client(address, credentials, timing);
    this.#prefix = address.prefix;
  }

  lock(): Promise<TargetLock> {
    return this.#lock("lock.json", {
      taken: `another run of intake backup writes to ${this.words}; wait until it has ended`,
      mayBeLeft: `another run of intake backup writes to ${this.words}, or was killed less than 15 minutes ago; try again then`,
    });
  }

  lockObjects(): Promise<TargetLock> {
    const { message } = new ObjectsLocked(this.words);
    return this.#lock("objects.lock.json", {
      taken: message,
      mayBeLeft: message,
      stale: objectsLockMilliseconds,
    }).catch((error) => {
      throw error instanceof BackupRefused ? new ObjectsLocked(this.words) : error;
    });
  }

  /** The lock is an object, which this run writes again from time to time. */
  async #lock(file: string, { taken, mayBeLeft, stale = lockMilliseconds }: LockOptions): Promise<TargetLock> {
    const name = `${this.#prefix}${file}`;
    const mine = JSON.stringify({ run: crypto.randomUUID(), owner: thisOwner() });
    if (!(await this.#putText(name, mine, { ifNone: true }))) {
      const text = await this.#text(name);
      const isLeft = text !== undefined && ownerHasEnded(text);
      const [there] = await this.#list(name, (objects, now) =>
        objects.flatMap(({ key, modified }) => (key === name ? [now - modified] : [])),
      );
      // Without a clock of the storage nobody knows how old the lock is.
      if (!isLeft && there !== undefined && !(there >= stale)) throw new BackupRefused(mayBeLeft);
      // A lock that was released or taken over meanwhile may be that of a third run by now.
      if (text !== undefined && (await this.#text(name)) === text) await this.#remove(name);
      if (!(await this.#putText(name, mine, { ifNone: true }))) throw new BackupRefused(taken);
    }
    const require = async () => {
      if ((await this.#text(name)) === mine) return;
      throw new BackupRefused(`another run of intake backup has taken over ${this.words}; run the command again`);
    };
    let renewing: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      // A failure is found by the next look at the lock.
      renewing = require()
        .then(() => this.#putText(name, mine, { ifNone: false }))
        .catch(() => {});
    }, stale / renewals);
    renewal.unref();
    return {
      require,
      release: async () => {
        clearInterval(renewal);
        await renewing;
        // The lock of a run that took over stays.
        if ((await this.#text(name)) === mine) await this.#remove(name);
      },
    };
  }

  async ids(): Promise<string[]> {
    const prefix = `${this.#prefix}backups/`;
    const names: string[] = [];
    for await (const { key } of this.#all(prefix)) {
      const name = key.slice(prefix.length);
      if (name.endsWith(".json") && isBackupId(name.slice(0, -5))) names.push(name.slice(0, -5));
    }
    return names.sort();
  }

  manifest(id: string): Promise<string | undefined> {
    return this.#text(this.#manifestKey(id));
  }

  async addManifest(id: string, text: string): Promise<void> {
    await this.#putText(this.#manifestKey(id), text, { ifNone: true });
  }

  removeManifest(id: string): Promise<void> {
    return this.#remove(this.#manifestKey(id));
  }

  async *objects(group: string): AsyncGenerator<StoredObject> {
    for await (const { key, bytes } of this.#all(`${this.#prefix}objects/${group}/`)) {
      const sha256 = key.slice(-64);
      if (isDigest(sha256) && key === this.#objectKey(sha256)) yield { sha256, bytes };
    }
  }

  sizeOf(sha256: string): Promise<number | undefined> {
    const request = { method: "HEAD", key: this.#objectKey(sha256), answers: [404] } as const;
    return this.#client.send(request, ({ status, headers }) =>
      status === 404 ? undefined : Number(headers.get("content-length")),
    );
  }

  async put({ sha256, bytes }: StoredObject, source: ObjectSource): Promise<boolean> {
    const body = () => (source instanceof Uint8Array ? source : streamOf(source.path));
    if (await this.#put(this.#objectKey(sha256), { sha256, bytes }, body, { ifNone: true })) return true;
    if ((await this.sizeOf(sha256)) !== bytes) throw new ObjectDamaged(this, { sha256, bytes }, "has another size");
    return false;
  }

  async open(object: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    return this.#open(this.#objectKey(object.sha256), object.bytes, () => {
      return new ObjectDamaged(this, object, "is missing or has another size");
    });
  }

  async #open(key: string, bytes: number, damaged: () => BackupRefused): Promise<AsyncIterable<Uint8Array>> {
    if (bytes === 0) return emptyBytes();
    const open = async (from: number) => {
      const stream = await this.#get(key, bytes, from);
      if (!stream) throw damaged();
      return stream;
    };
    const span = { start: 0, end: bytes, milliseconds: timing.try };
    return downloadStream(span, await open(0), open);
  }

  removeObject(sha256: string): Promise<void> {
    return this.#remove(this.#objectKey(sha256));
  }

  async segments(chain?: string): Promise<SegmentName[]> {
    const prefix = `${this.#prefix}log/`;
    const found: SegmentName[] = [];
    for await (const { key, bytes } of this.#all(chain === undefined ? prefix : `${prefix}${chain}/`)) {
      const segment = segmentOfPath(key.slice(prefix.length), bytes);
      if (segment) found.push(segment);
    }
    return inOrder(found);
  }

  async putSegment(segment: SegmentName, source: ObjectSource): Promise<void> {
    const body = () => (source instanceof Uint8Array ? source : streamOf(source.path));
    await this.#put(this.#segmentKey(segment), segment, body, { ifNone: false });
  }

  async openSegment(segment: SegmentName): Promise<AsyncIterable<Uint8Array>> {
    return this.#open(this.#segmentKey(segment), segment.bytes, () => {
      return new SegmentDamaged(this, segment, "is missing or has another size");
    });
  }

  removeSegment(segment: SegmentName): Promise<void> {
    return this.#remove(this.#segmentKey(segment));
  }

  #segmentKey(segment: SegmentName): string {
    return `${this.#prefix}log/${pathOfSegment(segment)}`;
  }

  #get(key: string, bytes: number, from: number) {
    const headers = { range: `bytes=${from}-${bytes - 1}` };
    const request = { method: "GET", key, headers, answers: [404, 416] } as const;
    return this.#client.send(request, ({ status, headers, body }) => {
      const range = headers.get("content-range");
      if (status === 206 && body && range === `bytes ${from}-${bytes - 1}/${bytes}`) {
        return body as ReadableStream<Uint8Array<ArrayBuffer>>;
      }
      void body?.cancel().catch(() => {});
      if (status === 404 || status === 416 || status === 206) return undefined;
      throw new Failure("object storage does not answer with the range that was asked for");
    });
  }

  #putText(key: string, text: string, condition: { ifNone: boolean }): Promise<boolean> {
    const bytes = Buffer.from(text);
    return this.#put(key, { sha256: digestOf(bytes), bytes: bytes.length }, () => bytes, condition);
  }

  /** Returns whether the object was stored; false when there is one. */
  async #put(
    key: string,
    { sha256, bytes }: StoredObject,
    body: () => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
    { ifNone }: { ifNone: boolean },
  ): Promise<boolean> {
    const headers = {
      "content-length": String(bytes),
      "content-type": "application/octet-stream",
      ...(ifNone ? { "if-none-match": "*" } : {}),
      [digestHeader]: sha256,
    };
    let tries = 0;
    const counted = () => {
      tries++;
      return body();
    };
    const request = { method: "PUT", key, headers, digest: sha256, body: counted, answers: [412] } as const;
    const status = await this.#client.send(request, async (response) => {
      await textWithin(response, answerBytes);
      if (response.ok && !response.headers.has("etag")) throw new Failure("what answers is not object storage");
      return response.status;
    });
    if (status !== 412) return true;
    // An earlier try may have stored it although its answer did not arrive.
    return tries > 1 && (await this.#digestAt(key)) === sha256;
  }

  #digestAt(key: string): Promise<string | null> {
    return this.#client.send({ method: "HEAD", key, answers: [404] }, ({ headers }) => headers.get(digestHeader));
  }

  #text(key: string): Promise<string | undefined> {
    return this.#client.send({ method: "GET", key, answers: [404] }, async (response) => {
      const text = await textWithin(response, manifestBytesMax);
      return response.status === 404 ? undefined : text;
    });
  }

  async #remove(key: string): Promise<void> {
    await this.#client.send({ method: "DELETE", key, answers: [404] }, (response) => textWithin(response, answerBytes));
  }

  async *#all(prefix: string): AsyncGenerator<ListedObject> {
    let after: string | undefined;
    do {
      const page = await this.#page(prefix, after);
      yield* page.objects;
      after = page.next;
    } while (after !== undefined);
  }

  async #list<T>(prefix: string, take: (objects: ListedObject[], now: number) => T): Promise<T> {
    const { objects, now } = await this.#page(prefix, undefined);
    return take(objects, now);
  }

  async #page(prefix: string, after: string | undefined) {
    const more = after === undefined ? {} : { "continuation-token": after };
    const query = { "list-type": "2", "max-keys": "1000", prefix, ...more };
    return this.#client.send({ method: "GET", key: "", query }, async (response) => {
      const text = await textWithin(response, answerBytes);
      if (!text.includes("<ListBucketResult")) throw new Failure("what answers is not object storage");
      const objects = elementsOf(text, "Contents").map((found) => ({
        key: textOf(found, "Key") ?? "",
        bytes: Number(textOf(found, "Size")),
        modified: Date.parse(textOf(found, "LastModified") ?? ""),
      }));
      const cut = textOf(text, "IsTruncated") === "true";
      const next = cut ? textOf(text, "NextContinuationToken") : undefined;
      if (cut && !next) throw new Failure("object storage tells a part of a list without saying how it goes on");
      return { objects, next, now: Date.parse(response.headers.get("date") ?? "") };
    });
  }

  #manifestKey(id: string): string {
    return `${this.#prefix}backups/${id}.json`;
  }

  #objectKey(sha256: string): string {
    return `${this.#prefix}objects/${sha256.slice(0, 2)}/${sha256}`;
  }
}

async function* emptyBytes(): AsyncGenerator<Uint8Array> {}

function streamOf(path: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  let from: AsyncGenerator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      from ??= await bytesOfFile(path);
      const { done, value } = await from.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: async () => void (await from?.return(undefined)),
  });
}

/** Whether a lock says that a process holds it which has ended. */
function ownerHasEnded(text: string): boolean {
  try {
    const { owner } = JSON.parse(text) as { owner?: LockOwner };
    return owner !== undefined && hasEnded(owner);
  } catch {
    return false;
  }
}
