/** Slots of the smallest table. */
const smallest = 1_024;
const removed = 0xffff_ffff;

/**
 * Numbers of rows by a hash of 53 bits, in memory: 12 bytes a slot and at most half of the slots in use. A slot is found
 * by the leading bits of the hash, so that going through the slots goes through the hashes in their order, but for
 * neighbours. Several rows may have one hash.
 */
export class KeyTable {
  #bits = Math.log2(smallest);
  #hashes = new Float64Array(smallest);
  /** 0 in a slot that is free; otherwise the number less the base. */
  #numbers = new Uint32Array(smallest);
  /** Below every number. */
  readonly #base: number;
  /** Slots that are not free. */
  #used = 0;

  /** Takes numbers above `base`, up to four thousand million of them. */
  constructor(base: number) {
    this.#base = base;
  }

  get slots(): number {
    return this.#numbers.length;
  }

  add(hash: number, number: number) {
    if (this.#used * 2 >= this.slots) this.#grow();
    this.#used++;
    this.#put(hash, number - this.#base);
  }

  /** Removes a row that was added. */
  remove(hash: number, number: number) {
    for (let slot = this.#slotOf(hash); this.#numbers[slot] !== 0; slot = this.#next(slot)) {
      if (this.#numbers[slot] === number - this.#base) {
        this.#numbers[slot] = removed;
        return;
      }
    }
  }

  /** The numbers that were added with a hash; undefined for none, which is the usual case. */
  find(hash: number): number[] | undefined {
    let found: number[] | undefined;
    for (let slot = this.#slotOf(hash); this.#numbers[slot] !== 0; slot = this.#next(slot)) {
      const number = this.#numbers[slot] as number;
      if (this.#hashes[slot] !== hash || number === removed) continue;
      found ??= [];
      found.push(this.#base + number);
    }
    return found;
  }

  /** What is in the slots from one to before another, and what `find` would pass over is left out. */
  between(from: number, to: number): { hash: number; number: number }[] {
    const rows: { hash: number; number: number }[] = [];
    for (let slot = from; slot < Math.min(to, this.slots); slot++) {
      const number = this.#numbers[slot] as number;
      if (number === 0 || number === removed) continue;
      rows.push({ hash: this.#hashes[slot] as number, number: this.#base + number });
    }
    return rows;
  }

  #put(hash: number, number: number) {
    let slot = this.#slotOf(hash);
    while (this.#numbers[slot] !== 0) slot = this.#next(slot);
    this.#hashes[slot] = hash;
    this.#numbers[slot] = number;
  }

  #slotOf(hash: number): number {
    return Math.floor(hash / 2 ** (53 - this.#bits));
  }

  #next(slot: number): number {
    return slot + 1 === this.slots ? 0 : slot + 1;
  }

  #grow() {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    this.#bits++;
    this.#hashes = new Float64Array(2 ** this.#bits);
    this.#numbers = new Uint32Array(2 ** this.#bits);
    this.#used = 0;
    for (const [slot, number] of numbers.entries()) {
      if (number === 0 || number === removed) continue;
      this.#used++;
      this.#put(hashes[slot] as number, number);
    }
  }
}
