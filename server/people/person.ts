import type { PersonQuery } from "../../openapi/schema/people.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Row, Value } from "../core/store.ts";
import { indexText } from "../envelope/index-envelope.ts";
import type { Links } from "../files/links.ts";
import type { DeleteTools } from "../ingest/delete-events.ts";

/** Reports of a person that calls over HTTP handle: an id of more is hardly that of one person. */
const reportsMax = 20_000;

/** What the routes about people need. */
export interface PeopleTools extends Omit<DeleteTools, "store"> {
  sealing: Sealing;
  links: Links;
}

/** Stands for the person in the audit log. */
export function codeOf(sealing: Sealing, { by, value }: PersonQuery): string {
  return sealing.personCode(`${by} ${value}`);
}

/**
 * First line of what is done with a person's data: for admins, and for API tokens, whose scope the route has checked.
 */
export function requirePeople(ctx: Context) {
  if (ctx.actor.kind !== "token") requireAdmin(ctx);
}

/**
 * The rows of `event` that name the person: of every project, or of those that the token reaches. Values are
 * compared as the index holds them, so that no character of them stands for others.
 */
export async function eventsOf(
  { store, actor }: Context,
  { by, value }: PersonQuery,
): Promise<{ where: string; params: Value[] }> {
  const where = `${by === "user.id" ? "user_id" : "user_email"} = $1`;
  const params: Value[] = [indexText(value)];
  if (actor.kind !== "token") return { where, params };
  const token = await store.one<{ reaches_all: number }>(
    "select reaches_all from api_token where id = $1 and revoked_at is null",
    [actor.id],
  );
  if (!token) throw new Refusal("invalid_api_token");
  if (token.reaches_all === 1) return { where, params };
  const reached = "select project_id from api_token_project where token_id = $2";
  return { where: `${where} and project_id in (${reached})`, params: [...params, actor.id] };
}

/**
 * How many reports name the person. For calls over HTTP at most {@link reportsMax}: then it is refused, and the command
 * line, which has no such bound, is named.
 */
export async function countReports(
  { store, actor }: Context,
  { where, params }: { where: string; params: Value[] },
): Promise<number> {
  const bound = actor.kind === "operator" ? "" : `limit ${reportsMax + 1}`;
  const row = await store.one<Row & { reports: number }>(
    `select cast(count(*) as integer) as reports from (select 1 from event where ${where} ${bound}) found`,
    params,
  );
  const reports = row?.reports ?? 0;
  if (bound !== "" && reports > reportsMax) {
    throw new Refusal(
      "conflict",
      `More than ${reportsMax.toLocaleString("en")} reports have this value, so it is hardly one person's. intake person, on the command line, has no such bound.`,
    );
  }
  return reports;
}
