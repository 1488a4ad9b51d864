import { limits } from "../../openapi/schema/limits.ts";
import { readContents, readWords } from "../reports/report-contents.ts";
import { canonicalDigest } from "./canonical.ts";
import type { Answered, Numbered, Question } from "./envelope-thread.ts";
import { inspect } from "./inspect.ts";

/** The thread of `envelope-thread.ts`. */
declare const self: Worker;

/** What was parsed of such an answer may be a hundred times its size; left alone, it would pile up to a GiB. */
const largeBytes = 1_048_576;

self.onmessage = ({ data: { number, question } }: MessageEvent<Numbered>) => {
  let answered: Answered;
  try {
    answered = { number, text: answerOf(question) };
  } catch (error) {
    answered = { number, failed: (error as Error).message };
  }
  self.postMessage(answered);
  if (unpackedBytes > largeBytes) Bun.gc(true);
  unpackedBytes = 0;
};

let unpackedBytes = 0;

function answerOf(question: Question): string {
  if (question.wanted !== "inspections") {
    // Only large ones are asked for here.
    unpackedBytes = limits.envelopeBytes;
    if (question.wanted === "canonical") return canonicalDigest(question.bytes).toHex();
    return JSON.stringify(question.wanted === "words" ? readWords(question.bytes) : readContents(question.bytes));
  }
  const { bytes, lengths, most } = question;
  let end = 0;
  return JSON.stringify(
    lengths.map((length) => {
      end += length;
      const inspection = inspect(bytes.subarray(end - length, end), most);
      unpackedBytes += inspection.kind === "object" ? inspection.size : length;
      return inspection;
    }),
  );
}
