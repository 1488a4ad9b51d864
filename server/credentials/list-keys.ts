import { type Context, requireMember } from "../core/context.ts";
import type { Page, PageInput } from "../core/page.ts";
import { readCredentials } from "./credential-steps.ts";
import { type KeyRow, type KeyView, keyView } from "./key-view.ts";

/**
 * SDK keys, oldest first, with revoked ones; of one project when it is named. Every member may list them, because their
 * values are public.
 */
export async function listKeys({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<KeyView>> {
  requireMember(ctx);
  const { items, next } = await readCredentials<KeyRow>(ctx.store, "sdk_key", input);
  return { items: items.map(keyView), next };
}
