const smallPiece = 4_096;
const gatheredBytes = 4 * smallPiece;
/** So many small pieces are handed on at once, so that a fault in what came is told at once. */
const promptPieces = 64;

/** Puts the small pieces of a body together when there are many: each would cost as much as a large one. */
export class ChunkCoalescer {
  #held: Buffer | undefined;
  #length = 0;
  #pieces = 0;

  /** What is to be handed on now, lent until the next call; without a piece, at the end, what is left. */
  add(piece: Buffer | undefined): Buffer | undefined {
    const small = piece !== undefined && piece.length < smallPiece && ++this.#pieces > promptPieces;
    if (small) {
      this.#held ??= Buffer.alloc(gatheredBytes + smallPiece);
      this.#length += piece.copy(this.#held, this.#length);
      return this.#length < gatheredBytes ? undefined : this.#take();
    }
    if (this.#length === 0) return piece;
    const held = this.#take();
    return piece ? Buffer.concat([held, piece]) : held;
  }

  #take(): Buffer {
    const taken = (this.#held ?? Buffer.alloc(0)).subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
