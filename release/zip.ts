import { crc32, deflateRawSync } from "node:zlib";
import { type Entry, sorted } from "./entry.ts";

/** A zip archive of files whose bytes depend on the entries and the time alone. */
export function zip(entries: readonly Entry[], seconds: number): Uint8Array {
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  let files = 0;
  for (const entry of sorted(entries)) {
    if (entry.kind !== "file") continue;
    const name = Buffer.from(entry.path);
    const packed = deflateRawSync(entry.bytes, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(1 << 11, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(dosTime(seconds), 6);
    common.writeUInt32LE(crc32(entry.bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(((0o100000 | entry.mode) << 16) >>> 0, 6);
    more.writeUInt32LE(offset, 10);
    local.push(Buffer.from("PK\x03\x04"), common, name, packed);
    // Made by Unix, so that the mode counts where the archive is opened there.
    central.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, more, name);
    offset += 4 + common.length + name.length + packed.length;
    files++;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files, 8);
  end.writeUInt16LE(files, 10);
  end.writeUInt32LE(
    central.reduce((sum, piece) => sum + piece.length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...central, end]);
}

/** Date and time of MS-DOS, in UTC, in steps of two seconds. */
function dosTime(seconds: number): number {
  const at = new Date(seconds * 1000);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
