import { expect, test } from "bun:test";
import fc from "fast-check";
import { hasCredentialForm } from "../../server/core/credential.ts";
import { IngestClient } from "./ingest.ts";
import { dummyKey, dummyToken, recordingFetch } from "./testing.ts";
import { TicketsClient } from "./tickets.ts";

const ingestUrl = "https://intake.example.org";

test("dummy credentials have the form of real ones", () => {
  for (const dummy of [dummyToken, dummyKey]) expect(hasCredentialForm(dummy)).toBe(true);
});

test("reports are kept as they were sent: any report, attachments of any bytes", async () => {
  const attachment = fc.record({ filename: fc.stringMatching(/^[a-z]{1,9}$/), data: fc.uint8Array({ maxLength: 99 }) });
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 3_000 }), fc.array(attachment, { maxLength: 5 }), async (title, files) => {
      const fetch = recordingFetch();
      const reports = new IngestClient({ ingestUrl, key: dummyKey, fetch });
      const report = { reportId: crypto.randomUUID(), title };
      const attachments = files as [];
      const first = await reports.submit(report, { attachments });
      const again = await reports.submit(report, { attachments });
      expect([first.idempotent, again.idempotent, again.eventId]).toEqual([false, true, first.eventId]);
      expect(fetch.reports).toHaveLength(1);
      expect(fetch.reports[0]?.envelope["title"]).toBe(title.toWellFormed() === title ? title : expect.any(String));
      expect(fetch.reports[0]?.attachments.map(({ filename, bytes }) => [filename, [...bytes]])).toEqual(
        files.map(({ filename, data }) => [filename, [...data]]),
      );
    }),
    { numRuns: 50 },
  );
});

test("one key makes one ticket", async () => {
  const fetch = recordingFetch();
  const tickets = new TicketsClient({ baseUrl: ingestUrl, token: dummyToken, fetch });
  const first = await tickets.create({ title: "x", priority: "high" }, { idempotencyKey: "k" });
  const again = await tickets.create({ title: "y" }, { idempotencyKey: "k" }).withResponse();
  expect(again).toMatchObject({ data: first, replayed: true });
  expect(fetch.tickets).toEqual([{ idempotencyKey: "k", ticket: { title: "x", priority: "high" } }]);
});

test("other answers are given once, in their order; a wrong credential is refused", async () => {
  const fetch = recordingFetch();
  const reports = new IngestClient({ ingestUrl, key: dummyKey, fetch, maxRetries: 0 });
  fetch.next.push(new Response(null, { status: 413 }), new Error("offline"));
  expect(await reports.submit({}).catch(({ status }) => status)).toBe(413);
  expect(await reports.submit({}).catch(({ name }) => name)).toBe("ConnectionError");
  expect((await reports.submit({})).status).toBe("received");
  const headers = { authorization: `Bearer ${dummyToken}` };
  const init = { method: "POST", headers, body: "", redirect: "manual", signal: new AbortController().signal } as const;
  expect((await fetch(`${ingestUrl}/api/ingest`, init)).status).toBe(401);
  expect(await fetch(`${ingestUrl}/elsewhere`, init).catch((error) => error)).toBeInstanceOf(TypeError);
});
