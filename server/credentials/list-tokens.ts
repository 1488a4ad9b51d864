import { type Context, requireAdmin } from "../core/context.ts";
import type { Page, PageInput } from "../core/page.ts";
import { readCredentials } from "./credential-steps.ts";
import { type TokenRow, type TokenView, tokenView } from "./token-view.ts";

/** API tokens, oldest first, with revoked ones. */
export async function listTokens({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<TokenView>> {
  requireAdmin(ctx);
  const { items, next } = await readCredentials<TokenRow>(ctx.store, "api_token", input);
  return { items: await Promise.all(items.map((row) => tokenView(ctx.store, row))), next };
}
