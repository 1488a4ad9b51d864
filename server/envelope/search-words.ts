/** The words by which search finds a report, beside the index of its envelope. */
export interface SearchWords {
  message: string;
  dropped: boolean;
}

const messageMax = 2_000;

/** The words of an envelope that was parsed anyway; `readWords` gives the same ones of a stored envelope. */
export function searchWordsOf({ message, dropped }: Readonly<Record<string, unknown>>): SearchWords {
  return {
    message: typeof message === "string" ? searchedMessage(message) : "",
    dropped: Array.isArray(dropped) && dropped.length > 0,
  };
}

/** The beginning of a message, which search finds. */
export function searchedMessage(message: string): string {
  return message.slice(0, messageMax).toWellFormed();
}
