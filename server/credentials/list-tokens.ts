import { type Context, requireAdmin } from "../core/context.ts";
import { fingerprintOf } from "../core/credential.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Reader, Row } from "../core/store.ts";
import type { Reach } from "./create-token.ts";

export interface TokenView {
  id: string;
  name: string;
  fingerprint: string;
  scopes: string[];
  reach: Reach;
  limit: number;
  createdAt: string;
  /** Who made it, as they were called then; null when that was not noted yet. */
  author: string | null;
  lastUsedAt: string | null;
  /** Of the last request. */
  lastStatus: number | null;
  lastNetwork: string | null;
  /** Requests whose key came with another body than the first time. */
  mismatches: number;
  revokedAt: string | null;
  /** Requests that came after it was revoked. */
  late?: { calls: number; at: string; network: string | null };
}

export interface TokenRow extends Row {
  id: string;
  name: string;
  hash: string;
  scopes: string;
  reaches_all: number;
  requests_per_window: number;
  created_at: number;
  author_name: string | null;
  last_used_at: number | null;
  last_status: number | null;
  last_network: string | null;
  mismatches: number;
  revoked_at: number | null;
  late_calls: number;
  late_at: number | null;
  late_network: string | null;
}

/** Oldest first, revoked ones too: they are authors of what they made. */
export async function listTokens({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<TokenView>> {
  requireAdmin(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<TokenRow>("select * from api_token where id > $1 order by id limit $2", [
    after,
    input.limit + 1,
  ]);
  const page = pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => row,
  );
  return { items: await Promise.all(page.items.map((row) => tokenView(ctx.store, row))), next: page.next };
}

export async function tokenView(store: Reader, row: TokenRow): Promise<TokenView> {
  return {
    id: row.id,
    name: row.name,
    fingerprint: fingerprintOf(row.hash),
    scopes: scopesOf(row.scopes),
    reach: row.reaches_all === 1 ? "all" : await chosenProjects(store, row.id),
    limit: row.requests_per_window,
    createdAt: new Date(row.created_at).toISOString(),
    author: row.author_name,
    lastUsedAt: isoOrNull(row.last_used_at),
    lastStatus: row.last_status,
    lastNetwork: row.last_network,
    mismatches: row.mismatches,
    revokedAt: isoOrNull(row.revoked_at),
    ...(row.late_at === null
      ? {}
      : { late: { calls: row.late_calls, at: new Date(row.late_at).toISOString(), network: row.late_network } }),
  };
}

export function scopesOf(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

async function chosenProjects(store: Reader, tokenId: string): Promise<string[]> {
  const rows = await store.all<{ project_id: string }>(
    "select project_id from api_token_project where token_id = $1 order by project_id",
    [tokenId],
  );
  return rows.map(({ project_id }) => project_id);
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
