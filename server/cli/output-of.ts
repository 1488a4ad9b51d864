import type { Io } from "./io.ts";

/** Where long work tells how far it is. A line that stays begins where the last line of progress stood. */
export function outputOf(io: Io) {
  return {
    progress: (text: string) => io.progress(text),
    note(text: string) {
      io.progress("");
      io.note(text);
    },
  };
}
