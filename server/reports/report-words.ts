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

/** Reads the words of a report's title and message for the index. */
export async function wordsOfEvent(store: Reader, reader: WordReader, event: Event): Promise<string[]> {
  return indexedWords(event, await readSearchWords(store, reader, event));
}

/** Logs that an envelope cannot be read and goes on without it, so that the other reports can still be found. */
function unreadable(event: string, error: unknown): undefined {
  log.warn("the envelope of a report cannot be read; it is found by its title alone", { event, error });
}

/** The words of a title and of what was read of the envelope, as the index has them. */
export function indexedWords({ title }: Pick<Event, "title">, read: SearchWords | undefined): string[] {
  return wordsOf(`${title ?? ""} ${read?.message ?? ""}`);
}

/** Reads a stored envelope for search; undefined when it cannot be read, or is gone. */
export async function readSearchWords(
  store: Reader,
  reader: WordReader,
  { id, key_id: owner }: Omit<Event, "title">,
): Promise<SearchWords | undefined> {
  const [row] = await store.all<{ bytes: Uint8Array }>("select bytes from envelope where event_id in ($1)", [id]);
  return row && (await reader.words(row.bytes, owner).catch((error) => unreadable(id, error)));
}
