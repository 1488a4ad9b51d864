import { type Static, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";

export const priorities = ["none", "low", "medium", "high"] as const;
export const scopes = ["tickets:write", "runs:execute"] as const;
export type Scope = (typeof scopes)[number];

/** Body of `POST /api/v1/tickets`. Closed: an unknown member is a fault. Lengths are code points. */
export const CreateTicket = Type.Object(
  {
    title: Type.String({
      minLength: limits.titleMin,
      maxLength: limits.titleMax,
      description: "What the card says. Kept as it is, blanks included.",
    }),
    description: Type.Optional(Type.String({ maxLength: limits.descriptionMax, description: "The text of the card." })),
    projectId: uuid("The project. Without it the token's only one; a token that reaches several must name one."),
    boardId: uuid("A board of the project. Without it the first one."),
    columnId: uuid("A column of the board. Without it the leftmost one."),
    priority: Type.Optional(
      Type.Unsafe<(typeof priorities)[number]>({
        type: "string",
        enum: [...priorities],
        default: "none",
        description: "How urgent it is.",
      }),
    ),
    assigneeUserId: textOrNull(
      "uuid",
      "A member of the organisation. When it is the organisation's AI agent, a run is queued: that consumes credits and may open a pull request.",
    ),
    agentRepositoryId: textOrNull("uuid", "The repository that a run works against, one that is bound to the project."),
    startsAt: textOrNull("date", "A day that exists, YYYY-MM-DD; not after dueAt."),
    dueAt: textOrNull("date", "A day that exists, YYYY-MM-DD; not before startsAt."),
  },
  { additionalProperties: false, description: "A ticket to be created. Lengths count Unicode code points." },
);
export type CreateTicket = Static<typeof CreateTicket>;

/** Answer of a created ticket. Open: members may be added within v1. */
export const Ticket = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The ticket." }),
    title: Type.String({ description: "Its title." }),
    projectId: Type.String({ format: "uuid", description: "The project it went to." }),
    boardId: Type.String({ format: "uuid", description: "The board it went to." }),
    columnId: Type.String({ format: "uuid", description: "The column it went to, at its top." }),
    createdAt: Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." }),
    url: Type.String({ format: "uri", description: "Link straight to the card in the dashboard." }),
  },
  { additionalProperties: true, description: "The ticket as it was created. Members may be added." },
);
export type Ticket = Static<typeof Ticket>;

function uuid(description: string) {
  return Type.Optional(Type.String({ format: "uuid", description }));
}

function textOrNull(format: "uuid" | "date", description: string) {
  return Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"], format, description }));
}
