import { canonicalDigest } from "./canonical.ts";
import type { Answer, Question } from "./envelope-thread.ts";
import { inspect } from "./inspect.ts";

/** The thread of `envelope-thread.ts`: one envelope at a time. */
declare const self: Worker;

self.onmessage = ({ data: { bytes, wanted } }: MessageEvent<Question>) => {
  try {
    const answer: Answer = wanted === "inspection" ? inspect(bytes) : canonicalDigest(bytes);
    self.postMessage({ answer });
  } catch (error) {
    self.postMessage({ failed: (error as Error).message });
  }
};
