import { type Static, Type } from "@sinclair/typebox";
import { CreateTicket } from "../../openapi/schema/ticket.ts";

const { projectId: _, boardId: __, columnId: ___, title, ...others } = CreateTicket.properties;
const uuid = Type.String({ format: "uuid" });

/** A card made on a page: the fields of the API, by the same rules, and its place on the board. */
export const NewCard = Type.Object({
  op: uuid,
  columnId: uuid,
  /** The id of a card, `last` or null. */
  after: Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"] })),
  title,
  ...others,
});
export type NewCard = Static<typeof NewCard>;

const { description, ...changeable } = others;

/** The changed fields of a card; absent members stay as they are. */
export const CardChange = Type.Object({
  title: Type.Optional(title),
  description: Type.Optional(Type.Unsafe<string | null>({ ...description, type: ["string", "null"] })),
  ...changeable,
});
export type CardChange = Static<typeof CardChange>;
