/** The bytes that a `Range` header asks for (RFC 9110, 14.2): `end` is the first byte that is not sent. */
export type Range = { start: number; end: number } | "whole" | "unsatisfiable";

/** Reads a `Range` header. Several ranges, and other units than bytes, mean the whole file, as the RFC allows. */
export function rangeOf(header: string | null, size: number): Range {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "")
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(last)), end: size };
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < start) return "whole";
  return start >= size ? "unsatisfiable" : { start, end };
}
