import { type Context, requireMember } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";

export interface KeyView {
  id: string;
  name: string;
  projectId: string;
  /** The value itself: it is public by nature and may be seen again at any time. */
  key: string;
  state: "active" | "paused" | "revoked";
  limit: number;
  /** Empty: any. */
  origins: string[];
  createdAt: string;
  lastUsedAt: string | null;
}

interface KeyRow extends Row {
  id: string;
  name: string;
  project_id: string;
  value: string;
  origins: string | null;
  requests_per_window: number;
  created_at: number;
  last_used_at: number | null;
  paused_at: number | null;
  revoked_at: number | null;
}

/** Oldest first, revoked ones too. For every member: the value is no secret. */
export async function listKeys({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<KeyView>> {
  requireMember(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const { projectId, limit } = input;
  const rows = await (projectId === undefined
    ? ctx.store.all<KeyRow>("select * from sdk_key where id > $1 order by id limit $2", [after, limit + 1])
    : ctx.store.all<KeyRow>("select * from sdk_key where project_id = $1 and id > $2 order by id limit $3", [
        projectId,
        after,
        limit + 1,
      ]));
  return pageOf(rows, limit, (row) => [row.id], present);
}

function present(row: KeyRow): KeyView {
  return {
    id: row.id,
    name: row.name,
    projectId: row.project_id,
    key: row.value,
    state: row.revoked_at !== null ? "revoked" : row.paused_at !== null ? "paused" : "active",
    limit: row.requests_per_window,
    origins: row.origins === null ? [] : (JSON.parse(row.origins) as string[]),
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  };
}
