import { version } from "../../package.json";
import { sessionOf } from "../accounts/session.ts";
import { type Context, Refusal } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Row } from "../core/store.ts";

/** Boards that the navigation beside the page shows at most. */
const railMax = 500;

/** The data that the document carries for the page: who is signed in, and the projects and boards of the navigation. */
export interface Boot {
  version: string;
  /** Undefined before the setup. */
  organisation?: string;
  publicUrl: string;
  ingestUrl: string;
  /** Undefined without a session. */
  member?: { id: string; name: string; email: string | null; role: "admin" | "member" };
  /** The id of the latest live message before anything of this was read, where somebody is signed in. */
  live?: string;
  projects: BootProject[];
}

export interface BootProject {
  id: string;
  name: string;
  boards: { id: string; name: string }[];
}

/** What the pages need besides the context of use cases. */
export interface PageTools {
  ingestUrl: string | undefined;
  /** The id of the latest live message: a page that shows what is stored now is sent every later one. */
  livePosition: () => string;
}

export async function bootOf(
  ctx: Omit<Context, "actor">,
  { ingestUrl, livePosition }: PageTools,
  request: Request,
): Promise<Boot> {
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  const common = { version, publicUrl, ingestUrl: ingestUrl ?? publicUrl };
  const organisation = await ctx.store.one<{ name: string }>("select name from organisation limit 1");
  if (!organisation) return { ...common, projects: [] };
  try {
    const { member } = await sessionOf(ctx, request);
    const live = livePosition();
    const row = await ctx.store.one<{ email: string | null }>("select email from member where id = $1", [member.id]);
    return {
      ...common,
      organisation: organisation.name,
      member: { id: member.id, name: member.name, email: row?.email ?? null, role: member.role },
      live,
      projects: await projectsOf(ctx),
    };
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_signed_in") {
      return { ...common, organisation: organisation.name, projects: [] };
    }
    throw error;
  }
}

interface BoardRow extends Row {
  project_id: string;
  project_name: string;
  id: string | null;
  name: string | null;
}

/** Projects and their boards in their order, up to the number that the navigation shows. */
export async function projectsOf({ store }: Pick<Context, "store">): Promise<BootProject[]> {
  const rows = await store.all<BoardRow>(
    `select p.id as project_id, p.name as project_name, b.id, b.name from project p
     left join board b on b.project_id = p.id and b.archived_at is null and b.deleted_at is null
     where p.archived_at is null and p.deleted_at is null order by p.position, p.id, b.position, b.id limit $1`,
    [railMax],
  );
  const projects = new Map<string, BootProject>();
  for (const { project_id: id, project_name: name, ...board } of rows) {
    const project = projects.get(id) ?? { id, name, boards: [] };
    projects.set(id, project);
    if (board.id !== null && board.name !== null) project.boards.push({ id: board.id, name: board.name });
  }
  return [...projects.values()];
}
