import type { freeSpace } from "./free-space.ts";

/** Room on the disk that was set aside for one body. */
export interface Room {
  /** To be called when this many bytes of the body are on the disk. */
  written(bytes: number): void;
  giveBack(): void;
}

/**
 * Sets disk space aside for bodies that are accepted and will be written later, so that all of them together leave the
 * space that is kept free for tickets and for deleting.
 */
export class DiskSpaceReservations {
  readonly #space: () => ReturnType<typeof freeSpace>;
  #setAside = 0;

  /**
   * `space` asks the system each time, because a remembered value would count bytes as free that bodies have written
   * since.
   */
  constructor(space: () => ReturnType<typeof freeSpace>) {
    this.#space = space;
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
    const { bytes, keptFree } = this.#space();
    if (bytes - this.#setAside - body - further < keptFree) return undefined;
    let own = body + further;
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
}
