import type { freeSpace } from "./free-space.ts";

/** Room on the disk that was set aside for one body. */
export interface Room {
  /** So many bytes of the body are on the disk by now. */
  written(bytes: number): void;
  giveBack(): void;
}

/**
 * Sets room on the disk aside for bodies that are let in, because they use it up later: all of them together leave what
 * is kept free for tickets and for tidying up.
 */
export class DiskSpaceReservations {
  readonly #space: () => ReturnType<typeof freeSpace>;
  #setAside = 0;

  /** `space` asks the system each time: what bodies have written since an earlier look would count as free. */
  constructor(space: () => ReturnType<typeof freeSpace>) {
    this.#space = space;
  }

  /** Bytes that are set aside at the moment. */
  get bytes(): number {
    return this.#setAside;
  }

  /** `body` bytes are still to come, and storing them takes `further` bytes. Undefined when there is no room. */
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
