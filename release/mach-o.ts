import { createHash } from "node:crypto";

/** Load commands of the Mach-O format, and the magic numbers of its signature. */
const segment64 = 0x19;
const codeSignature = 0x1d;
const superBlob = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const requirements = 0xfade0c01;

const pageBits = 12;
const headerBytes = 88;

/**
 * Signs an executable for macOS ad hoc, which takes no certificate: digests of all pages, and no name. For Intel, Bun
 * leaves the signature of its own makers on the binary; its digests no longer fit, and as it asks for the hardened
 * runtime, macOS would end the process. For ARM, Bun signs ad hoc by itself.
 */
export function signAdHoc(executable: Uint8Array, identifier: string): Buffer {
  const command = commandOf(executable, codeSignature);
  const view = Buffer.from(executable.buffer, executable.byteOffset, executable.byteLength);
  if (command === undefined) throw new Error("the executable has no place for a signature");
  const limit = view.readUInt32LE(command + 8);
  const signed = Buffer.from(view.subarray(0, limit));
  const pages = Math.ceil(limit / (1 << pageBits));
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = headerBytes + name.length + 32 * pages;
  const size = (28 + directoryBytes + 12 + 15) & ~15;

  // The signature ends the file, so the segment that holds it ends there too.
  const linkEdit = segmentOf(signed, "__LINKEDIT");
  const inFile = limit + size - Number(signed.readBigUInt64LE(linkEdit + 40));
  signed.writeBigUInt64LE(BigInt(inFile), linkEdit + 48);
  signed.writeBigUInt64LE(BigInt(Math.ceil(inFile / 0x4000) * 0x4000), linkEdit + 32);
  signed.writeUInt32LE(size, command + 12);

  const text = segmentOf(signed, "__TEXT");
  const header = Buffer.alloc(headerBytes);
  const [textFrom, textBytes] = [signed.readBigUInt64LE(text + 40), signed.readBigUInt64LE(text + 48)];
  const fields = [codeDirectory, directoryBytes, 0x20400, 0x2, headerBytes + name.length, headerBytes, 0, pages, limit];
  for (const [i, field] of fields.entries()) header.writeUInt32BE(field, 4 * i);
  // 32 bytes of SHA-256 (2) for each page of 4096 bytes; the segment of the code is that of a main program (1).
  header.set([32, 2, 0, pageBits], 36);
  header.writeBigUInt64BE(textFrom, 64);
  header.writeBigUInt64BE(textBytes, 72);
  header.writeBigUInt64BE(1n, 80);

  const digests = Array.from({ length: pages }, (_, page) =>
    createHash("sha256")
      .update(signed.subarray(page << pageBits, Math.min((page + 1) << pageBits, limit)))
      .digest(),
  );
  const blob = Buffer.alloc(size);
  const index = [superBlob, 20 + 8 + directoryBytes + 12, 2, 0, 28, 2, 28 + directoryBytes];
  const parts = Buffer.concat([words(index), header, name, ...digests, words([requirements, 12, 0])]);
  if (parts.length > size) throw new Error("the signature is larger than its place");
  parts.copy(blob);
  return Buffer.concat([signed, blob]);
}

/** Offset of the first load command of a kind. */
export function commandOf(executable: Uint8Array, wanted: number): number | undefined {
  return commands(executable).find(({ kind }) => kind === wanted)?.at;
}

function segmentOf(executable: Buffer, name: string): number {
  const found = commands(executable).find(
    ({ kind, at }) => kind === segment64 && executable.toString("latin1", at + 8, at + 24).replace(/\0+$/, "") === name,
  );
  if (!found) throw new Error(`the executable has no segment ${name}`);
  return found.at;
}

function commands(executable: Uint8Array): { kind: number; at: number }[] {
  const view = Buffer.from(executable.buffer, executable.byteOffset, executable.byteLength);
  const found: { kind: number; at: number }[] = [];
  for (let i = 0, at = 32; i < view.readUInt32LE(16); i++) {
    found.push({ kind: view.readUInt32LE(at), at });
    at += view.readUInt32LE(at + 4);
  }
  return found;
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}
