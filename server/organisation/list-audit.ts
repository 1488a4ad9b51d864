import type { Author } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row, Value } from "../core/store.ts";
import { namesOf } from "./object-names.ts";

/** One administrative act: `object` names what was changed (`token 0198…`), `from` and `to` only what differs. */
export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  actorKind: Author["kind"];
  actorId: string | null;
  action: string;
  object: string;
  /** What the object is called today, where it has a name. */
  objectName: string | null;
  from?: unknown;
  to?: unknown;
  network: string | null;
  requestId: string | null;
}

export interface AuditFilter {
  actorId?: string | undefined;
  /** Acts on one kind of object (`token`), or one act (`token.revoke`). */
  action?: string | undefined;
  object?: string | undefined;
  /** Entries from this time on, in epoch milliseconds. */
  since?: number | undefined;
  /** Entries before this time, in epoch milliseconds. */
  until?: number | undefined;
}

interface AuditRow extends Row {
  id: string;
  at: number;
  actor_kind: Author["kind"];
  actor_id: string | null;
  actor_name: string;
  action: string;
  object: string;
  before: string | null;
  after: string | null;
  network: string | null;
  request_id: string | null;
}

/** Entries of the audit log, newest first. */
export async function listAudit({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { filter?: AuditFilter };
}): Promise<Page<AuditEntry>> {
  requireAdmin(ctx);
  const [before = "g"] = decodeCursor(input.cursor, ["string"]);
  const { where, params } = conditions(input.filter ?? {});
  const rows = await ctx.store.all<AuditRow>(
    `select id, at, actor_kind, actor_id, actor_name, action, object, before, after, network, request_id from audit
     where id < $1${where} order by id desc limit $2`,
    [before, input.limit + 1, ...params],
  );
  const names = await namesOf(
    ctx.store,
    rows.map(({ object }) => object),
  );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => present(row, names),
  );
}

function conditions({ actorId, action, object, since, until }: AuditFilter): { where: string; params: Value[] } {
  const params: Value[] = [];
  const place = (value: Value) => `$${params.push(value) + 2}`;
  const parts: string[] = [];
  if (actorId !== undefined) parts.push(`actor_id = ${place(actorId)}`);
  if (action !== undefined) {
    // Every act of a kind begins with `kind.`, and `/` is the character that follows the full stop.
    const [one, low, high] = [place(action), place(`${action}.`), place(`${action}/`)];
    parts.push(`(action = ${one} or (action >= ${low} and action < ${high}))`);
  }
  if (object !== undefined) parts.push(`object = ${place(object)}`);
  if (since !== undefined) parts.push(`at >= ${place(since)}`);
  if (until !== undefined) parts.push(`at < ${place(until)}`);
  return { where: parts.map((part) => ` and ${part}`).join(""), params };
}

function present(row: AuditRow, names: Map<string, string>): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: row.actor_name,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    action: row.action,
    object: row.object,
    objectName: names.get(row.object) ?? null,
    ...(row.before === null ? {} : { from: JSON.parse(row.before) }),
    ...(row.after === null ? {} : { to: JSON.parse(row.after) }),
    network: row.network,
    requestId: row.request_id,
  };
}
