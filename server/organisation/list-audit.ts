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
  /** The name of the actor at that time: the command line has no id. */
  actorName?: string | undefined;
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
  const [before = idAfterAll] = decodeCursor(input.cursor, ["string"]);
  const { where, params } = conditions(input.filter ?? {});
  const rows = await ctx.store.all<AuditRow>(`${select} where id < $1${where} order by id desc limit $2`, [
    before,
    input.limit + 1,
    ...params,
  ]);
  const names = await namesOfRows(ctx, rows);
  return pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => present(row, names),
  );
}

/** Entries that one query of {@link readAudit} looks at: it takes milliseconds, also where few of millions match. */
const sliceMax = 1_000;

/** Every entry of the audit log that matches, newest first, slice by slice. Entries written meanwhile are not in it. */
export async function* readAudit(ctx: Context, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  requireAdmin(ctx);
  const { where, params } = conditions(filter);
  let before = idAfterAll;
  for (;;) {
    const slice = await ctx.store.one<{ first: string | null }>(
      `select min(id) as first from (select id from audit where id < $1 order by id desc limit ${sliceMax}) slice`,
      [before],
    );
    const first = slice?.first;
    if (!first) return;
    const rows = await ctx.store.all<AuditRow>(`${select} where id < $1 and id >= $2${where} order by id desc`, [
      before,
      first,
      ...params,
    ]);
    const names = await namesOfRows(ctx, rows);
    if (rows.length > 0) yield rows.map((row) => present(row, names));
    before = first;
  }
}

const idAfterAll = "g";

const select =
  "select id, at, actor_kind, actor_id, actor_name, action, object, before, after, network, request_id from audit";

function namesOfRows({ store }: Context, rows: readonly AuditRow[]): Promise<Map<string, string>> {
  return namesOf(
    store,
    rows.map(({ object }) => object),
  );
}

/** Conditions with parameters from $3 on. */
function conditions({ actorId, actorName, action, object, since, until }: AuditFilter): {
  where: string;
  params: Value[];
} {
  const params: Value[] = [];
  const place = (value: Value) => `$${params.push(value) + 2}`;
  const parts: string[] = [];
  if (actorId !== undefined) parts.push(`actor_id = ${place(actorId)}`);
  if (actorName !== undefined) parts.push(`actor_name = ${place(actorName)}`);
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
