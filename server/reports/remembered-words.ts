import type { SearchWords } from "../envelope/search-words.ts";

/** With ids, and messages of usual length, some 5 MB. */
const reportsMax = 10_000;
const charactersMax = 1_000_000;

/**
 * The words of reports that wait for the search index, so that their envelopes need not be read and unpacked for it
 * again. Those of a report beyond the bounds are not kept: its envelope is read.
 */
export class RememberedWords {
  readonly #words = new Map<string, SearchWords>();
  #characters = 0;

  add(eventId: string, words: SearchWords) {
    if (this.#words.size >= reportsMax || this.#characters + words.message.length > charactersMax) return;
    this.#words.set(eventId, words);
    this.#characters += words.message.length;
  }

  /** Returns the words of a report and forgets them. */
  take(eventId: string): SearchWords | undefined {
    const words = this.#words.get(eventId);
    if (words && this.#words.delete(eventId)) this.#characters -= words.message.length;
    return words;
  }

  /** Called when no report waits: what is left belongs to reports that were deleted before they were indexed. */
  clear() {
    this.#words.clear();
    this.#characters = 0;
  }
}
