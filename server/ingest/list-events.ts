import { type Context, Refusal, requireMember } from "../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../core/page.ts";
import { pick } from "../core/pick.ts";
import type { Value } from "../core/store.ts";
import type { EventRow } from "../envelope/event-row.ts";
import { indexText } from "../envelope/index-envelope.ts";
import { type EventView, presentEvent } from "./event-view.ts";

interface EventFilters {
  type?: string | undefined;
  level?: string | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  /** `user.id` or `user.email`. */
  user?: string | undefined;
  /** Received at or after, epoch milliseconds. */
  since?: number | undefined;
  /** Received before, epoch milliseconds. */
  until?: number | undefined;
}

const listed = [
  ...(["id", "reportId", "type", "title", "level", "environment", "release", "receivedAt"] as const),
  ...(["occurredAt", "repeatCount", "bytes"] as const),
] as const;

export type EventSummary = Pick<EventView, (typeof listed)[number]>;

/** Stored reports of a project, newest first, for the command line. */
export async function listEvents({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & EventFilters & { projectId: string };
}): Promise<Page<EventSummary>> {
  requireMember(ctx);
  const { projectId, limit } = input;
  if (!(await ctx.store.one("select id from project where id = $1", [projectId]))) {
    throw new Refusal("project_not_found", `there is no project ${projectId}; see: intake project list`);
  }
  const [at = highest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const where = new Where(["project_id in ($1)", "(received_at, id) < ($2, $3)"], [projectId, at, id]);
  for (const name of ["type", "level", "environment", "release"] as const) where.equal(name, indexed(input[name]));
  where.add((n) => `(user_id = ${n} or user_email = ${n})`, indexed(input.user));
  where.add((n) => `received_at >= ${n}`, input.since);
  where.add((n) => `received_at < ${n}`, input.until);
  const rows = await ctx.store.all<EventRow>(
    `select * from event where ${where.sql} order by received_at desc, id desc limit ${where.next(limit + 1)}`,
    where.params,
  );
  return pageOf(
    rows,
    limit,
    (row) => [row.received_at, row.id],
    (row) => pick(presentEvent(row), listed),
  );
}

/** A filter in the form in which the index holds values. */
function indexed(text: string | undefined): string | undefined {
  return text === undefined ? undefined : indexText(text);
}

/** The conditions of the query: their SQL is constant, and values from outside are parameters. */
class Where {
  readonly #conditions: string[];
  readonly params: Value[];

  constructor(conditions: string[], params: Value[]) {
    this.#conditions = conditions;
    this.params = params;
  }

  get sql(): string {
    return this.#conditions.join(" and ");
  }

  next(value: Value): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }

  add(condition: (parameter: string) => string, value: Value | undefined) {
    if (value !== undefined) this.#conditions.push(condition(this.next(value)));
  }

  equal(column: string, value: string | undefined) {
    this.add((parameter) => `${column} = ${parameter}`, value);
  }
}
