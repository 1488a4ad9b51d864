import { errorReport } from "../ingest/envelope.ts";
import { gzipEnvelope, multipart } from "../ingest/multipart.ts";
import { openGzip } from "../ingest/open-gzip.ts";

const kinds = 50;

/** Bodies of reports, no two alike, that cost their sender next to nothing: only the id in the gzip is replaced. */
export function reportBodies(): () => Buffer<ArrayBuffer> {
  const kept = Array.from({ length: kinds }, (_, seed) => {
    const gzip = openGzip(errorReport(seed + 1));
    const body = multipart([gzipEnvelope(gzip.bytes)]);
    return { body, start: body.indexOf(gzip.bytes), ...gzip };
  });
  let number = 0;
  return () => {
    const one = kept[number++ % kinds];
    if (!one) throw new Error("there are no reports");
    const { start, idOffset, crcOffset, crcChanges } = one;
    const body = Buffer.from(one.body);
    const id = crypto.randomUUID();
    let crc = body.readUInt32LE(start + crcOffset);
    for (let i = 0; i < id.length; i++) {
      if (id[i] !== "-") crc ^= crcChanges[i * 16 + Number.parseInt(id[i] ?? "", 16)] ?? 0;
    }
    body.write(id, start + idOffset, "latin1");
    body.writeUInt32LE(crc >>> 0, start + crcOffset);
    return body;
  };
}
