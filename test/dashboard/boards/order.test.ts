import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createBoard } from "../../../server/boards/create-board.ts";
import type { ChangeEvent } from "../../../server/core/change-event.ts";
import type { Context } from "../../../server/core/context.ts";
import { archiveCard, deleteCard } from "../../../server/tickets/card-lifecycle.ts";
import { createCard } from "../../../server/tickets/create-card.ts";
import { deleteTicket } from "../../../server/tickets/delete.ts";
import { moveCard } from "../../../server/tickets/move.ts";
import { type Installation, install } from "../../support/installation.ts";

let installation: Installation;
let ctx: Context;
let facts: ChangeEvent[] = [];

beforeAll(async () => {
  installation = await install();
  ctx = {
    ...installation.ctx,
    actor: { kind: "member", id: installation.made.admin.id, name: "One", role: "admin" },
    changed: (fact) => facts.push(fact),
  };
});
afterAll(() => installation.remove());

async function columns(): Promise<string[]> {
  const input = { projectId: installation.made.project.id, name: "Board", columns: true };
  const { columns } = await createBoard({ ctx: installation.ctx, input });
  return columns.map(({ id }) => id);
}

async function fill(columnId: string, count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i++) {
    const input = { op: crypto.randomUUID(), columnId, after: "last", fields: { title: `Card ${i}` } } as const;
    ids.push((await createCard({ ctx, input })).id);
  }
  return ids;
}

async function orderOf(columnId: string): Promise<string[]> {
  const rows = await ctx.store.all<{ id: string }>(
    "select id from ticket where column_id = $1 and live = 1 order by position, id",
    [columnId],
  );
  return rows.map(({ id }) => id);
}

test("whatever two people move at once, the boards come to what their moves mean one after the other", async () => {
  const intent = fc.record({
    card: fc.nat(11),
    column: fc.nat(1),
    after: fc.oneof({ weight: 4, arbitrary: fc.nat(11) }, fc.constant(null), fc.constant("last" as const)),
    together: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(intent, { minLength: 1, maxLength: 60 }), async (intents) => {
      const [left = "", right = ""] = await columns();
      const ids = [...(await fill(left, 6)), ...(await fill(right, 6))];
      const model = new Map([
        [left, ids.slice(0, 6)],
        [right, ids.slice(6)],
      ]);
      let running: Promise<unknown>[] = [];
      for (const { card, column, after, together } of intents) {
        const id = ids[card] ?? "";
        const columnId = column === 0 ? left : right;
        const anchor = typeof after === "number" ? (ids[after] ?? "") : after;
        if (anchor === id) continue;
        running.push(moveCard({ ctx, input: { id, columnId, after: anchor, op: crypto.randomUUID() } }));
        moveInModel(model, id, columnId, anchor);
        if (!together) await Promise.all(running.splice(0));
      }
      await Promise.all(running);
      running = [];
      expect([await orderOf(left), await orderOf(right)]).toEqual([...model.values()]);
    }),
    { numRuns: 40 },
  );
}, 180_000);

/** When the card named by `after` has left the column, the moved card goes to the top. */
function moveInModel(model: Map<string, string[]>, id: string, columnId: string, after: string | null) {
  for (const cards of model.values()) {
    const at = cards.indexOf(id);
    if (at >= 0) cards.splice(at, 1);
  }
  const cards = model.get(columnId) ?? [];
  if (after === "last") cards.push(id);
  else if (after === null) cards.unshift(id);
  else cards.splice(cards.indexOf(after) + 1, 0, id);
}

test("a thousand moves into one gap keep the order, spread few cards at once, and say so", async () => {
  const [column = ""] = await columns();
  const ids = await fill(column, 100);
  const [first = ""] = ids;
  let expected = ids;
  facts = [];
  for (let i = 0; i < 1_000; i++) {
    const id = expected[50 + (i % 2)] ?? "";
    await moveCard({ ctx, input: { id, columnId: column, after: first } });
    expected = [first, id, ...expected.filter((one) => one !== id && one !== first)];
  }
  expect(await orderOf(column)).toEqual(expected);
  const positions = await ctx.store.all<{ position: number }>(
    "select position from ticket where column_id = $1 order by position",
    [column],
  );
  expect(new Set(positions.map(({ position }) => position)).size).toBe(100);
  const spreads = facts.filter(({ kind }) => kind === "board").length;
  expect(spreads).toBeWithin(10, 200);
}, 180_000);

test("a card that is put away or gone leaves its neighbour: what was to follow it follows that one", async () => {
  const [column = "", other = ""] = await columns();
  const [a = "", b = "", c = "", d = "", e = "", moving = ""] = await fill(column, 6);
  await archiveCard({ ctx, input: { id: b } });
  await moveCard({ ctx, input: { id: moving, columnId: column, after: b } });
  expect(await orderOf(column)).toEqual([a, moving, c, d, e]);

  await deleteCard({ ctx, input: { id: d } });
  await moveCard({ ctx, input: { id: moving, columnId: column, after: d } });
  expect(await orderOf(column)).toEqual([a, c, moving, e]);

  await deleteTicket({ ctx: installation.ctx, input: { id: d } });
  await moveCard({ ctx, input: { id: moving, columnId: column, after: d, before: e } });
  expect(await orderOf(column)).toEqual([a, c, moving, e]);
  await moveCard({ ctx, input: { id: moving, columnId: column, after: d, before: null } });
  expect(await orderOf(column)).toEqual([moving, a, c, e]);

  await moveCard({ ctx, input: { id: e, columnId: other, after: null } });
  await moveCard({ ctx, input: { id: moving, columnId: column, after: e, before: c } });
  expect(await orderOf(column)).toEqual([a, moving, c]);
});

test("a move that is sent again changes nothing, not even what somebody else did in between", async () => {
  const [column = "", other = ""] = await columns();
  const [a = "", b = ""] = await fill(column, 2);
  const input = { id: b, columnId: other, after: null, op: crypto.randomUUID() };
  const first = await moveCard({ ctx, input });
  const back = await moveCard({ ctx, input: { id: b, columnId: column, after: null, op: crypto.randomUUID() } });
  expect(await moveCard({ ctx, input })).toEqual({ ...first, columnId: column, position: back.position, moves: 2 });
  expect(await orderOf(column)).toEqual([b, a]);
  await expect(moveCard({ ctx, input: { ...input, id: a } })).rejects.toMatchObject({ code: "conflict" });
});

test("the later of two moves holds, and is told whom it overtook; one's own moves overtake nobody", async () => {
  const [column = "", other = ""] = await columns();
  const [a = ""] = await fill(column, 1);
  const two = { ...ctx, actor: { kind: "member", id: crypto.randomUUID(), name: "Two", role: "member" } } as const;
  await moveCard({ ctx: two, input: { id: a, columnId: other, after: null, seenMoves: 0 } });
  const later = await moveCard({ ctx, input: { id: a, columnId: column, after: null, seenMoves: 0 } });
  expect(later.overtook).toMatchObject({ by: { kind: "member", name: "Two" }, column: { id: other, name: "To do" } });
  expect((await moveCard({ ctx, input: { id: a, columnId: other, after: null, seenMoves: 0 } })).overtook).toBeNull();
  const seen = await moveCard({ ctx: two, input: { id: a, columnId: column, after: null, seenMoves: 3 } });
  expect(seen).toMatchObject({ overtook: null, moves: 4 });
});
