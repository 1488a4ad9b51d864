interface Part {
  name: string;
  filename: string;
  contentType: string;
  content: Uint8Array;
}

const boundary = "----intake-bench-7f3a9c1d5e8b2460";
export const contentType = `multipart/form-data; boundary=${boundary}`;

/** The bytes that `FormData` of blobs makes, each part with a file name. */
export function multipart(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, filename, contentType, content }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${contentType}\r\n\r\n`,
      ),
      content,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

export const plainEnvelope = (json: string): Part => ({
  name: "envelope",
  filename: "envelope.json",
  contentType: "application/json",
  content: Buffer.from(json),
});

export const gzipEnvelope = (gzip: Uint8Array): Part => ({
  name: "envelope",
  filename: "envelope.json.gz",
  contentType: "application/gzip",
  content: gzip,
});
