import { jsonIn } from "./calls.ts";

interface DocumentAnswer {
  /** The address of the call that this is the answer to. */
  address: string;
  answer: unknown;
}

let text = typeof document === "undefined" ? undefined : document.getElementById("answer")?.textContent;

/**
 * The answer to a call that the document carries, once. Undefined for every other call, and as soon as a live message has
 * come: the answer may be older than that message, of which the caller has not been told.
 */
export function takeAnswer<Answer>(address: string): Answer | undefined {
  if (!text) return undefined;
  // The text is no JSON where the connection broke within the document.
  const given = jsonIn(text) as DocumentAnswer | undefined;
  if (given?.address !== address) return undefined;
  dropAnswer();
  return given.answer as Answer;
}

export function dropAnswer() {
  text = undefined;
}
