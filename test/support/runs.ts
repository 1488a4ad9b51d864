import type { RunRow } from "../../server/agents/run.ts";
import { createProject } from "../../server/boards/create-project.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import type { NewFields } from "../../server/core/fields.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import type { TokenFields } from "../../server/credentials/token-fields.ts";
import { createTicket } from "../../server/tickets/create.ts";
import type { Installation } from "./installation.ts";
import type { Target } from "./targets.ts";
import type { Token } from "./tickets.ts";

/** A project with a repository, whose runs no other test claims. */
export interface RunProject {
  projectId: string;
  repositoryId: string;
  /** A token that reaches this project alone, with the scope for runners. */
  runner: Token;
  /** A token that reaches this project alone, with the scope for tickets. */
  author: Token;
}

export const repositoryUrl = "https://git.example.org/team/app.git";
export const machine = { name: "machine", version: "1", labels: [] };

export async function runProject({ ctx }: Pick<Installation, "ctx">): Promise<RunProject> {
  const { id: projectId } = await createProject({ ctx, input: { name: `Runs ${crypto.randomUUID()}` } });
  const repository = await bindRepository({ ctx, input: { projectId, url: repositoryUrl } });
  const [runner, author] = await Promise.all([
    runnerToken({ ctx }, { reach: [projectId] }),
    runnerToken({ ctx }, { reach: [projectId], scopes: ["tickets:write"] }),
  ]);
  return { projectId, repositoryId: repository.id, runner, author };
}

export function runnerToken(
  { ctx }: Pick<Installation, "ctx">,
  input: Partial<NewFields<TokenFields>> = {},
): Promise<Token> {
  return createToken({ ctx, input: { name: "Runner", reach: "all", scopes: ["runs:execute"], ...input } });
}

/** Queues a run by creating a ticket that is assigned to the agent; returns the ids of both. */
export async function queueRun(
  { ctx, made }: Pick<Installation, "ctx"> & { made: { agent: { id: string } } },
  { projectId, author }: RunProject,
): Promise<{ ticketId: string; runId: string }> {
  const created = await createTicket({
    ctx: { ...ctx, actor: { kind: "token", id: author.id, name: "" } },
    input: { tokenId: author.id, ticket: { title: "For the agent", projectId, assigneeUserId: made.agent.id } },
  });
  if (created.replay) throw new Error("the ticket was there already");
  const run = await ctx.store.one<{ id: string }>("select id from agent_run where ticket_id = $1", [created.ticketId]);
  return { ticketId: created.ticketId, runId: run?.id ?? "" };
}

/** The row of a run. */
export async function runOf({ ctx }: Pick<Installation, "ctx">, id: string): Promise<RunRow> {
  const run = await ctx.store.one<RunRow>("select * from agent_run where id = $1", [id]);
  if (!run) throw new Error(`there is no run ${id}`);
  return run;
}

interface RunnerCall {
  token?: string | undefined;
  method?: string;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Posts to the runner protocol. */
export function postRunner({ send }: Pick<Target, "send">, path: string, call: RunnerCall): Promise<Response> {
  const { token, method = "POST", body = {}, headers = {} } = call;
  return send(`/runner/v1/${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      "content-type": "application/json",
      ...headers,
    },
    ...(method === "GET" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export interface Held {
  runId: string;
  leaseToken: string;
  token: string;
}

/** Claims a run; fails when there is none. */
export async function claimed(target: Target, { runner }: Pick<RunProject, "runner">): Promise<Held> {
  const response = await postRunner(target, "claim", {
    token: runner.token,
    body: { claimId: crypto.randomUUID(), runner: machine },
  });
  if (response.status !== 200) throw new Error(`no run: ${response.status} ${await response.text()}`);
  const { run, leaseToken } = (await response.json()) as { run: { id: string }; leaseToken: string };
  return { runId: run.id, leaseToken, token: runner.token };
}

/** A run that was queued and claimed. */
export async function heldRun(target: Target, project?: RunProject): Promise<Held & { ticketId: string }> {
  const own = project ?? (await runProject(target.installation));
  const { ticketId } = await queueRun(target.installation, own);
  return { ...(await claimed(target, own)), ticketId };
}

/** Makes a call about a claimed run; returns status and body of the answer. */
export async function tell(
  target: Target,
  { runId, leaseToken, token }: Held,
  call: "heartbeat" | "log" | "complete",
  body: object,
): Promise<[status: number, body: Record<string, unknown>]> {
  const response = await postRunner(target, `runs/${runId}/${call}`, { token, body: { leaseToken, ...body } });
  return [response.status, (await response.json()) as Record<string, unknown>];
}

/** Moves the end of the lease into the past, as if its runner had vanished. */
export function endLease({ ctx }: Pick<Installation, "ctx">, runId: string): Promise<void> {
  return ctx.store.write((tx) => tx.run("update agent_run set lease_until = 1 where id = $1", [runId]));
}
