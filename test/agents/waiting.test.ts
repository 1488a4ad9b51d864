import { afterEach, beforeEach, expect, test } from "bun:test";
import { claimRun } from "../../server/agents/claim-run.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import { createTicket } from "../../server/tickets/create.ts";
import { updateCard } from "../../server/tickets/update.ts";
import { type Installation, install } from "../support/installation.ts";

let installation: Installation;
let runnerId = "";

beforeEach(async () => {
  installation = await install();
  const input = { name: "Runner", reach: "all" as const, scopes: ["runs:execute" as const] };
  runnerId = (await createToken({ ctx: installation.ctx, input })).id;
});
afterEach(() => installation.remove());

/** A ticket that is assigned to the agent in a project without a repository: its run waits. */
async function assigned(): Promise<string> {
  const { ctx, made } = installation;
  const created = await createTicket({
    ctx: { ...ctx, actor: { kind: "token", id: made.apiToken.id, name: "" } },
    input: { tokenId: made.apiToken.id, ticket: { title: "For the agent", assigneeUserId: made.agent.id } },
  });
  if (created.replay) throw new Error("there is no key");
  return created.ticketId;
}

function bind(name: string) {
  const { ctx, made } = installation;
  return bindRepository({ ctx, input: { projectId: made.project.id, url: `https://git.example.org/${name}` } });
}

function claim() {
  const runner = { name: "machine", version: "1", labels: [] };
  return claimRun({ ctx: installation.ctx, input: { tokenId: runnerId, claimId: crypto.randomUUID(), runner } });
}

test("a run that waits for a repository is queued when one is bound", async () => {
  const ticketId = await assigned();
  expect(await claim()).toBeUndefined();
  const { id } = await bind("app");
  expect(await claim()).toMatchObject({ run: { ticketId, repositoryId: id }, repository: { id } });
});

test("of several nobody chooses but a person, on the card", async () => {
  await bind("one");
  const { id } = await bind("two");
  const ticketId = await assigned();
  expect(await claim()).toBeUndefined();
  await updateCard({ ctx: installation.ctx, input: { id: ticketId, change: { agentRepositoryId: id } } });
  expect(await claim()).toMatchObject({ run: { ticketId, repositoryId: id } });
});
