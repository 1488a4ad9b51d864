import { log } from "../core/log.ts";
import type { Reader } from "../core/store.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { wordsOf } from "./report-terms.ts";

export type WordReader = Pick<EnvelopeReader, "words">;

interface Event {
  id: string;
  key_id: string;
  title: string | null;
}

/** Reads the words of a report's title and message for the index. */
export async function wordsOfEvent(store: Reader, reader: WordReader, event: Event): Promise<string[]> {
  return (await saidBy(store, reader, event)).words;
}

/** Logs that an envelope cannot be read and goes on without it, so that the other reports can still be found. */
function unreadable(event: string, error: unknown): undefined {
  log.warn("the envelope of a report cannot be read; it is found by its title alone", { event, error });
}

/** The words of a report as `wordsOfEvent` gives them, and whether the app left something out. */
export async function saidBy(
  store: Reader,
  reader: WordReader,
  { id, key_id: owner, title }: Event,
): Promise<{ words: string[]; dropped: boolean }> {
  const [row] = await store.all<{ bytes: Uint8Array }>("select bytes from envelope where event_id in ($1)", [id]);
  const read = row && (await reader.words(row.bytes, owner).catch((error) => unreadable(id, error)));
  return { words: wordsOf(`${title ?? ""} ${read?.message ?? ""}`), dropped: read?.dropped ?? false };
}
