import { afterEach, beforeEach, expect, test } from "bun:test";
import { claimRun } from "../../server/agents/claim-run.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { heartbeat } from "../../server/agents/heartbeat.ts";
import { showCredits } from "../../server/agents/show-credits.ts";
import { createBoard } from "../../server/boards/create-board.ts";
import { deleteBoard, discardBoard } from "../../server/boards/delete-board.ts";
import { deleteProject, discardProject } from "../../server/boards/delete-project.ts";
import { DeletedPurge } from "../../server/boards/purge-deleted.ts";
import { cutoffBy } from "../../server/core/cutoff.ts";
import { EnvelopeReader } from "../../server/envelope/envelope-reader.ts";
import { deleteCard } from "../../server/tickets/card-lifecycle.ts";
import { deleteTicket } from "../../server/tickets/delete.ts";
import { type Installation, install } from "../support/installation.ts";
import { openFiles } from "../support/kept-files.ts";
import { machine, queueRun, runProject } from "../support/runs.ts";

let installation: Installation;
let now = 0;

beforeEach(async () => {
  installation = await install();
  now = Date.now();
  installation.ctx.now = () => now;
});
afterEach(() => installation.remove());

interface Under {
  projectId: string;
  boardId: string;
  ticketId: string;
}

const day = 86_400_000;

const deletions: Record<string, (under: Under) => Promise<unknown>> = {
  ticket: ({ ticketId }) => deleteTicket({ ctx: installation.ctx, input: { id: ticketId } }),
  board: ({ boardId }) => deleteBoard({ ctx: installation.ctx, input: { id: boardId } }),
  project: ({ projectId }) => deleteProject({ ctx: installation.ctx, tools: tools(), input: { id: projectId } }),
  "project by a page": async ({ projectId }) => {
    await discardProject({ ctx: installation.ctx, input: { id: projectId } });
    await upkeep().sweep();
  },
  "board by a page": async ({ boardId, projectId }) => {
    await createBoard({ ctx: installation.ctx, input: { projectId, name: "Another", columns: true } });
    await discardBoard({ ctx: installation.ctx, input: { id: boardId } });
    await upkeep().sweep();
  },
  "card, whose days to be restored are over": async ({ ticketId }) => {
    await deleteCard({ ctx: installation.ctx, input: { id: ticketId } });
    now += 31 * day;
    await upkeep().sweep();
  },
};

test.each(Object.entries(deletions))("a deleted %s takes its run along, and no credits", async (_, remove) => {
  const { ctx } = installation;
  await grantCredits({ ctx, input: { amount: 40 } });
  const project = await runProject({ ctx });
  const { ticketId } = await queueRun(installation, project);
  const tokenId = project.runner.id;
  const claimed = await claimRun({ ctx, input: { tokenId, claimId: "a", runner: machine } });
  if (!claimed) throw new Error("there was no run");
  await heartbeat({
    ctx,
    input: { tokenId, runId: claimed.run.id, leaseToken: claimed.leaseToken, creditsUsed: 4 },
  });
  expect(await showCredits({ ctx })).toEqual({ balance: 30, held: 10, used: 0 });
  const board = await ctx.store.one<{ id: string }>("select id from board where project_id = $1", [project.projectId]);

  await remove({ projectId: project.projectId, boardId: board?.id ?? "", ticketId });

  expect(await ctx.store.all("select id from agent_run")).toEqual([]);
  expect(await showCredits({ ctx })).toEqual({ balance: 36, held: 0, used: 4 });
  const ledger = await ctx.store.all("select kind, amount, balance from credit_entry order by id");
  expect(ledger).toEqual([
    { kind: "grant", amount: 40, balance: 40 },
    { kind: "hold", amount: -10, balance: 30 },
    { kind: "release", amount: 10, balance: 40 },
    { kind: "settle", amount: -4, balance: 36 },
  ]);
});

function tools() {
  return { files: openFiles(installation.folder), reader: new EnvelopeReader() };
}

function upkeep() {
  const { store, newId } = installation.ctx;
  return new DeletedPurge({ store, now: () => now, cutoff: cutoffBy(() => now), newId, ...tools() });
}
