import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createBoard } from "../../../server/boards/create-board.ts";
import { updateBoard } from "../../../server/boards/update-board.ts";
import type { ChangeEvent } from "../../../server/core/change-event.ts";
import type { Context } from "../../../server/core/context.ts";
import { deleteCard } from "../../../server/tickets/card-lifecycle.ts";
import { commentCard } from "../../../server/tickets/comment.ts";
import { createTicket } from "../../../server/tickets/create.ts";
import { createCard } from "../../../server/tickets/create-card.ts";
import { moveCard } from "../../../server/tickets/move.ts";
import { updateCard } from "../../../server/tickets/update.ts";
import { type Installation, install } from "../../support/installation.ts";

let installation: Installation;
let ctx: Context;
let facts: ChangeEvent[];
let columnId: string;
let boardId: string;

beforeAll(async () => {
  installation = await install();
  const { made } = installation;
  ctx = {
    ...installation.ctx,
    actor: { kind: "member", id: made.admin.id, name: "One", role: "admin" },
    // When a page is notified, the change has to be readable at once.
    changed: (fact) => facts.push(fact),
  };
  columnId = made.columns[0]?.id ?? "";
  boardId = made.board.id;
});
beforeEach(() => {
  facts = [];
});
afterAll(() => installation.remove());

const newCard = (fields: object = {}) =>
  createCard({
    ctx,
    input: { op: crypto.randomUUID(), columnId, after: null, fields: { title: "A card", ...fields } },
  });

test("a ticket by API and a card by hand are told on their board, and a replay is not", async () => {
  const { apiToken } = installation.made;
  const input = { tokenId: apiToken.id, ticket: { title: "By API" }, key: { value: "k", bodyDigest: "d", fields: "" } };
  const made = await createTicket({ ctx, input });
  if (made.replay) throw new Error("this key was new");
  await createTicket({ ctx, input });
  const { id } = await newCard();
  expect(facts).toEqual([
    { kind: "card", id: made.ticketId, in: boardId },
    { kind: "card", id, in: boardId },
  ]);
});

test("a run that a ticket by API or a card by hand queues is told too, and by a replay none", async () => {
  const { agent, apiToken } = installation.made;
  const fields = { title: "For the agent", assigneeUserId: agent.id };
  const input = { tokenId: apiToken.id, ticket: fields, key: { value: "run", bodyDigest: "d", fields: "" } };
  const made = await createTicket({ ctx, input });
  if (made.replay) throw new Error("this key was new");
  await createTicket({ ctx, input });
  const { id } = await newCard(fields);
  const runs = await ctx.store.all<{ id: string }>("select id from agent_run where ticket_id in ($1, $2) order by id", [
    made.ticketId,
    id,
  ]);
  expect(facts.filter(({ kind }) => kind === "run")).toEqual(
    runs.map((run) => ({ kind: "run", id: run.id, in: boardId }) as const),
  );
  expect(runs).toHaveLength(2);
});

test("a move between boards is told on both, one that was sent again on none", async () => {
  const projectId = installation.made.project.id;
  const other = await createBoard({ ctx, input: { projectId, name: "Other", columns: true } });
  const { id } = await newCard();
  facts = [];
  const input = { id, columnId: other.columns[0]?.id ?? "", after: null, op: crypto.randomUUID() };
  await moveCard({ ctx, input });
  await moveCard({ ctx, input });
  expect(facts).toEqual([
    { kind: "card", id, in: other.id },
    { kind: "card", id, in: boardId },
  ]);
});

test("what is refused is not told", async () => {
  const { id } = await newCard();
  facts = [];
  await updateCard({ ctx, input: { id, version: 7, change: { title: "x" } } }).catch(() => {});
  await commentCard({ ctx, input: { id, op: crypto.randomUUID(), text: "", mentions: [] } }).catch(() => {});
  await moveCard({ ctx, input: { id, columnId: crypto.randomUUID(), after: null } }).catch(() => {});
  expect(facts).toEqual([]);
});

test("runs that an edit or a delete queues or cancels are told too", async () => {
  const { id } = await newCard();
  facts = [];
  await updateCard({ ctx, input: { id, change: { assigneeUserId: installation.made.agent.id } } });
  await deleteCard({ ctx, input: { id } });
  const [run] = await ctx.store.all<{ id: string }>("select id from agent_run where ticket_id = $1", [id]);
  const card = { kind: "card", id, in: boardId } as const;
  const told = { kind: "run", id: run?.id ?? "", in: boardId } as const;
  expect(facts).toEqual([card, told, card, told]);
});

test("a renamed board is told in its project", async () => {
  await updateBoard({ ctx, input: { id: boardId, name: "Renamed" } });
  expect(facts).toEqual([{ kind: "board", id: boardId, in: installation.made.project.id }]);
});
