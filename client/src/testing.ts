import type { Fetch, FetchInit, HttpResponse } from "./core/web-types.ts";
import { createTicket, submitReport } from "./generated/contract.ts";

/** An API token of valid form that no server knows. */
export const dummyToken = "itk_DUMMY0000000000000000000000000328Tvc";
/** An SDK key of valid form that no server knows. */
export const dummyKey = "isk_DUMMY0000000000000000000000000328Tvc";

/** A ticket that was created with a {@link recordingFetch}. */
export interface RecordedTicket {
  /** The idempotency key. */
  idempotencyKey: string;
  /** The fields, as they were sent. */
  ticket: Record<string, unknown>;
}

/** A report that was sent to a {@link recordingFetch}. */
export interface RecordedReport {
  /** The envelope, unpacked. */
  envelope: Record<string, unknown>;
  /** The attachments with their bytes. */
  attachments: { filename: string; contentType: string; bytes: Uint8Array }[];
}

/** A `fetch` that keeps what it is given. */
export interface RecordingFetch extends Fetch {
  /** The tickets so far; one that was sent again is recorded once. */
  tickets: RecordedTicket[];
  /** The reports so far; one that was sent again is recorded once. */
  reports: RecordedReport[];
  /** Answers of the next requests in place of the usual ones, for example `new Response(null, { status: 503 })`; an error is thrown. */
  next: (HttpResponse | Error)[];
}

/**
 * A `fetch` for tests of apps: answers like a server of Intake, without a network, and keeps what was sent. The same
 * idempotency key gets the same ticket, and the same `reportId` is answered as a repeat.
 *
 * ```ts
 * const fetch = recordingFetch();
 * const reports = new IngestClient({ ingestUrl: "https://intake.example.org", key: dummyKey, fetch });
 * reports.capture(new Error("no"));
 * await reports.flush();
 * console.log(fetch.reports[0]?.envelope.title);
 * ```
 */
export function recordingFetch(): RecordingFetch {
  const tickets: RecordedTicket[] = [];
  const reports: RecordedReport[] = [];
  const next: (HttpResponse | Error)[] = [];
  const createdTickets = new Map<string, string>();
  const events = new Map<unknown, string>();

  const answerTicket = ({ headers, body }: FetchInit) => {
    const idempotencyKey = headers["idempotency-key"] ?? "";
    const before = createdTickets.get(idempotencyKey);
    if (before) return jsonAnswer(before, createTicket.status, { "idempotent-replayed": "true" });
    const ticket = JSON.parse(body as string) as Record<string, unknown>;
    const id = crypto.randomUUID();
    const { projectId = crypto.randomUUID(), boardId = crypto.randomUUID(), columnId = crypto.randomUUID() } = ticket;
    const { title } = ticket;
    const createdAt = new Date().toISOString();
    const url = `https://intake.example.org/cards/${id}`;
    const created = JSON.stringify({ id, title, projectId, boardId, columnId, createdAt, url });
    createdTickets.set(idempotencyKey, created);
    tickets.push({ idempotencyKey, ticket });
    return jsonAnswer(created, createTicket.status);
  };

  const answerReport = async ({ headers, body }: FetchInit) => {
    const report = await readForm(headers["content-type"] ?? "", new Uint8Array(body as ArrayBuffer));
    const { reportId } = report.envelope;
    const idempotent = events.has(reportId);
    const eventId = events.get(reportId) ?? crypto.randomUUID();
    if (!idempotent) reports.push(report);
    events.set(reportId, eventId);
    return jsonAnswer(
      JSON.stringify({ status: "received", eventId, deliveryCount: 0, idempotent }),
      submitReport.status,
    );
  };

  const answer: Fetch = async (url, init) => {
    const planned = next.shift();
    if (planned instanceof Error) throw planned;
    if (planned) return planned;
    const kind = /^Bearer (i[st]k)_/.exec(init.headers["authorization"] ?? "")?.[1];
    if (url.endsWith(createTicket.path)) return kind === "itk" ? answerTicket(init) : refusal("invalid_api_token");
    if (url.endsWith(submitReport.path)) return kind === "isk" ? answerReport(init) : refusal("invalid_sdk_key");
    throw new TypeError(`recordingFetch has no answer for ${url}`);
  };
  return Object.assign(answer, { tickets, reports, next });
}

function refusal(error: string): Response {
  return jsonAnswer(JSON.stringify({ error }), 401);
}

function jsonAnswer(body: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
}

/** Reads a multipart form as this package writes it. */
async function readForm(contentType: string, form: Uint8Array): Promise<RecordedReport> {
  const delimiter = `--${contentType.split("boundary=")[1]}`;
  // One character for each byte, so that positions in the text are positions in the bytes.
  const text = new TextDecoder("latin1").decode(form);
  const parts: RecordedReport["attachments"] = [];
  for (let at = text.indexOf(delimiter); ; ) {
    const end = text.indexOf(`\r\n${delimiter}`, at + delimiter.length);
    if (end < 0) break;
    const begin = text.indexOf("\r\n\r\n", at) + 4;
    const head = new TextDecoder().decode(form.subarray(at, begin));
    const [, filename = ""] = /filename="(.*)"/.exec(head) ?? [];
    const [, type = ""] = /Content-Type: (.*)\r/.exec(head) ?? [];
    parts.push({ filename, contentType: type, bytes: form.slice(begin, end) });
    at = end + 2;
  }
  const [envelope, ...attachments] = parts;
  return { envelope: JSON.parse(await unpacked(envelope)), attachments };
}

async function unpacked(part: RecordedReport["attachments"][number] | undefined): Promise<string> {
  const body = new Response(part?.bytes as Uint8Array<ArrayBuffer>).body;
  const stream = part?.filename.endsWith(".gz") ? body?.pipeThrough(new DecompressionStream("gzip")) : body;
  return new Response(stream).text();
}
