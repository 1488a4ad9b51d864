import type { KnownError } from "./core/known-error.ts";
import type { createTicketErrors, submitReportErrors } from "./generated/contract.ts";
import type { components } from "./generated/schema.ts";

type Schemas = components["schemas"];

/** Answers may gain members; without the index signature a mistyped member still fails to compile. */
export type Known<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** What a ticket is made of. Only `title` must be there. */
export type CreateTicket = Known<Schemas["CreateTicket"]>;

/** A created ticket; `url` leads to its card. */
export type Ticket = Known<Schemas["Ticket"]>;

/** What {@link ApiError.code} can be when a ticket is created, as a union to switch over. */
export type TicketError = KnownError<typeof createTicketErrors>;

type Envelope = Known<Schemas["ReportEnvelope"]>;

/** Made by the client, not by the caller. */
type Made = "version" | "attachments" | "dropped" | "clientReport";

/** One report. Every member is optional, further ones are kept as they are. */
export type Report = Omit<Envelope, Made> & { [member: string]: unknown };

/** The app that reports, in every envelope of a client. */
export type App = NonNullable<Envelope["app"]>;

/** Answer to a report; `idempotent` is true when it had been received before. */
export type Receipt = Known<Schemas["Received"]>;

/** What {@link ApiError.code} can be when a report is submitted, as a union to switch over. */
export type ReportError = KnownError<typeof submitReportErrors>;

/** What an attachment is, for those who look at it. */
export type AttachmentKind = NonNullable<NonNullable<Envelope["attachments"]>[number]["kind"]>;
