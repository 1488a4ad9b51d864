import { canonicalDigest } from "./canonical.ts";
import type { Question } from "./envelope-thread.ts";
import { inspect } from "./inspect.ts";

/** The thread of `envelope-thread.ts`. */
declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Question>) => {
  try {
    self.postMessage(answerOf(data));
  } catch (error) {
    self.postMessage(error);
  }
};

function answerOf(question: Question): string {
  if (question.wanted === "canonical") return canonicalDigest(question.bytes).toHex();
  const { bytes, lengths, most } = question;
  let end = 0;
  return JSON.stringify(
    lengths.map((length) => {
      end += length;
      return inspect(bytes.subarray(end - length, end), most);
    }),
  );
}
