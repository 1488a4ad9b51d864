import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const { O_RDONLY } = constants;
/** Windows has no such flag, and no named pipes among files. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

/**
 * Reads a small text file. Throws for one of more than `bytesMax` bytes, and for anything but a regular file: a named
 * pipe would be waited for until something is written to it.
 */
export function readRegularFile(path: string, bytesMax: number): string {
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new UnreadableFile("not a regular file");
    if (stat.size > bytesMax) throw new UnreadableFile(`more than ${bytesMax} bytes`);
    const bytes = Buffer.alloc(stat.size);
    let read = 0;
    for (let now = -1; now !== 0 && read < bytes.length; read += now) {
      now = readSync(file, bytes, read, bytes.length - read, read);
    }
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}

/** Says in `code`, as errors of the system do, why a file was not read. */
class UnreadableFile extends Error {
  override name = "UnreadableFile";
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
