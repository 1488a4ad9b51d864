/** Requests that were received and are not answered yet. */
export class InFlight {
  #count = 0;
  #none: (() => void) | undefined;

  add(): true {
    this.#count++;
    return true;
  }

  remove() {
    if (--this.#count === 0) this.#none?.();
  }

  async none(milliseconds: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, milliseconds);
      this.#none = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}
