/** A time in which storage refused. Times are epoch milliseconds. */
export interface Outage {
  since: number;
  /** Undefined while it lasts. */
  until: number | undefined;
  reason: string;
}

/**
 * Remembers that storage refused until a notice could be stored, which needs storage. Of several outages in a row one is
 * told, from the first one's begin.
 */
export class Outages {
  #latest: Outage | undefined;

  /** To be called when storage begins to refuse, with the reason, and with undefined when it works again. */
  note(reason: string | undefined, now: number) {
    if (reason !== undefined) this.#latest = { since: this.#latest?.since ?? now, until: undefined, reason };
    else if (this.#latest) this.#latest.until ??= now;
  }

  get latest(): Outage | undefined {
    return this.#latest && { ...this.#latest };
  }

  /** Forgets an outage that is over, once its notice is stored. */
  told(outage: Outage) {
    if (outage.until !== undefined && this.#latest?.until === outage.until) this.#latest = undefined;
  }
}
