import { listOf, withListedIds } from "../core/listed-ids.ts";
import { log } from "../core/log.ts";
import type { Reader } from "../core/store.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import type { SearchWords } from "../envelope/search-words.ts";
import { wordsOf } from "./report-terms.ts";

export type WordReader = Pick<EnvelopeReader, "words">;

interface Event {
  id: string;
  key_id: string;
  title: string | null;
}

type StoredEvent = Omit<Event, "title"> & {
  /** Unpacked: at least what is stored. */
  envelope_bytes: number;
};

const portionBytes = 256 * 1_024;

/** Reads the words of a report's title and message for the index. */
export async function wordsOfEvent(store: Reader, reader: WordReader, event: Event): Promise<string[]> {
  const read = await readSearchWords(store, reader, [{ ...event, envelope_bytes: 0 }]);
  return indexedWords(event, read.get(event.id));
}

/** Logs that an envelope cannot be read and goes on without it, so that the other reports can still be found. */
function unreadable(event: string, error: unknown): undefined {
  log.warn("the envelope of a report cannot be read; it is found by its title alone", { event, error });
}

/** The words of a title and of what was read of the envelope, as the index has them. */
export function indexedWords({ title }: Pick<Event, "title">, read: SearchWords | undefined): string[] {
  return wordsOf(`${title ?? ""} ${read?.message ?? ""}`);
}

const selectEnvelopes = withListedIds((isListed) => `select event_id, bytes from envelope where event_id ${isListed}`);

/**
 * Reads stored envelopes for search, by their events. One that cannot be read, or is gone, is left out. Few are in memory
 * at once.
 */
export async function readSearchWords(
  store: Reader,
  reader: WordReader,
  events: readonly StoredEvent[],
): Promise<Map<string, SearchWords>> {
  const words = new Map<string, SearchWords>();
  for (const together of inPortions(events)) {
    const rows = await store.all<{ event_id: string; bytes: Uint8Array }>(selectEnvelopes, [
      listOf(together.map(({ id }) => id)),
    ]);
    const bytesOf = new Map(rows.map(({ event_id, bytes }) => [event_id, bytes]));
    for (const { id, key_id: owner } of together) {
      const bytes = bytesOf.get(id);
      const read = bytes && (await reader.words(bytes, owner).catch((error) => unreadable(id, error)));
      if (read) words.set(id, read);
    }
  }
  return words;
}

/** Events whose envelopes have some {@link portionBytes} together, or one that has more. */
function* inPortions(events: readonly StoredEvent[]): Generator<StoredEvent[]> {
  let portion: StoredEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    if (portion.length > 0 && bytes + event.envelope_bytes > portionBytes) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(event);
    bytes += event.envelope_bytes;
  }
  if (portion.length > 0) yield portion;
}
