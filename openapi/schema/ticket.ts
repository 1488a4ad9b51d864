import { type Static, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";

const Uuid = Type.String({ format: "uuid" });
const Day = Type.String({ format: "date", description: "A calendar day, YYYY-MM-DD." });

export const priorities = ["none", "low", "medium", "high"] as const;
export const scopes = ["tickets:write", "runs:execute"] as const;
export type Scope = (typeof scopes)[number];

/** Body of `POST /api/v1/tickets`. Closed: an unknown member is a fault. Lengths are code points. */
export const CreateTicket = Type.Object(
  {
    title: Type.String({ minLength: limits.titleMin, maxLength: limits.titleMax }),
    description: Type.Optional(Type.String({ maxLength: limits.descriptionMax })),
    projectId: Type.Optional(Uuid),
    boardId: Type.Optional(Uuid),
    columnId: Type.Optional(Uuid),
    priority: Type.Optional(
      Type.Unsafe<(typeof priorities)[number]>({ type: "string", enum: [...priorities], default: "none" }),
    ),
    assigneeUserId: Type.Optional(Type.Union([Uuid, Type.Null()])),
    agentRepositoryId: Type.Optional(Type.Union([Uuid, Type.Null()])),
    startsAt: Type.Optional(Type.Union([Day, Type.Null()])),
    dueAt: Type.Optional(Type.Union([Day, Type.Null()])),
  },
  { additionalProperties: false },
);
export type CreateTicket = Static<typeof CreateTicket>;

/** Answer of a created ticket. Open: members may be added within v1. */
export const Ticket = Type.Object({
  id: Uuid,
  title: Type.String(),
  projectId: Uuid,
  boardId: Uuid,
  columnId: Uuid,
  createdAt: Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." }),
  url: Type.String({ format: "uri", description: "Link straight to the card in the dashboard." }),
});
export type Ticket = Static<typeof Ticket>;
