import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";

/** What a report says of its person: the members of an envelope by which people are found. */
export const personMembers = ["user.id", "user.email"] as const;

const query = {
  by: Type.Unsafe<(typeof personMembers)[number]>({
    type: "string",
    enum: [...personMembers],
    description: "The member of the envelope that names the person.",
  }),
  value: Type.String({
    minLength: 1,
    maxLength: limits.indexValueMax,
    description:
      "The whole value, as apps send it: upper and lower case differ, and no character stands for others. A longer value is found by as many characters as this takes.",
  }),
};

/** Whom a call is about. Requests are closed: an unknown member is a fault. */
export const PersonQuery = Type.Object(query, { additionalProperties: false, description: "Whom to look for." });
export type PersonQuery = Static<typeof PersonQuery>;

export const ExportPerson = Type.Object(
  {
    ...query,
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: "The value of next of the page before." }),
    ),
  },
  { additionalProperties: false, description: "Whose reports to read." },
);
export type ExportPerson = Static<typeof ExportPerson>;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ["string", "null"], description });

export const DeletePerson = Type.Object(
  {
    ...query,
    reports: count("How many reports you expect there to be, from the call before. Another number is a conflict."),
  },
  { additionalProperties: false, description: "Whose reports to delete." },
);
export type DeletePerson = Static<typeof DeletePerson>;

/** Answers are open: members may be added. */
export const FoundPerson = open("What there is of a person.", {
  code: Type.String({
    description: "Stands for the person in the audit log, which does not name them. The same for the same value.",
  }),
  reports: count("Reports that name the person, within the token's reach."),
  attachments: count("Attachments of these reports, those that did not come included."),
  bytes: count("Bytes that the reports take."),
  deliveries: count("Deliveries of these reports to subscribers, who have copies."),
  cards: count("Cards that were made from these reports. Their text stays when the reports are deleted."),
  oldest: textOrNull("When the oldest was received, ISO 8601."),
  newest: textOrNull("When the newest was received."),
});
export type FoundPerson = Static<typeof FoundPerson>;

/** Written from the text of stored envelopes, so that its values are never parsed by the server. */
export const PersonReport = Type.Unsafe<Record<string, unknown> & { id: string }>({
  type: "object",
  required: ["id", "receivedAt", "attachments", "envelope"],
  properties: {
    id: { type: "string", format: "uuid", description: "The report." },
    receivedAt: { type: "string", format: "date-time", description: "When it was received." },
    attachments: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        description: "An attachment, with its name, size and sha256.",
      },
      description: "Its attachments. The url of a stored one needs no credential until the report is deleted.",
    },
    envelope: { type: "object", additionalProperties: true, description: "The envelope, as the app sent it." },
  },
  additionalProperties: true,
  description: "A report with what the index has of it.",
});

export const PersonReports = open("A page of the reports of a person, in the order of their ids.", {
  items: Type.Array(PersonReport, { description: "Reports." }),
  next: textOrNull("The cursor of the next page; null on the last one."),
});
export type PersonReports = Static<typeof PersonReports>;

export const DeletedPerson = open("What was deleted.", {
  deleted: count("Reports that this call has deleted, with all that belongs to them."),
  left: count("Reports that are left: call again with this number until it is 0."),
});
export type DeletedPerson = Static<typeof DeletedPerson>;

function open<P extends TProperties>(description: string, members: P) {
  return Type.Object(members, { additionalProperties: true, description });
}
