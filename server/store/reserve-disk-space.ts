import type { freeSpace } from "./free-space.ts";

/** Room on the disk that was set aside for one body. */
export interface Room {
  /** To be called when this many bytes of the body are on the disk. */
  written(bytes: number): void;
  giveBack(): void;
}

/** To ask the system for each upload would take as long as to parse it. */
const askMilliseconds = 10;

/**
 * Sets disk space aside for bodies that are accepted and will be written later, so that all of them together leave the
 * space that is kept free for tickets and for deleting.
 */
export class DiskSpaceReservations {
  readonly #space: () => ReturnType<typeof freeSpace>;
  readonly #now: () => number;
  #setAside = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Bytes that may still be set aside until the system is asked again. What is given back meanwhile is not added. */
  #left = 0;

  /**
   * `space` asks the system. Its answer holds for 10 ms: bytes that were set aside before it are not on the disk yet, and
   * all that are set aside after it count as used, whether they are written by then or not.
   */
  constructor(space: () => ReturnType<typeof freeSpace>, now: () => number = () => performance.now()) {
    this.#space = space;
    this.#now = now;
  }

  /** Bytes that are set aside at the moment. */
  get bytes(): number {
    return this.#setAside;
  }

  /**
   * Sets space aside for `body` bytes that are still to come and `further` bytes for storing them. Returns undefined
   * when there is no room.
   */
  take(body: number, further: number): Room | undefined {
    let own = body + further;
    if (own > this.#left || this.#now() - this.#askedAt > askMilliseconds) this.#ask();
    if (own > this.#left) return undefined;
    this.#left -= own;
    this.#setAside += own;
    const giveBack = (bytes: number) => {
      own -= bytes;
      this.#setAside -= bytes;
    };
    return {
      written: (bytes) => giveBack(Math.min(bytes, Math.max(0, own - further))),
      giveBack: () => giveBack(own),
    };
  }

  #ask() {
    const { bytes, keptFree } = this.#space();
    this.#left = bytes - this.#setAside - keptFree;
    this.#askedAt = this.#now();
  }
}
