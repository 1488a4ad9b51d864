import type { KnownError } from "./core/known-error.ts";
import type { createTicketErrors, submitReportErrors } from "./generated/contract.ts";
import type { components } from "./generated/schema.ts";

type Schemas = components["schemas"];

/** A generated type without its index signature `[name: string]`, so that a mistyped member does not compile. */
export type Known<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** Input for a ticket. Only `title` is required. */
export type CreateTicket = Known<Schemas["CreateTicket"]>;

/** A created ticket; `url` opens its card in the dashboard. */
export type Ticket = Known<Schemas["Ticket"]>;

/** Errors that the server may answer when a ticket is created: a union to `switch` over by `code`. */
export type TicketError = KnownError<typeof createTicketErrors>;

type Envelope = Known<Schemas["ReportEnvelope"]>;

/** Members of the envelope that the client sets; a report cannot contain them. */
type Made = "version" | "attachments" | "dropped" | "clientReport";

/** One report. Every member is optional; members of your own are kept as they are. An `Error` in it, however deep, is sent as an `Exception`. */
export type Report = Omit<Envelope, Made | "exception"> & {
  /** What was thrown: an `Error`, another value, or an object that describes it. */
  exception?: unknown;
  [member: string]: unknown;
};

/** The app that sends the report. */
export type App = NonNullable<Envelope["app"]>;

/** Answer to a report; `idempotent` is true when the server had received the report before. */
export type Receipt = Known<Schemas["Received"]>;

/** Errors that the server may answer when a report is submitted: a union to `switch` over by `code`. */
export type ReportError = KnownError<typeof submitReportErrors>;

/** What an attachment shows, which decides how the dashboard displays it. */
export type AttachmentKind = NonNullable<NonNullable<Envelope["attachments"]>[number]["kind"]>;
