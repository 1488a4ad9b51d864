import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { attachment, envelope, eventCount, shown, storeReport } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { answering, Receiver } from "../../test/support/receiver.ts";
import { readS3Address } from "../core/s3-address.ts";
import { StoreUnavailable } from "../core/store.ts";
import { S3Credentials } from "../store/s3/credentials.ts";
import { S3Files } from "../store/s3-files.ts";

let installation: Installation;
let storage: Receiver;
beforeAll(async () => {
  installation = await install();
  storage = await Receiver.listen();
});
afterAll(async () => {
  await storage.close();
  await installation.remove();
});

test("an outage of object storage refuses reports with attachments alone, and stores nothing of them", async () => {
  const spool = `${installation.folder}/spool`;
  const files = new S3Files(readS3Address(`s3://bucket?endpoint=http://127.0.0.1:${storage.port}`), {
    spool,
    credentials: new S3Credentials({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }),
    timing: { pauses: [0, 1, 2], try: 20_000, all: 50_000, troubled: 20_000 },
  });
  // One is held in memory, the other goes to a draft.
  const attachments = [attachment("small"), attachment(Buffer.alloc(200_000, "large"), 1)];
  const report = (n: number, ...more: typeof attachments) =>
    storeReport(installation, [envelope({ reportId: `0190d7c8-6c1a-4000-8000-00000000000${n}` }), ...more], { files });

  storage.behave = answering("503 Service Unavailable", [], "");
  const refused = report(1, ...attachments);
  await expect(refused).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(refused).rejects.toHaveProperty("retrySeconds", 5);
  expect(await eventCount(installation)).toBe(0);
  expect(readdirSync(spool)).toEqual([]);

  await report(2);
  expect(await eventCount(installation)).toBe(1);

  storage.behave = answering("200 OK", ['etag: "e"'], "");
  const { eventId, idempotent } = await report(1, ...attachments);
  expect(idempotent).toBe(false);
  expect((await shown(installation, eventId)).attachments).toHaveLength(2);
});
