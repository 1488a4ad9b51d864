import { Refusal } from "../core/context.ts";
import { RateLimited } from "../core/rate-limited.ts";

export interface UploadLimits {
  perKey: number;
  perAddress: number;
  total: number;
}

/**
 * Gives back the place of an upload that has ended. Wait for it before the answer, so that the sender's next upload finds
 * the place free.
 */
export type EndUpload = () => void | Promise<void>;

/** Places of uploads that are under way; see {@link Uploads}. */
export interface UploadPlaces {
  /**
   * Takes a place for an upload and returns the function that gives it back. Throws 429 or 503 when there are too many.
   */
  begin(key: string, address: string, limits: UploadLimits): EndUpload | Promise<EndUpload>;
  /**
   * Sets memory aside for an upload of this length and returns the function that gives it back; undefined when the upload
   * is too large to be held in memory, or too many others are.
   */
  hold(bytes: number): (() => void) | undefined;
}

/** An upload of at most this many bytes is held in memory while it comes. */
const heldUploadBytes = 262_144;
/** Bytes of all uploads that are held in memory. Further ones go to the disk while they come. */
const heldBytes = 33_554_432;

/**
 * Counts the uploads (bodies beyond 64 KiB) that are under way, so that neither one key nor one address takes all
 * places.
 */
export class Uploads implements UploadPlaces {
  readonly #keys = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  total = 0;
  #held = 0;

  begin(key: string, address: string, limits: UploadLimits): () => void {
    if ((this.#keys.get(key) ?? 0) >= limits.perKey) throw tooManyUploads("key");
    if ((this.#addresses.get(address) ?? 0) >= limits.perAddress) throw tooManyUploads("address");
    if (this.total >= limits.total) throw new Refusal("service_unavailable", text, {}, "uploads_total");
    count(this.#keys, key, 1);
    count(this.#addresses, address, 1);
    this.total++;
    return () => {
      count(this.#keys, key, -1);
      count(this.#addresses, address, -1);
      this.total--;
    };
  }

  hold(bytes: number): (() => void) | undefined {
    if (bytes > heldUploadBytes || this.#held + bytes > heldBytes) return undefined;
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
    };
  }
}

const text = "Too many uploads at once. Try again after Retry-After seconds.";

/** The refusal of an upload of a key, or of an address, with too many under way. */
export function tooManyUploads(of: "key" | "address"): RateLimited {
  return new RateLimited(`uploads_${of}`, 1, text);
}

function count(counts: Map<string, number>, id: string, by: number) {
  const now = (counts.get(id) ?? 0) + by;
  if (now === 0) counts.delete(id);
  else counts.set(id, now);
}
