import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Reader } from "../core/store.ts";
import { type TokenRow, type TokenView, tokenView } from "./token-view.ts";

type TokenState = "active" | "revoked";

/** An API token with the names of the projects that it reaches; projects that were deleted are left out. */
type BrowsedToken = TokenView & { projects: { id: string; name: string }[] };

interface BrowsedTokens extends Page<BrowsedToken> {
  counts: Record<TokenState, number>;
}

/** API tokens for the page, newest first, filtered by state or found by name, fingerprint or id. */
export async function browseTokens({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { state?: TokenState | undefined; text?: string | undefined };
}): Promise<BrowsedTokens> {
  requireAdmin(ctx);
  const [before = "g"] = decodeCursor(input.cursor, ["string"]);
  const text = (input.text ?? "").toLowerCase();
  const rows = await ctx.store.all<TokenRow>(
    `select * from api_token
     where id < $1 and ($2 = '' or (revoked_at is null) = ($2 = 'active'))
       and ($3 = '' or lower(name) like $4 escape '!' or substr(hash, 1, 8) like $5 escape '!' or id = $3)
     order by id desc limit $6`,
    [before, input.state ?? "", text, `%${escaped(text)}%`, `${escaped(text)}%`, input.limit + 1],
  );
  const page = pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => row,
  );
  const items = await Promise.all(page.items.map((row) => browsed(ctx.store, row)));
  return { items, next: page.next, counts: await countTokens(ctx.store) };
}

export async function showToken({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<BrowsedToken> {
  requireAdmin(ctx);
  const row = await ctx.store.one<TokenRow>("select * from api_token where id = $1", [input.id]);
  if (!row) throw new Refusal("not_found");
  return browsed(ctx.store, row);
}

async function browsed(store: Reader, row: TokenRow): Promise<BrowsedToken> {
  const projects = await store.all<{ id: string; name: string }>(
    `select p.id, p.name from api_token_project r join project p on p.id = r.project_id
     where r.token_id in ($1) order by p.position, p.id`,
    [row.id],
  );
  return { ...(await tokenView(store, row)), projects };
}

async function countTokens(store: Reader): Promise<BrowsedTokens["counts"]> {
  const row = await store.one<{ active: number; revoked: number }>(
    `select cast(count(*) - count(revoked_at) as integer) as active, cast(count(revoked_at) as integer) as revoked
     from api_token`,
  );
  return { active: row?.active ?? 0, revoked: row?.revoked ?? 0 };
}

function escaped(text: string): string {
  return text.replace(/[!%_]/g, "!$&");
}
