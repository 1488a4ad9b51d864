import { limits } from "../../openapi/schema/limits.ts";
import { canonicalDigest } from "./canonical.ts";
import { decodeEnvelope } from "./decode-envelope.ts";
import type { Answered, Numbered, Question } from "./envelope-thread.ts";
import { readContents, readWords } from "./report-contents.ts";

/** The entry point of the thread that `envelope-thread.ts` starts. */
declare const self: Worker;

/**
 * Garbage is collected after this many unpacked bytes were read: parsed JSON may take a hundred times the memory of its
 * text, and would grow to 1 GiB before the collector runs by itself.
 */
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
  if (question.wanted !== "decoded") {
    // Only large envelopes are sent here for anything but decoding.
    unpackedBytes = limits.envelopeBytes;
    if (question.wanted === "canonical") return canonicalDigest(question.bytes).toHex();
    return JSON.stringify(question.wanted === "words" ? readWords(question.bytes) : readContents(question.bytes));
  }
  const { bytes, lengths, max } = question;
  let end = 0;
  return JSON.stringify(
    lengths.map((length) => {
      end += length;
      const decoded = decodeEnvelope(bytes.subarray(end - length, end), max);
      unpackedBytes += decoded.kind === "object" ? decoded.size : length;
      return decoded;
    }),
  );
}
