import { createHash } from "node:crypto";
import { commandOf } from "../mach-o.ts";

/** What the headers of an executable say: `elf x64`, `mach-o arm64`, `pe x64`. */
export function executableKind(bytes: Buffer): string {
  if (bytes.toString("latin1", 0, 4) === "\x7fELF") {
    return `elf ${{ 62: "x64", 183: "arm64" }[bytes.readUInt16LE(18)]}`;
  }
  if (bytes.readUInt32LE(0) === 0xfeedfacf) {
    return `mach-o ${{ [0x01000007]: "x64", [0x0100000c]: "arm64" }[bytes.readUInt32LE(4)]}`;
  }
  const pe = bytes.readUInt32LE(0x3c);
  if (bytes.toString("latin1", 0, 2) === "MZ" && bytes.toString("latin1", pe, pe + 4) === "PE\0\0") {
    return `pe ${{ [0x8664]: "x64", [0xaa64]: "arm64" }[bytes.readUInt16LE(pe + 4)]}`;
  }
  return "unknown";
}

/**
 * Compares every page of a Mach-O file with the digests of its signature, as macOS does before it runs it: the number
 * of pages that agree, or a word for what is missing. Apple's processors run nothing that is unsigned.
 */
export function signedPages(bytes: Buffer): { pages: number; wrong: number } | "unsigned" {
  const signature = commandOf(bytes, 0x1d);
  if (signature === undefined) return "unsigned";
  const blob = bytes.readUInt32LE(signature + 8);
  const end = blob + bytes.readUInt32LE(signature + 12);
  if (end !== bytes.length) return "unsigned";
  for (let i = 0; i < bytes.readUInt32BE(blob + 8); i++) {
    const directory = blob + bytes.readUInt32BE(blob + 12 + 8 * i + 4);
    if (bytes.readUInt32BE(directory) !== 0xfade0c02) continue;
    const hashes = directory + bytes.readUInt32BE(directory + 16);
    const pages = bytes.readUInt32BE(directory + 28);
    const limit = bytes.readUInt32BE(directory + 32);
    const size = 1 << (bytes[directory + 39] ?? 0);
    // Everything before the signature has to be under it.
    let wrong = limit === blob ? 0 : 1;
    for (let page = 0; page < pages; page++) {
      const content = bytes.subarray(page * size, Math.min((page + 1) * size, limit));
      const expected = bytes.subarray(hashes + 32 * page, hashes + 32 * (page + 1));
      if (!createHash("sha256").update(content).digest().equals(expected)) wrong++;
    }
    return { pages, wrong };
  }
  return "unsigned";
}
