import { mayStartRuns } from "../agents/run-starters.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader, Row } from "../core/store.ts";
import { timeOf } from "../tickets/card-summary.ts";
import type { Category } from "./categories.ts";
import { columnsOf, countLive } from "./show-board.ts";

/** What the rail of every page shows. */
export interface RailProject {
  id: string;
  name: string;
  archivedAt: string | null;
  boards: RailBoard[];
}

interface RailBoard {
  id: string;
  name: string;
  archivedAt: string | null;
  /** That stand on it; counted up to a bound in each column. */
  cards: number;
}

/** What menus and filters offer in a project. */
export interface ProjectDetail extends Omit<RailProject, "boards"> {
  createdAt: string;
  boards: (RailBoard & { columns: { id: string; name: string; category: Category; limit: number | null }[] })[];
  /** With what a run holds of the credits. */
  repositories: { id: string; url: string; runCredits: number }[];
  /** Tokens that reach it, as authors of its cards. */
  tokens: { id: string; name: string; revoked: boolean }[];
  agent: { id: string; name: string; mayStart: boolean } | null;
  /** Left for agent runs; null while they are not limited. */
  credits: number | null;
}

const railMax = 500;
const tokensMax = 500;

/** All projects with their boards, in their order, archived ones too. */
export async function listRail({ ctx }: { ctx: Context }): Promise<{ items: RailProject[] }> {
  requireMember(ctx);
  const projects = await ctx.store.all<ProjectRow>(
    `select id, name, created_at, archived_at from project where deleted_at is null
     order by position, id limit ${railMax}`,
  );
  const items = [];
  for (const { id, name, archived_at } of projects) {
    items.push({ id, name, archivedAt: timeOf(archived_at), boards: await boardsOf(ctx.store, id) });
  }
  return { items };
}

export async function showProject({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<ProjectDetail> {
  requireMember(ctx);
  const { store } = ctx;
  const project = await store.one<ProjectRow>(
    "select id, name, created_at, archived_at from project where id = $1 and deleted_at is null",
    [id],
  );
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}`);
  const boards = [];
  for (const board of await boardsOf(store, id)) boards.push({ ...board, columns: await columnsOf(store, board.id) });
  const agent = await store.one<{ id: string; name: string }>(
    "select id, name from member where role = 'agent' and removed_at is null",
  );
  return {
    id,
    name: project.name,
    createdAt: new Date(project.created_at).toISOString(),
    archivedAt: timeOf(project.archived_at),
    boards,
    repositories: await store.all<{ id: string; url: string; runCredits: number }>(
      'select id, url, run_credits as "runCredits" from repository where project_id = $1 and unbound_at is null order by id',
      [id],
    ),
    tokens: await tokensOf(store, id),
    agent: agent ? { ...agent, mayStart: await mayStartRuns(store, ctx) } : null,
    credits: (await store.one<{ credits: number | null }>("select credits from organisation limit 1"))?.credits ?? null,
  };
}

interface ProjectRow extends Row {
  id: string;
  name: string;
  created_at: number;
  archived_at: number | null;
}

interface BoardRow extends Row {
  id: string;
  name: string;
  archived_at: number | null;
}

async function boardsOf(store: Reader, projectId: string): Promise<RailBoard[]> {
  const rows = await store.all<BoardRow>(
    "select id, name, archived_at from board where project_id = $1 and deleted_at is null order by position, id",
    [projectId],
  );
  const boards = [];
  for (const { id, name, archived_at } of rows) {
    let cards = 0;
    for (const column of await columnsOf(store, id)) cards += await countLive(store, column.id);
    boards.push({ id, name, archivedAt: timeOf(archived_at), cards });
  }
  return boards;
}

interface TokenRow extends Row {
  id: string;
  name: string;
  revoked_at: number | null;
}

async function tokensOf(store: Reader, projectId: string) {
  const rows = await store.all<TokenRow>(
    `select id, name, revoked_at from api_token
     where reaches_all = 1 or id in (select token_id from api_token_project where project_id = $1)
     order by id limit ${tokensMax}`,
    [projectId],
  );
  return rows.map(({ id, name, revoked_at }) => ({ id, name, revoked: revoked_at !== null }));
}
