/** Wakes claims that wait for a run whenever a run may have been queued. */
export class RunNotifier {
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** How many claims wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  notify() {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with the next notification, or after `milliseconds`, or at once when the server stops. */
  wait(milliseconds: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.#waiting.add(wake);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  close() {
    this.#closed = true;
    this.notify();
  }
}
