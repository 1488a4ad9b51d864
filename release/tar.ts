import { type Entry, sorted } from "./entry.ts";

const block = 512;

/** A tar archive (POSIX ustar) whose bytes depend on the entries and the time alone. */
export function tar(entries: readonly Entry[], seconds: number): Uint8Array {
  const pieces = sorted(entries).flatMap((entry) => {
    const bytes = entry.kind === "file" ? entry.bytes : new Uint8Array();
    return [header(entry, bytes.length, seconds), bytes, new Uint8Array((block - (bytes.length % block)) % block)];
  });
  return Buffer.concat([...pieces, new Uint8Array(2 * block)]);
}

function header(entry: Entry, size: number, seconds: number): Uint8Array {
  const path = entry.kind === "folder" ? `${entry.path}/` : entry.path;
  const cut = path.length > 100 ? path.lastIndexOf("/", path.length - 2) : -1;
  const [prefix, name] = [path.slice(0, Math.max(0, cut)), path.slice(cut + 1)];
  const target = entry.kind === "link" ? entry.to : "";
  if (name.length > 100 || prefix.length > 155 || target.length > 100 || /[^\x20-\x7e]/.test(path + target)) {
    throw new Error(`${path} does not fit into a tar header`);
  }
  const owner = entry.kind === "link" ? 0 : (entry.owner ?? 0);
  const bytes = Buffer.alloc(block);
  bytes.write(name, 0);
  bytes.write(octal(entry.kind === "link" ? 0o777 : entry.mode, 8), 100);
  bytes.write(octal(owner, 8), 108);
  bytes.write(octal(owner, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(seconds, 12), 136);
  bytes.write(" ".repeat(8), 148);
  bytes.write({ file: "0", link: "2", folder: "5" }[entry.kind], 156);
  bytes.write(target, 157);
  bytes.write("ustar\x0000", 257);
  bytes.write(octal(0, 8), 329);
  bytes.write(octal(0, 8), 337);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((all, byte) => all + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
