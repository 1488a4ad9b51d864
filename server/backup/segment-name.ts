import { isDigest, type StoredObject } from "./stored-object.ts";

/**
 * A segment of the log as its target lists it. Its name says everything that a look for moments needs, so that a list
 * of names is the index; it is stored whole or not at all.
 */
export interface SegmentName extends StoredObject {
  /** Segments of one chain follow each other without a gap. */
  chain: string;
  /** 1 for the first of its chain. */
  number: number;
  /** Epoch milliseconds. Everything that the server answered before is in this segment or an earlier one. */
  end: number;
  /** Whether it needs objects: attachments. */
  files: boolean;
}

const form = /^(\d{10})-(\d{8}T\d{9}Z)-([0-9a-f]{64})(-files)?$/;
const chainForm = /^\d{8}T\d{9}Z-[0-9a-f]{6}$/;

/** `CHAIN/NUMBER-END-DIGEST`: names sort in the order of the log. */
export function pathOfSegment({ chain, number, end, sha256, files }: SegmentName): string {
  const stamp = new Date(end).toISOString().replaceAll(/[-:.]/g, "");
  return `${chain}/${String(number).padStart(10, "0")}-${stamp}-${sha256}${files ? "-files" : ""}`;
}

/** Undefined for a name that no segment has. */
export function segmentOfPath(path: string, bytes: number): SegmentName | undefined {
  const [chain = "", name = "", ...more] = path.split("/");
  const [, number = "", stamp = "", sha256 = "", files] = form.exec(name) ?? [];
  if (!isChain(chain) || more.length > 0 || !isDigest(sha256)) return undefined;
  const end = Date.parse(
    stamp.replace(
      /^(....)(..)(..)T(..)(..)(..)(...)Z$/,
      (_, ...t) => `${t[0]}-${t[1]}-${t[2]}T${t[3]}:${t[4]}:${t[5]}.${t[6]}Z`,
    ),
  );
  return Number.isNaN(end)
    ? undefined
    : { chain, number: Number(number), end, sha256, files: files !== undefined, bytes };
}

export function isChain(text: unknown): text is string {
  return typeof text === "string" && chainForm.test(text);
}

/**
 * Segments in the order of the log, each number once: a killed run may have stored one twice, the second time without the
 * files of attachments that were deleted meanwhile. Which one counts does not depend on the order of the list: pruning
 * removes what only the other one needs.
 */
export function inOrder(segments: SegmentName[]): SegmentName[] {
  segments.sort((a, b) => {
    if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1;
    if (a.number !== b.number) return a.number - b.number;
    if (a.files !== b.files) return a.files ? -1 : 1;
    return a.sha256 < b.sha256 ? -1 : 1;
  });
  return segments.filter(({ chain, number }, i) => {
    const before = segments[i - 1];
    return before?.chain !== chain || before.number !== number;
  });
}
