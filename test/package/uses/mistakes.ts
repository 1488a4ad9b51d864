import {
  type Attachment,
  type Attachments,
  type CreateTicket,
  IngestClient,
  type IngestOptions,
  isApiError,
  type Report,
  type Stats,
  type Ticket,
  type TicketError,
  TicketsClient,
  type TicketsOptions,
} from "@intake/client";

const file: Attachment = { filename: "a.txt", data: "a" };
const tickets = { baseUrl: "https://intake.example.org", token: "itk_" };
const reports = { ingestUrl: "https://intake.example.org", key: "isk_" };

// @ts-expect-error six attachments
export const six: Attachments = [file, file, file, file, file, file];
// @ts-expect-error an attachment without a file name
export const nameless: Attachment = { data: "a" };
// @ts-expect-error a kind that is none
export const kind: Attachment = { ...file, kind: "photo" };

// @ts-expect-error no title
export const untitled: CreateTicket = { description: "What happened" };
// @ts-expect-error a mistyped field
export const field: CreateTicket = { title: "x", projectID: "0198c0de-0000-7000-8000-000000000001" };
// @ts-expect-error a priority that is none
export const priority: CreateTicket = { title: "x", priority: "urgent" };
// @ts-expect-error an answer has no such member
export const member = (ticket: Ticket) => ticket.priority;
// @ts-expect-error a level that is none
export const level: Report = { level: "critical" };
// @ts-expect-error neither a report nor an error
export const caught = (client: IngestClient, thrown: unknown) => client.capture(thrown);
// @ts-expect-error a thrown text is no report: it goes into `exception`
export const thrownText = (client: IngestClient) => client.submit("thrown");
// @ts-expect-error made by the client
export const dropped = (stats: Stats) => stats.dropped.lost;

// @ts-expect-error an SDK key is no token
export const keyForToken = () => new TicketsClient(reports);
// @ts-expect-error a token is no SDK key
export const tokenForKey = () => new IngestClient(tickets);
// @ts-expect-error an option of the other client
export const flushing: TicketsOptions = { ...tickets, sampleRate: 1 };
// @ts-expect-error an option of the other client
export const browsing: IngestOptions = { ...reports, allowBrowser: true };
// @ts-expect-error an option that is none
export const mistyped: IngestOptions = { ...reports, queue: { maxReport: 3 } };
// @ts-expect-error only one of two words
export const tooLarge: IngestOptions = { ...reports, onTooLarge: "drop" };
// @ts-expect-error tickets take no attachments in v1
export const attaching = (client: TicketsClient) => client.create({ title: "x" }, { attachments: [file] });
// @ts-expect-error reports have an id of their own
export const keyed = (client: IngestClient) => client.submit({}, { idempotencyKey: "k" });
// @ts-expect-error capturing waits for nobody
export const signalled = (client: IngestClient) => client.capture({}, { timeoutMs: 1 });

export function mistypedCode(error: unknown): boolean {
  if (!isApiError<TicketError>(error)) return false;
  switch (error.code) {
    // @ts-expect-error a mistyped code
    case "project_requird":
      return true;
    default:
      return false;
  }
}

export function forgottenCode(error: unknown): boolean {
  if (!isApiError<TicketError>(error)) return false;
  switch (error.code) {
    case "invalid_input":
      return true;
    default:
      // @ts-expect-error not every code has a case
      error satisfies never;
      return false;
  }
}
