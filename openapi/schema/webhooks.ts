import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { grouped } from "./grouped.ts";
import { Run } from "./runner.ts";

/**
 * An envelope of up to this many bytes stands in the message, as Standard Webhooks recommends; for a larger one there
 * is a link.
 */
export const inlineBytes = 20_000;

/** An attachment of a report, in a message to subscribers. */
const LinkedAttachment = open("An attachment of the report.", {
  id: Type.String({ format: "uuid", description: "Its id." }),
  filename: textOrNull("Name of the file, as the sender said."),
  contentType: textOrNull("Media type, as the sender said."),
  size: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Bytes." }),
  sha256: textOrNull("SHA-256 of the bytes, in hex digits."),
  url: link("Where its bytes can be read, without a credential, until the report is deleted."),
});

/** The data of a message about a report. */
export const ReceivedReport = open("A report that was stored. Its envelope is either in it or behind a link.", {
  eventId: Type.String({ format: "uuid", description: "The event that it is stored as; webhook-id too." }),
  projectId: Type.String({ format: "uuid", description: "Its project." }),
  reportType: textOrNull("Its type, as the envelope says."),
  title: textOrNull("Its title, as the envelope says."),
  level: textOrNull("How bad it is, as the envelope says."),
  occurredAt: textOrNull("When it happened, as the sender said it."),
  receivedAt: moment("When it was received."),
  url: link("Its page."),
  envelope: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: `The envelope itself, when it has up to ${grouped(inlineBytes)} bytes.`,
    }),
  ),
  envelopeUrl: Type.Optional(link("Where a larger envelope can be read, like the attachments.")),
  attachments: Type.Array(LinkedAttachment, { description: "In order of arrival." }),
});
export type ReceivedReport = Static<typeof ReceivedReport>;

export const ReportReceived = message("report.received", "A report was received.", ReceivedReport);
export const WebhookTest = message(
  "webhook.test",
  "Somebody tries the subscriber.",
  open("What is tried.", { subscriberId: Type.String({ format: "uuid", description: "The subscriber." }) }),
);
/** An entry of the audit log, in a message to subscribers. */
const RecordedAct = open("An entry of the audit log. It contains no secret.", {
  id: Type.String({ format: "uuid", description: "Its id: entries sort by it as they were written." }),
  at: moment("When it was done."),
  actor: Type.String({ description: "Name of who did it, at that time." }),
  actorKind: Type.String({ description: "member, token, agent, operator (the command line), system or visitor." }),
  actorId: Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "uuid",
    description: "Id of the member, token or agent.",
  }),
  action: Type.String({ description: "The act: its kind of object, a full stop and a verb, such as token.revoke." }),
  object: Type.String({ description: "What was changed: mostly a kind and an id." }),
  from: Type.Optional(Type.Unknown({ description: "What differs, as it was before." })),
  to: Type.Optional(Type.Unknown({ description: "What differs, as it is now." })),
  network: textOrNull("Network of the request, cut like the source of a report."),
  requestId: textOrNull("Id of the request, as in X-Request-Id."),
});

export const AuditRecorded = message("audit.recorded", "An entry was written to the audit log.", RecordedAct);
export type AuditRecorded = Static<typeof AuditRecorded>;
/** A notice, in a message to subscribers. */
const Notice = open("A notice: something that an admin has to know of. It contains no secret.", {
  id: Type.String({ format: "uuid", description: "Its id: the same whenever the same thing is raised again." }),
  rule: Type.String({ description: "The rule that raised it, such as disk_low; rules may be added." }),
  level: Type.String({ description: "error, warning or info." }),
  title: Type.String({ description: "What the rule stands for." }),
  text: Type.String({ description: "What was found." }),
  remedy: Type.String({ description: "What to do." }),
  subject: textOrNull("What it is about: the id of a subscriber, token or event, or the name of a machine."),
  name: textOrNull("What people call the subject."),
  projectId: Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "uuid",
    description: "Its project; null for the whole installation.",
  }),
  raisedAt: moment("When the cause was found."),
  clearedAt: Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "date-time",
    description: "When the cause was gone; null while it is there. ISO 8601.",
  }),
  times: Type.Integer({ description: "How often it was raised." }),
  url: link("The page where something can be done."),
});
export const NoticeRaised = message("notice.raised", "A notice was raised.", Notice);
export const NoticeCleared = message("notice.cleared", "The cause of a notice is gone.", Notice);
export type NoticeMessage = Static<typeof NoticeRaised> | Static<typeof NoticeCleared>;

export const AgentRunUpdated = message("agent_run.updated", "An agent run has changed.", Run);

function message<const T extends string, D extends TSchema>(type: T, description: string, data: D) {
  return open(description, {
    type: Type.Unsafe<T>({ type: "string", enum: [type], description: `Always ${type}.` }),
    timestamp: moment("When what it tells of happened."),
    data,
  });
}

function open<P extends TProperties>(description: string, members: P) {
  return Type.Object(members, { additionalProperties: true, description });
}

function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], description });
}

function moment(description: string) {
  return Type.String({ format: "date-time", description: `${description} ISO 8601.` });
}

function link(description: string) {
  return Type.String({ format: "uri", description });
}
