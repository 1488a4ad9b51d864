import { AwsV4Signer } from "aws4fetch";
import { objectUrl, type S3Address } from "../../core/s3-address.ts";
import type { S3Credentials } from "./credentials.ts";
import { Failure, failureOf, ObjectStorageUnavailable } from "./failure.ts";

export interface S3Request {
  method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT";
  /** Empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Makes the body, for each try anew. */
  body?: () => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** SHA-256 of the body, as hexadecimal digits. The signature covers it, so the server refuses any other body. */
  digest?: string;
  /** Statuses beside 2xx that are an answer, not a failure. */
  answers?: readonly number[];
}

/** In milliseconds. */
export interface Timing {
  /** The wait before each try; a random part of it is added or taken away. */
  pauses: readonly number[];
  /** How long a try may take. */
  try: number;
  /** How long all tries together may take. */
  all: number;
  /** How long the only try may take while requests fail. */
  troubled: number;
}

export const usualTiming: Timing = { pauses: [0, 200, 1_000], try: 10_000, all: 20_000, troubled: 5_000 };

const emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Signed requests to one bucket (AWS signature version 4). What passes by itself is tried again: lost connections, no
 * answer in time, 5xx and 429. Bun's own `S3Client` is not used: it reports success for parts that were refused, and
 * waits for ever for a server that does not answer.
 */
export class S3Client {
  readonly address: S3Address;
  readonly #credentials: S3Credentials;
  readonly #timing: Timing;
  /** Keys for signatures, each valid for a day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();
  /** Whether the tries of the latest request were all in vain. */
  #troubled = false;

  constructor(address: S3Address, credentials: S3Credentials, timing: Timing = usualTiming) {
    this.address = address;
    this.#credentials = credentials;
    this.#timing = timing;
  }

  /**
   * Sends a request until it is answered, and returns what `take` makes of the answer within the time of the try. Rejects
   * with {@link ObjectStorageUnavailable} when all tries failed.
   */
  async send<T>(request: S3Request, take: (response: Response) => T | Promise<T>): Promise<T> {
    const { pauses, all } = this.#timing;
    // While requests fail, uploads must not pile up that wait for all their tries.
    const each = this.#troubled ? this.#timing.troubled : this.#timing.try;
    const waits = this.#troubled ? pauses.slice(0, 1) : [...pauses];
    const end = performance.now() + all;
    let renewed = false;
    for (;;) {
      const pause = waits.shift() ?? 0;
      if (pause > 0) await Bun.sleep(pause * (0.75 + Math.random() / 2));
      try {
        const taken = await this.#try(request, Math.min(each, end - performance.now()), take);
        this.#troubled = false;
        return taken;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const [next] = waits;
        if (error.passing && next !== undefined && performance.now() + 2 * next < end) continue;
        if (error.denied && !renewed && this.#credentials.renew()) {
          renewed = true;
          waits.unshift(0);
          continue;
        }
        this.#troubled = error.passing;
        throw new ObjectStorageUnavailable(error.message, { cause: error });
      }
    }
  }

  async #try<T>(request: S3Request, milliseconds: number, take: (response: Response) => T | Promise<T>): Promise<T> {
    const abort = new AbortController();
    const late = new Failure(`object storage did not answer within ${Math.ceil(milliseconds / 1_000)} s`, {
      passing: true,
    });
    const timer = setTimeout(() => abort.abort(late), Math.max(0, milliseconds));
    try {
      const { url, headers } = await this.#signed(request);
      const response = await fetch(url, {
        method: request.method,
        headers,
        body: request.body?.() ?? null,
        redirect: "manual",
        signal: abort.signal,
      });
      if (response.ok || request.answers?.includes(response.status)) return await take(response);
      throw failureOf(response, await textWithin(response, errorBytes), this.address);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (abort.signal.aborted) throw late;
      const { code } = error as { code?: unknown };
      // Only failures of the network have a code; the draft's disk tells its own, and the rest are faults of this program.
      if (typeof code !== "string") throw error;
      throw new Failure(`object storage cannot be reached (${code})`, { passing: true });
    } finally {
      clearTimeout(timer);
    }
  }

  async #signed({ method, key, query = {}, headers = {}, digest = emptyDigest }: S3Request) {
    const url = objectUrl(this.address, key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { id, secret, token } = this.#credentials.key;
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": digest },
      accessKeyId: id,
      secretAccessKey: secret,
      ...(token === undefined ? {} : { sessionToken: token }),
      service: "s3",
      region: this.address.region,
      cache: this.#signingKeys,
    });
    return signer.sign();
  }
}

/** Bytes of the answer to a failed request that are read. */
const errorBytes = 65_536;

/** The text of an answer; a failure when it is longer than so many bytes. */
export async function textWithin(response: Response, bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of response.body ?? []) {
    read += chunk.length;
    if (read > bytes) throw new Failure(`object storage answers ${response.status} with more than ${bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
