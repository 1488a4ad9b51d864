import { version } from "../../package.json";
import { passwordsCount } from "../accounts/password-sign-in.ts";
import { type Context, Refusal } from "../core/context.ts";
import { readPublicUrl, readStoredPublicUrl } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { passkeyOrigin } from "../factors/relying-party.ts";
import type { Edge } from "../http/edge.ts";
import { mailIsSet } from "../mail/mail-server.ts";
import { offeredProviders } from "../providers/provider-row.ts";

/** Boards that the navigation beside the page shows at most. */
const railMax = 500;

/** The data that the document carries for the page: who is signed in, and the projects and boards of the navigation. */
export interface Boot {
  version: string;
  /** Undefined before the setup. */
  organisation?: string;
  publicUrl: string;
  ingestUrl: string;
  /** Whether links are mailed: then whoever has forgotten a password can ask for one. */
  mails?: true;
  /** Undefined without a session. */
  member?: { id: string; name: string; email: string | null; role: "admin" | "member" };
  /** The id of the latest live message before anything of this was read, where somebody is signed in. */
  live?: string;
  projects: BootProject[];
  /** What the sign-in offers beside passwords, where nobody is signed in. */
  providers?: { id: string; name: string }[];
  /** False where people sign in with providers only. */
  passwords?: boolean;
  /** Whether an access proxy says who is there. */
  proxy?: true;
  /**
   * Where passkeys work: an origin, or null for this machine alone, as no public address is set. Where nobody is signed
   * in, undefined unless somebody can sign in with one.
   */
  passkeys?: { origin: string | null };
  /** True for an admin who has to set up a second factor before anything else. */
  mustEnrol?: true;
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
  edge: Pick<Edge, "context" | "sessionOf" | "proxyPersonOf">,
  { ingestUrl, livePosition }: PageTools,
  request: Request,
): Promise<Boot> {
  const ctx = edge.context;
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  const common = { version, publicUrl, ingestUrl: ingestUrl ?? publicUrl };
  const organisation = await ctx.store.one<{ name: string }>("select name from organisation limit 1");
  if (!organisation) return { ...common, projects: [] };
  const ways = { ...(await mailsLinks(ctx)), ...proxyOf(edge, request) };
  try {
    const { member, mustEnrol } = await edge.sessionOf(ctx, request);
    const live = livePosition();
    const row = await ctx.store.one<{ email: string | null }>("select email from member where id = $1", [member.id]);
    const signedIn = {
      ...common,
      ...ways,
      organisation: organisation.name,
      member: { id: member.id, name: member.name, email: row?.email ?? null, role: member.role },
      passkeys: await passkeysAt(ctx),
    };
    if (mustEnrol) return { ...signedIn, mustEnrol, projects: [] };
    return {
      ...signedIn,
      live,
      projects: await projectsOf(ctx),
    };
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_signed_in") {
      const [providers, passwords] = await Promise.all([offeredProviders(ctx), passwordsCount(ctx.store)]);
      const offered = passwords && (await ctx.store.one("select id from passkey limit 1")) !== undefined;
      return {
        ...common,
        ...ways,
        ...(offered ? { passkeys: await passkeysAt(ctx) } : {}),
        organisation: organisation.name,
        projects: [],
        providers,
        passwords,
      };
    }
    throw error;
  }
}

function proxyOf({ proxyPersonOf }: Pick<Edge, "proxyPersonOf">, request: Request): { proxy?: true } {
  return proxyPersonOf(request) === undefined ? {} : { proxy: true };
}

async function passkeysAt(ctx: Pick<Context, "store" | "publicUrl">): Promise<{ origin: string | null }> {
  return { origin: await passkeyOrigin(ctx) };
}

async function mailsLinks({ store, publicUrl }: Pick<Context, "store" | "publicUrl">): Promise<{ mails?: true }> {
  return (await mailIsSet(store)) && (await readStoredPublicUrl(store, publicUrl)) !== undefined ? { mails: true } : {};
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
