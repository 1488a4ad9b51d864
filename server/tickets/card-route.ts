import { type Static, Type } from "@sinclair/typebox";
import { checker, isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { fieldEntries } from "../../openapi/schema/ticket-fields.ts";
import { Refusal } from "../core/context.ts";
import { InvalidInput } from "../http/answer.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, oneOf, Uuid } from "../http/internal-schema.ts";
import { changeCards } from "./bulk.ts";
import { CardChange, NewCard } from "./card-body.ts";
import { archiveCard, deleteCard, restoreCard, unarchiveCard } from "./card-lifecycle.ts";
import type { After } from "./card-position.ts";
import type { CommentInput } from "./change-comment.ts";
import { commentCard } from "./comment.ts";
import { createCard } from "./create-card.ts";
import { deleteComment, restoreComment } from "./delete-comment.ts";
import { editComment } from "./edit-comment.ts";
import { summariesOf } from "./list-cards.ts";
import { moveCard } from "./move.ts";
import { showActivity, showCard } from "./show-card.ts";
import { updateCard } from "./update.ts";

const last = Type.Literal("last");
const place = Type.Union([Uuid, Type.Null(), last], { errorMessage: 'must be the id of a card, "last" or null.' });
const version = Type.Optional(Type.Integer({ minimum: 1 }));
/** The route takes any flat object: the check of the ticket API, which counts as the contract says, follows in `handle`. */
const flat = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
  errorMessage: "must be a string or null.",
});
/** Fields that are lists, which no flat object holds. */
const lists = Object.fromEntries(
  fieldEntries.flatMap(([name, { schema }]) =>
    schema.type === "array" ? [[name, Type.Optional(Type.Unknown())]] : [],
  ),
);
const newCard = Type.Unsafe<NewCard>(Type.Object(lists, { additionalProperties: flat }));
const cardChange = Type.Unsafe<CardChange & { version?: Static<typeof version> }>(
  Type.Object({ ...lists, version }, { additionalProperties: flat }),
);
const cardFields = Type.Unsafe<CardChange>(Type.Object(lists, { additionalProperties: flat }));
const faultsOfNew = checker(NewCard);
const faultsOfChange = checker(CardChange);
/** Title and description are edited by calls of their own. */
const faultsOfFields = checker(Type.Omit(CardChange, ["title", "description"]));

export const cardRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/cards",
    role: "member",
    handle: ({ ctx, query }) => summariesOf({ ctx, input: { ids: idsIn(query) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards",
    role: "member",
    body: newCard,
    handle: ({ ctx, body }) => {
      refuse(faultsOfNew({ ...body }));
      const { op, columnId, after = null, ...fields } = body;
      const input = { op: op.toLowerCase(), columnId: columnId.toLowerCase(), after: placeOf(after), fields };
      return createCard({ ctx, input });
    },
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/bulk",
    role: "member",
    body: closed({
      ids: Type.Array(Uuid, { minItems: 1, maxItems: limits.cardsPerCall }),
      change: Type.Union([
        closed({ kind: Type.Literal("move"), columnId: Uuid, after: Type.Union([last, Type.Null()]) }),
        closed({ kind: oneOf(["archive", "unarchive", "delete", "restore"]) }),
        closed({ kind: Type.Literal("set"), fields: cardFields }),
      ]),
    }),
    handle: ({ ctx, body }) => {
      const ids = [...new Set(body.ids.map((id) => id.toLowerCase()))];
      if (body.change.kind !== "set") return changeCards({ ctx, input: { ids, change: body.change } });
      refuse(faultsOfFields({ ...body.change.fields }));
      return changeCards({ ctx, input: { ids, change: { kind: "set", change: body.change.fields } } });
    },
  }),
  internalRoute({
    method: "GET",
    path: "/internal/cards/:id",
    role: "member",
    handle: ({ ctx, params }) => showCard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/cards/:id/activity",
    role: "member",
    handle: ({ ctx, params, query }) => showActivity({ ctx, input: { id: idOf(params), ...pageIn(query) } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/cards/:id",
    role: "member",
    body: cardChange,
    handle: async ({ ctx, params, body: { version, ...change } }) => {
      refuse(faultsOfChange({ ...change }));
      if (version === undefined && (change.title !== undefined || change.description !== undefined)) {
        throw new Refusal("invalid_input", "version is required with title and description");
      }
      const { id } = await updateCard({ ctx, input: { id: idOf(params), change, version } });
      return showCard({ ctx, input: { id } });
    },
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/cards/:id",
    role: "member",
    handle: ({ ctx, params }) => deleteCard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/move",
    role: "member",
    body: closed({
      columnId: Uuid,
      after: place,
      before: Type.Optional(Type.Union([Uuid, Type.Null()])),
      op: Uuid,
      seenMoves: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    handle: ({ ctx, params, body: { columnId, after, before, op, seenMoves } }) =>
      moveCard({
        ctx,
        input: {
          id: idOf(params),
          columnId: columnId.toLowerCase(),
          after: placeOf(after),
          before: before?.toLowerCase(),
          op: op.toLowerCase(),
          seenMoves,
        },
      }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/comments",
    role: "member",
    body: closed({
      op: Uuid,
      text: Type.String(),
      mentions: Type.Optional(Type.Array(Uuid, { maxItems: limits.mentionsMax })),
    }),
    handle: ({ ctx, params, body: { op, text, mentions = [] } }) =>
      commentCard({ ctx, input: { id: idOf(params), op: op.toLowerCase(), text, mentions } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/cards/:id/comments/:number",
    role: "member",
    body: closed({
      text: Type.String(),
      mentions: Type.Optional(Type.Array(Uuid, { maxItems: limits.mentionsMax })),
    }),
    handle: ({ ctx, params, body: { text, mentions = [] } }) =>
      editComment({ ctx, input: { ...commentOf(params), text, mentions } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/cards/:id/comments/:number",
    role: "member",
    handle: ({ ctx, params }) => deleteComment({ ctx, input: commentOf(params) }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/comments/:number/restore",
    role: "member",
    body: closed({}),
    handle: ({ ctx, params }) => restoreComment({ ctx, input: commentOf(params) }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/archive",
    role: "member",
    body: closed({}),
    handle: ({ ctx, params }) => archiveCard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/unarchive",
    role: "member",
    body: closed({}),
    handle: ({ ctx, params }) => unarchiveCard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/cards/:id/restore",
    role: "member",
    body: closed({}),
    handle: ({ ctx, params }) => restoreCard({ ctx, input: { id: idOf(params) } }),
  }),
] as const;

function commentOf(params: Record<string, string>): CommentInput {
  const { number = "" } = params;
  if (!/^[1-9]\d{0,8}$/.test(number)) throw new Refusal("not_found");
  return { id: idOf(params), number: Number(number) };
}

function refuse(faults: ConstructorParameters<typeof InvalidInput>[0]) {
  if (faults.length > 0) throw new InvalidInput(faults);
}

function placeOf(after: string | null): After {
  if (after === null || after === "last") return after;
  if (!isUuid(after)) throw new Refusal("invalid_input", 'after must be the id of a card, "last" or null');
  return after.toLowerCase();
}

function idsIn(query: URLSearchParams): string[] {
  const ids = (query.get("ids") ?? "").split(",").filter((id) => id !== "");
  if (ids.length > limits.cardsPerCall || !ids.every(isUuid)) {
    throw new Refusal("invalid_input", `ids must be up to ${limits.cardsPerCall} UUIDs`);
  }
  return ids.map((id) => id.toLowerCase());
}
