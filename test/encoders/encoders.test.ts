import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { newSdkKey, shown, storedAttachment, storedEnvelope } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import type { Encoder, Form, Part } from "./encoder.ts";
import { encoders, stopEncoders } from "./encoders.ts";
import { installEncoders } from "./install.ts";
import { type Report, writeReport } from "./report.ts";

interface Received {
  status: string;
  eventId: string;
  deliveryCount: number;
  idempotent: boolean;
  warnings?: unknown[];
}

interface Event {
  reportId: string;
  attachments: Part[];
  repeatCount: number;
}

let installation: Installation;
let server: RunningBinary;
beforeAll(async () => {
  installEncoders();
  installation = await install();
  // Without rate limits, because more requests come from one address than it may send in a minute.
  server = await serve(installation.folder, ["--rate-limits", "off"]);
}, 600_000);
afterAll(async () => {
  await stopEncoders();
  await server?.stop();
  await installation?.remove();
});

for (const [index, encoder] of encoders.entries()) {
  test(`${encoder.name}: a report and its gzip form are one event, stored as sent`, async () => {
    const report = newReport(`own-${index}`);
    const { key } = await newSdkKey(installation);
    const first = await send(encoder, key, report, "plain");
    const again = await send(encoder, key, report, "gzip");
    expect(first).toEqual({ status: "received", eventId: expect.any(String), deliveryCount: 0, idempotent: false });
    expect(again).toEqual({ ...first, idempotent: true });

    const { attachments, ...event } = await shown(installation, first.eventId);
    expect(event).toMatchObject({ reportId: report.reportId, repeatCount: 1 });
    const envelope = encoder.textual ? report.envelope.toString().replaceAll("\n", "\r\n") : report.envelope.toString();
    expect(Buffer.from(await storedEnvelope(installation, first.eventId)).toString()).toBe(envelope);
    expect(attachments.map(({ part, filename, contentType }) => ({ part, filename, contentType }))).toEqual(
      encoder.attachments,
    );
    expect<Uint8Array>(Buffer.from(await storedAttachment(installation, first.eventId, 0))).toEqual(report.screenshot);
    expect<Uint8Array>(Buffer.from(await storedAttachment(installation, first.eventId, 1))).toEqual(report.log);
  }, 180_000);
}

test("one report through every encoder, plain and gzip, is one event", async () => {
  const report = newReport("shared");
  const project = await runJson<{ id: string }>(["project", "create", "--name", "Shared", ...data()]);
  const { key } = await newSdkKey(installation, { projectId: project.id });
  const waiting = encoders.flatMap((encoder) => (["gzip", "plain"] as const).map((form) => ({ encoder, form })));
  const answers: Received[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      answers.push(await send(next.encoder, key, report, next.form));
    }
  };
  await Promise.all([worker(), worker()]);

  expect(answers).toHaveLength(2 * encoders.length);
  expect(answers.filter(({ idempotent }) => !idempotent)).toHaveLength(1);
  expect(answers.filter(({ warnings }) => warnings)).toEqual([]);
  const eventIds = [...new Set(answers.map(({ eventId }) => eventId))];
  const { items } = await runJson<{ items: { id: string }[] }>(["event", "list", "--project", project.id, ...data()]);
  expect(items.map(({ id }) => id)).toEqual(eventIds);
  expect(eventIds).toHaveLength(1);
  const [id = ""] = eventIds;
  const event = await runJson<Event>(["event", "show", id, ...data()]);
  expect(event).toMatchObject({ reportId: report.reportId, repeatCount: answers.length - 1 });
  expect(JSON.parse((await written(id, "envelope")).toString())).toEqual(JSON.parse(report.envelope.toString()));
  expect(await written(id, "attachment", "0")).toEqual(report.screenshot);
  expect(await written(id, "attachment", "1")).toEqual(report.log);
}, 180_000);

function newReport(name: string): Report {
  const folder = join(installation.folder, "sent", name);
  mkdirSync(folder, { recursive: true });
  return writeReport(folder);
}

async function send(encoder: Encoder, key: string, report: Report, form: Form): Promise<Received> {
  const { status, text } = await encoder.send({ url: `${server.url}/api/ingest`, key, report, form });
  if (status !== 200) throw new Error(`${encoder.name}, ${form}: ${status} ${text}`);
  return JSON.parse(text) as Received;
}

/** The report as `intake event` writes it. */
async function written(id: string, what: "envelope" | "attachment", ...index: string[]): Promise<Buffer> {
  const output = join(installation.folder, "sent", crypto.randomUUID());
  const { code, stderr } = await run(["event", what, id, ...index, "--output", output, ...data()]);
  if (code !== 0) throw new Error(stderr);
  return readFileSync(output);
}

function data() {
  return ["--data", installation.folder];
}
