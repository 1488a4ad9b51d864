import type { Cutoff } from "../../server/core/cutoff.ts";
import type { NewFields } from "../../server/core/fields.ts";
import { Sealing } from "../../server/core/sealing.ts";
import { createKey } from "../../server/credentials/create-key.ts";
import type { KeyFields } from "../../server/credentials/key-fields.ts";
import { EnvelopeReader } from "../../server/envelope/envelope-reader.ts";
import { Links } from "../../server/files/links.ts";
import { findEnvelope } from "../../server/ingest/find-envelope.ts";
import { listEvents } from "../../server/ingest/list-events.ts";
import { readAttachment, readEnvelope } from "../../server/ingest/read-event.ts";
import { discardParts } from "../../server/ingest/read-parts.ts";
import { type ReceivedReport, receiveReport } from "../../server/ingest/receive-report.ts";
import { type ShownEvent, showEvent } from "../../server/ingest/show-event.ts";
import { Spool } from "../../server/ingest/spool.ts";
import type { Files } from "../../server/store/files.ts";
import type { Installation } from "./installation.ts";
import { openFiles } from "./kept-files.ts";
import type { Target } from "./targets.ts";

/** An SDK key for one test, in the project that the caller names, so that tests do not share limits. */
export function newSdkKey({ ctx, made }: Installation, input: Partial<NewFields<KeyFields>> = {}) {
  return createKey({
    ctx,
    input: { projectId: made.project.id, name: "App", limit: 1_000_000, ...input },
  });
}

export interface PartInput {
  name?: string;
  filename?: string | undefined;
  type?: string | undefined;
  body: string | Uint8Array;
  /** Headers in place of those that are made from the members above; lines without the last line end. */
  headers?: string[];
}

export const boundary = "----IntakeTest7MA4YWxkTrZu0gW";

/** The bytes of a form, as a careful client writes them. */
export function form(parts: readonly PartInput[], mark = boundary): Buffer {
  const pieces: (string | Uint8Array)[] = [];
  for (const { name = "envelope", filename, type, body, headers } of parts) {
    const disposition = `Content-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}`;
    const lines = headers ?? [disposition, ...(type === undefined ? [] : [`Content-Type: ${type}`])];
    pieces.push(`--${mark}\r\n${lines.join("\r\n")}\r\n\r\n`, body, "\r\n");
  }
  pieces.push(`--${mark}--\r\n`);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
}

export function envelope(value: unknown = {}): PartInput {
  return { body: typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value) };
}

export function attachment(body: string | Uint8Array, index = 0, more: Partial<PartInput> = {}): PartInput {
  return { name: `attachment_${index}`, filename: `file-${index}`, type: "application/octet-stream", body, ...more };
}

export interface Submission {
  key?: string | undefined;
  /** The parts, or the bytes of the body. */
  parts?: readonly PartInput[];
  body?: Uint8Array | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
  method?: string;
}

/** Submits a report, with an envelope of its own unless parts are given. */
export function submit({ send }: Pick<Target, "send">, submission: Submission): Promise<Response> {
  const {
    key,
    parts = [envelope({ reportId: crypto.randomUUID() })],
    body,
    headers = {},
    method = "POST",
  } = submission;
  return send("/api/ingest", {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body: (body ?? form(parts)) as Uint8Array<ArrayBuffer>,
  });
}

export interface Answer {
  status: string;
  eventId: string;
  deliveryCount: number;
  idempotent: boolean;
  warnings?: { path: string; code: string; message: string }[];
}

/** Submits a report that has to be accepted. */
export async function received(target: Pick<Target, "send">, submission: Submission): Promise<Answer> {
  const response = await submit(target, submission);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

export function eventTools({ folder }: Installation) {
  return { files: openFiles(folder), reader: new EnvelopeReader() };
}

/** Stores a report without a server, with values that a request cannot set. */
export async function storeReport(
  installation: Installation,
  parts: readonly PartInput[],
  {
    files = openFiles(installation.folder),
    reader = new EnvelopeReader(),
    readingMilliseconds = Number.POSITIVE_INFINITY,
    ...clock
  }: { files?: Files; reader?: EnvelopeReader; readingMilliseconds?: number; cutoff?: Cutoff } = {},
): Promise<ReceivedReport> {
  const { ctx, made } = installation;
  const spools = parts.map(({ name = "envelope", filename = null, type: contentType = null, body }) => {
    const spool = new Spool({ name, filename, contentType }, files);
    spool.write(Buffer.from(body as string));
    return spool;
  });
  for (const spool of spools) if (spool.spills) await spool.settle();
  const owner = made.sdkKey.id;
  const ended = spools.map((spool) => spool.end());
  try {
    const found = await findEnvelope(ended, reader, owner, readingMilliseconds);
    return await receiveReport({
      ctx: { ...ctx, ...clock },
      tools: { files, reader, links: new Links(new Sealing(new Uint8Array(32))), stored: () => {} },
      input: {
        ...found,
        keyId: owner,
        projectId: made.project.id,
        userAgent: null,
        sourceIp: null,
        dedupDays: 30,
        dailyBytes: 1e12,
        readingMilliseconds,
      },
    });
  } finally {
    await discardParts(ended);
  }
}

export function shown({ ctx }: Installation, id: string): Promise<ShownEvent> {
  return showEvent({ ctx, input: { id } });
}

export function storedEnvelope({ ctx }: Installation, id: string): Promise<Uint8Array> {
  return readEnvelope({ ctx, input: { id } });
}

export async function storedAttachment(installation: Installation, id: string, index: number): Promise<Uint8Array> {
  const { files } = eventTools(installation);
  return readAttachment({ ctx: installation.ctx, files, input: { id, index } });
}

export async function eventCount({ ctx, made }: Installation, projectId = made.project.id): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await listEvents({ ctx, input: { projectId, limit: 200, cursor } });
    count += page.items.length;
    cursor = page.next ?? undefined;
  } while (cursor);
  return count;
}
