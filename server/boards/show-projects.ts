import { mayStartRuns } from "../agents/run-starters.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { TokenRow } from "../credentials/token-view.ts";
import { timeOf } from "../tickets/card-summary.ts";
import type { BoardRow } from "./board-row.ts";
import type { ProjectRow } from "./project-row.ts";
import { type BoardColumn, columnsOf, countLive } from "./show-board.ts";

/** A project with its boards, as the navigation at the side of every page shows it. */
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
  /** Cards on the board that are neither archived nor deleted; of each column they are counted up to a bound. */
  cards: number;
}

/** What menus and filters offer in a project. */
export interface ProjectDetail extends Omit<RailProject, "boards"> {
  createdAt: string;
  boards: (RailBoard & { columns: BoardColumn[] })[];
  /** Bound repositories, with the credits that a run against each of them holds. */
  repositories: { id: string; url: string; runCredits: number }[];
  /** API tokens that reach the project: they may be authors of its cards. */
  tokens: { id: string; name: string; revoked: boolean }[];
  agent: { id: string; name: string; mayStart: boolean } | null;
  /** Credits that are left for agent runs; null while credits are not limited. */
  credits: number | null;
}

const railMax = 500;
const tokensMax = 500;

/** All projects with their boards, in their order, archived ones too. */
export async function listRail({ ctx }: { ctx: Context }): Promise<{ items: RailProject[] }> {
  requireMember(ctx);
  const projects = await ctx.store.all<NamedProject>(
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
  const project = await store.one<NamedProject>(
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

type NamedProject = Pick<ProjectRow, "id" | "name" | "created_at" | "archived_at">;

async function boardsOf(store: Reader, projectId: string): Promise<RailBoard[]> {
  const rows = await store.all<Pick<BoardRow, "id" | "name" | "archived_at">>(
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

async function tokensOf(store: Reader, projectId: string) {
  const rows = await store.all<Pick<TokenRow, "id" | "name" | "revoked_at">>(
    `select id, name, revoked_at from api_token
     where reaches_all = 1 or id in (select token_id from api_token_project where project_id = $1)
     order by id limit ${tokensMax}`,
    [projectId],
  );
  return rows.map(({ id, name, revoked_at }) => ({ id, name, revoked: revoked_at !== null }));
}
