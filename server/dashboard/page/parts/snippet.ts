/** A text to copy, in one of several languages. */
export interface Snippet {
  name: string;
  text: string;
}
