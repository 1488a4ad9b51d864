import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";

export const levels = ["fatal", "error", "warning", "info", "debug"] as const;
export type Level = (typeof levels)[number];

export const attachmentKinds = ["screenshot", "recording", "log", "view_hierarchy", "other"] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** Name of the part that holds the envelope. */
export const envelopePart = "envelope";

/** One entry of the envelope's `attachments`: what the part of that name should hold. */
export const AttachmentReference = open("What one attachment is. The part that it names is compared with it.", {
  part: Type.String({ description: "Name of the part, such as attachment_0." }),
  filename: text("Name of the file, without its folder."),
  contentType: text("Media type, such as image/png."),
  size: Type.Optional(Type.Integer({ minimum: 0, description: "Bytes." })),
  sha256: Type.Optional(
    Type.String({ pattern: "^[0-9a-fA-F]{64}$", description: "SHA-256 of the bytes, in hex digits." }),
  ),
  kind: oneOf(attachmentKinds, "What it shows."),
});
export type AttachmentReference = Static<typeof AttachmentReference>;

/**
 * The envelope, version 1: any JSON object. Every member is optional and every other member is kept; a known member of
 * the wrong type never costs the report, it is left out of the index and named in `warnings`.
 */
export const Envelope = open(
  "What a report says, version 1: any JSON object. No member is required, and every further one is kept. A member of the wrong type is kept too; where it would have been indexed, the answer names it in warnings.",
  {
    version: Type.Optional(Type.Integer({ default: 1, description: "Version of this format." })),
    reportId: Type.Optional(
      Type.String({
        format: "uuid",
        description:
          "Id of the report, made once by the sender and kept over retries: what was received before is recognised by it. Without one, by equal bytes.",
      }),
    ),
    type: text("Sort of report, for example crash, error, bug or feedback."),
    title: text("One line for lists."),
    message: text("The report in words."),
    level: oneOf(levels, "How bad it is."),
    occurredAt: moment("When it happened."),
    sentAt: moment("When this try was sent. It may differ between tries of one report."),
    sdk: group("What wrote the envelope.", { name: text("Its name."), version: text("Its version.") }),
    app: group("The app that reports.", {
      name: text("Its name."),
      version: text("Its release."),
      build: text("Its build within the release."),
      environment: text("Where it runs, for example production."),
    }),
    device: any("The device."),
    os: any("The operating system."),
    user: group("Whom it happened to. Reports are found and deleted by id and email.", {
      id: text("Id within the app."),
      email: text("E-mail address."),
      name: text("Name for people."),
    }),
    tags: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string", maxLength: limits.tagValueMax },
        propertyNames: { maxLength: limits.tagKeyMax },
        maxProperties: limits.tagsMax,
        description: `Names and values to filter by: at most ${limits.tagsMax}, names up to ${limits.tagKeyMax} and values up to ${limits.tagValueMax} characters.`,
      }),
    ),
    contexts: any("Further facts, grouped as the app likes."),
    breadcrumbs: list("What happened before, oldest first."),
    exception: any("The error: its type, its message, its stack."),
    fingerprint: list("What reports of the same cause have in common."),
    attachments: Type.Optional(Type.Array(AttachmentReference, { description: "What the further parts hold." })),
    dropped: list("Attachments that the sender left out."),
    clientReport: any("What the sender had to drop before this report, by reason."),
  },
);
export type Envelope = Static<typeof Envelope>;

export const warningCodes = [
  "wrong_type",
  "too_long",
  "too_many",
  "report_id_reused",
  "attachment_missing",
  "attachment_unlisted",
  "attachment_differs",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** A fault of a report that was stored all the same. `path` is a JSON pointer (RFC 6901). */
export const Warning = open("What was not as it should be in a report that was stored all the same.", {
  path: Type.String({ description: "JSON pointer (RFC 6901) into the envelope." }),
  code: Type.Unsafe<WarningCode>({ type: "string", enum: [...warningCodes], description: "What is wrong with it." }),
  message: Type.String({ description: "The same in words." }),
});
export type Warning = Static<typeof Warning>;

/** Answer to a report. Open: members may be added. */
export const Received = open("The report is stored, durably. Members may be added.", {
  status: Type.Unsafe<"received">({ type: "string", enum: ["received"], description: "Always received." }),
  eventId: Type.String({ format: "uuid", description: "The event that the report is stored as." }),
  deliveryCount: Type.Integer({ minimum: 0, description: "Subscribers that the report is being fanned out to." }),
  idempotent: Type.Boolean({ description: "True when this report was received before and is stored already." }),
  warnings: Type.Optional(
    Type.Array(Warning, { description: "What was not as it should be. Absent when there is nothing, and on repeats." }),
  ),
});
export type Received = Static<typeof Received>;

function open<P extends TProperties>(description: string, members: P) {
  return Type.Object(members, { additionalProperties: true, description });
}

function group<P extends TProperties>(description: string, members: P) {
  return Type.Optional(open(description, members));
}

function text(description: string) {
  return Type.Optional(Type.String({ description }));
}

function moment(description: string) {
  return Type.Optional(Type.String({ format: "date-time", description: `${description} ISO 8601.` }));
}

function oneOf<const V extends readonly string[]>(values: V, description: string) {
  return Type.Optional(Type.Unsafe<V[number]>({ type: "string", enum: [...values], description }));
}

/** An object whose members the server does not read; it is stored as sent. */
function any(description: string) {
  return Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description }),
  );
}

function list(description: string) {
  return Type.Optional(Type.Array(Type.Unknown(), { description }));
}
