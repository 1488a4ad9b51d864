import { limits } from "../../openapi/schema/limits.ts";
import { canonicalDigest } from "./canonical.ts";
import { decodeEnvelope } from "./decode-envelope.ts";
import type { Answered, Numbered, Question } from "./envelope-thread.ts";
import { readContents, readWords } from "./report-contents.ts";

/** The thread of `envelope-thread.ts`. */
declare const self: Worker;

/** What was parsed of such an answer may be a hundred times its size; left alone, it would pile up to a GiB. */
const largeBytes = 1_048_576;

self.onmessage = ({ data: { number, question } }: MessageEvent<Numbered>) => {
  const before = process.threadCpuUsage();
  let answered: Answered;
  try {
    answered = { number, text: answerOf(question) };
  } catch (error) {
    answered = { number, failed: (error as Error).message };
  }
  self.postMessage(answered);
  if (unpackedBytes > largeBytes) Bun.gc(true);
  unpackedBytes = 0;
  const { user, system } = process.threadCpuUsage(before);
  self.postMessage({ number, milliseconds: (user + system) / 1_000 } satisfies Answered);
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
      const inspection = decodeEnvelope(bytes.subarray(end - length, end), most);
      unpackedBytes += inspection.kind === "object" ? inspection.size : length;
      return inspection;
    }),
  );
}
