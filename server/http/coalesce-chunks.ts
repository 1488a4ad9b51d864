const smallPiece = 4_096;
const coalescedBytes = 4 * smallPiece;
/**
 * The first small pieces of a body are handed on as they come, so that a fault at its beginning is answered at once.
 */
const promptPieces = 64;

/** Joins the small pieces of a body when there are many: handing on a small piece costs as much as a large one. */
export class ChunkCoalescer {
  #held: Buffer | undefined;
  #length = 0;
  #pieces = 0;

  /**
   * Takes the next piece and returns the bytes to hand on now, if there are any: they are valid until the next call.
   * Called without a piece at the end of the body, returns the bytes that are left.
   */
  add(piece: Buffer | undefined): Buffer | undefined {
    const small = piece !== undefined && piece.length < smallPiece && ++this.#pieces > promptPieces;
    if (small) {
      this.#held ??= Buffer.alloc(coalescedBytes + smallPiece);
      this.#length += piece.copy(this.#held, this.#length);
      return this.#length < coalescedBytes ? undefined : this.#take();
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
