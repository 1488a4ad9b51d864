import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A name that encoders must write in different ways: letters beyond ASCII, a space, a quote. */
export const logName = 'größe 1"2.log';
export const screenshotName = "screen shot.png";

/** One report as files, for programs that read files. */
export interface Report {
  reportId: string;
  envelope: Buffer;
  screenshot: Buffer;
  log: Buffer;
  paths: { plain: string; gzip: string; screenshot: string; log: string };
}

export function writeReport(folder: string): Report {
  const reportId = crypto.randomUUID();
  // Lines end with LF. Encoders that treat the envelope as text turn them into CRLF, and it is still the same report.
  const envelope = Buffer.from(
    `${JSON.stringify({ version: 1, reportId, type: "bug", title: "Grün ≠ green", message: "a\r\nb" }, null, 2)}\n`,
  );
  const paths = {
    plain: join(folder, "report.json"),
    gzip: join(folder, "report.json.gz"),
    screenshot: join(folder, screenshotName),
    log: join(folder, logName),
  };
  const report: Report = { reportId, envelope, screenshot, log, paths };
  writeFileSync(paths.plain, envelope);
  writeFileSync(paths.gzip, gzipSync(envelope));
  writeFileSync(paths.screenshot, screenshot);
  writeFileSync(paths.log, log);
  return report;
}

/** Beginnings of delimiters: a parser that takes one for a delimiter, or loses one, changes the bytes. */
const almost = [
  ...["\r\n", "\r\n-", "\r\n--", "\r\n---", "\r\n------------------------", "\r\n------WebKitFormBoundary"],
  // One character shorter than the boundary that shapes.ts gives to Chrome.
  "\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW",
];

const screenshot = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  Buffer.from([...almost, ...almost.map((text) => `${text}\r\n`), ...almost.map((text) => `${text}--`)].join("\0")),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  // The real delimiter follows directly after the beginning of one.
  Buffer.from("\r\n--\r\n\r"),
]);

/** Longer than one read from a socket, and without a line end at its end. */
const log = Buffer.from(`${"2026-01-01 12:00 größer als 64 KiB\r\n--\n\n".repeat(2_500)}--`);
