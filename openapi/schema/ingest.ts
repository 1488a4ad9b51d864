import { type Static, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";

export const levels = ["fatal", "error", "warning", "info", "debug"] as const;
export type Level = (typeof levels)[number];

export const attachmentKinds = ["screenshot", "recording", "log", "view_hierarchy", "other"] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** Name of the part that holds the envelope. */
export const envelopePart = "envelope";

const Uuid = Type.String({ format: "uuid" });
const Moment = Type.String({ format: "date-time", description: "ISO 8601." });
const Text = Type.String();
const Open = { additionalProperties: true };
/** Members that nothing here depends on: kept as they came. */
const Any = Type.Record(Type.String(), Type.Unknown());

/** One entry of the envelope's `attachments`: what the part of that name should hold. */
export const AttachmentReference = Type.Object(
  {
    part: Type.String({ description: "Name of the part." }),
    filename: Type.Optional(Text),
    contentType: Type.Optional(Text),
    size: Type.Optional(Type.Integer({ minimum: 0, description: "Bytes." })),
    sha256: Type.Optional(Type.String({ pattern: "^[0-9a-fA-F]{64}$" })),
    kind: Type.Optional(Type.Unsafe<AttachmentKind>({ type: "string", enum: [...attachmentKinds] })),
  },
  Open,
);
export type AttachmentReference = Static<typeof AttachmentReference>;

/**
 * The envelope, version 1: any JSON object. Every member is optional and every other member is kept; a known member of
 * the wrong type never costs the report, it is left out of the index and named in `warnings`.
 */
export const Envelope = Type.Object(
  {
    version: Type.Optional(Type.Integer({ default: 1 })),
    reportId: Type.Optional(Uuid),
    type: Type.Optional(Type.String({ description: "For example crash, error, bug, feedback." })),
    title: Type.Optional(Text),
    message: Type.Optional(Text),
    level: Type.Optional(Type.Unsafe<Level>({ type: "string", enum: [...levels] })),
    occurredAt: Type.Optional(Moment),
    sentAt: Type.Optional(Moment),
    sdk: Type.Optional(Type.Object({ name: Type.Optional(Text), version: Type.Optional(Text) }, Open)),
    app: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Text),
          version: Type.Optional(Text),
          build: Type.Optional(Text),
          environment: Type.Optional(Text),
        },
        Open,
      ),
    ),
    device: Type.Optional(Any),
    os: Type.Optional(Any),
    user: Type.Optional(
      Type.Object({ id: Type.Optional(Text), email: Type.Optional(Text), name: Type.Optional(Text) }, Open),
    ),
    tags: Type.Optional(
      Type.Record(Type.String({ maxLength: limits.tagKeyMax }), Type.String({ maxLength: limits.tagValueMax }), {
        maxProperties: limits.tagsMax,
      }),
    ),
    contexts: Type.Optional(Any),
    breadcrumbs: Type.Optional(Type.Array(Type.Unknown())),
    exception: Type.Optional(Any),
    fingerprint: Type.Optional(Type.Array(Type.Unknown())),
    attachments: Type.Optional(Type.Array(AttachmentReference)),
    dropped: Type.Optional(Type.Array(Type.Unknown())),
    clientReport: Type.Optional(Any),
  },
  Open,
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

/** What was not as it should be in a report that was stored all the same. `path` is a JSON pointer (RFC 6901). */
export const Warning = Type.Object({
  path: Text,
  code: Type.Unsafe<WarningCode>({ type: "string", enum: [...warningCodes] }),
  message: Text,
});
export type Warning = Static<typeof Warning>;

/** Answer to a report. Open: members may be added. */
export const Received = Type.Object({
  status: Type.Literal("received"),
  eventId: Uuid,
  deliveryCount: Type.Integer({ minimum: 0, description: "Subscribers that the report is being fanned out to." }),
  idempotent: Type.Boolean({ description: "True when this report was received before and is stored already." }),
  warnings: Type.Optional(Type.Array(Warning)),
});
export type Received = Static<typeof Received>;
