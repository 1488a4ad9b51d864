import { type Context, requireAdmin } from "../core/context.ts";
import { type ShownFields, shownFields } from "../core/fields.ts";
import { readPublicUrl } from "../core/settings.ts";
import { type ProviderFields, providerFields } from "./provider-fields.ts";
import { type ProviderRow, redirectUriOf, selectProviders } from "./provider-row.ts";

interface ProviderView extends ShownFields<ProviderFields> {
  /** `lost`: the key that sealed the secret is lost. A secret itself is never shown. */
  secret: "given" | "file" | "lost" | "none";
  /** What the provider has to know of Intake. */
  redirectUri: string;
  logoutUri: string;
  postLogoutUri: string;
  /** People who are linked to its issuer. */
  linked: number;
}

export async function listProviders({ ctx }: { ctx: Context }): Promise<{ items: ProviderView[] }> {
  requireAdmin(ctx);
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  const rows = await ctx.store.all<ProviderRow>(selectProviders);
  const linked = await ctx.store.all<{ issuer: string; count: number }>(
    "select issuer, cast(count(*) as integer) as count from identity group by issuer",
  );
  return {
    items: rows.map((row) => ({
      ...shownFields(providerFields, row),
      secret: stateOf(row),
      redirectUri: redirectUriOf(publicUrl, row.id),
      logoutUri: `${publicUrl}/sign-in/logout/${row.id}`,
      postLogoutUri: `${publicUrl}/sign-in`,
      linked: linked.find(({ issuer }) => issuer === row.issuer)?.count ?? 0,
    })),
  };
}

function stateOf({ secret, secret_file }: ProviderRow): ProviderView["secret"] {
  if (secret_file !== null) return "file";
  if (secret === null) return "none";
  return secret.length === 0 ? "lost" : "given";
}
