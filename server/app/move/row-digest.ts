const words = 8;
const lineEnd = 10;

/**
 * The digest of a set of rows, whatever their order: the sum of the SHA-256 of each line, as eight numbers of 32 bits.
 */
export class RowDigest {
  readonly #sum = new Uint32Array(words);
  readonly #hash = new Uint32Array(words);
  readonly #hashBytes = new Uint8Array(this.#hash.buffer);
  rows = 0;

  /** Takes whole lines. */
  add(lines: Uint8Array) {
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf(lineEnd, start);
      Bun.SHA256.hash(lines.subarray(start, end), this.#hashBytes);
      // Each number wraps by itself.
      for (let i = 0; i < words; i++) this.#sum[i] = (this.#sum[i] as number) + (this.#hash[i] as number);
      this.rows++;
      start = end + 1;
    }
  }

  get hex(): string {
    return Buffer.from(this.#sum.buffer).toString("hex");
  }
}
