import { type Static, type TOptional, type TUnsafe, Type } from "@sinclair/typebox";
import {
  type AnsweredFieldName,
  type FieldSchema,
  fieldEntries,
  type PlaceFieldName,
  type TicketFieldName,
  type TicketFields,
  type ValueOf,
} from "./ticket-fields.ts";

type RequestMember<Name extends TicketFieldName> = TUnsafe<ValueOf<TicketFields[Name]["schema"]>>;

type RequestMembers = {
  [Name in TicketFieldName]: TicketFields[Name] extends { required: true }
    ? RequestMember<Name>
    : TOptional<RequestMember<Name>>;
};

const requestMembers = Object.fromEntries(
  fieldEntries.map(([name, { schema, required }]) => {
    const member = Type.Unsafe(schema);
    return [name, required ? member : Type.Optional(member)];
  }),
) as RequestMembers;

/** Body of `POST /api/v1/tickets`. Closed: an unknown member is a fault. Lengths are code points. */
export const CreateTicket = Type.Object(requestMembers, {
  additionalProperties: false,
  description: "A ticket to be created. Lengths count Unicode code points.",
});
export type CreateTicket = Static<typeof CreateTicket>;

/**
 * Every answer has the place of the ticket and the fields that a request must have. Further fields may be absent,
 * because a replay repeats an answer from before the field existed.
 */
type AnswerMembers = {
  [Name in AnsweredFieldName]: Name extends PlaceFieldName
    ? RequestMember<Name>
    : TicketFields[Name] extends { required: true }
      ? RequestMember<Name>
      : TOptional<RequestMember<Name>>;
};

const answerMembers = Object.fromEntries(
  fieldEntries.flatMap(([name, { schema, answer, required, column }]) => {
    if (answer === undefined) return [];
    const member = Type.Unsafe(answerSchema(schema, answer));
    return [[name, required || column === undefined ? member : Type.Optional(member)]];
  }),
) as AnswerMembers;

/** Answer of a created ticket. Open: members may be added within v1. */
export const Ticket = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The ticket." }),
    ...answerMembers,
    createdAt: Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." }),
    url: Type.String({ format: "uri", description: "Link straight to the card in the dashboard." }),
  },
  { additionalProperties: true, description: "The ticket as it was created. Members may be added." },
);
export type Ticket = Static<typeof Ticket>;

/** An answer promises the form of a value but not its bounds, which may widen within v1. */
function answerSchema({ type, format, items }: FieldSchema, description: string) {
  return {
    ...(format ? { format } : {}),
    description,
    type,
    ...(items ? { items: { type: items.type } } : {}),
  };
}
