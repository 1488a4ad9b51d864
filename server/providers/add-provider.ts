import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { columnsOf, type NewFields, withDefaults } from "../core/fields.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import { insertStep } from "../core/write-row.ts";
import type { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { checkProvider } from "./check-provider.ts";
import { sealSecret } from "./client-secret.ts";
import { type ProviderFields, providerFields } from "./provider-fields.ts";
import { redirectUriOf } from "./provider-row.ts";

/** The secret or private key of a provider: itself, or the file on the server that contains it. */
export interface GivenSecret {
  secret?: string | undefined;
  /** For the command line only: whoever names files of the server could send their contents to a provider. */
  secretFile?: string | undefined;
}

/** Adds a provider. Nothing is asked of it yet. */
export async function addProvider({
  ctx,
  tools: { sealing, addresses },
  input: { secret, secretFile, ...given },
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: SsrfGuard };
  input: NewFields<ProviderFields> & GivenSecret;
}): Promise<{ id: string; redirectUri: string }> {
  requireAdmin(ctx);
  const fields = checkProvider(withDefaults(providerFields, given), addresses);
  requireSecretFor(fields.clientAuth, { secret, secretFile });
  const { id } = fields;
  const sealed = secret === undefined ? null : sealSecret(sealing, id, secret);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const all = yield* tx.all<{ id: string }>("select id from provider");
    if (all.some((one) => one.id === id)) throw new Refusal("conflict", `there is a provider ${id} already`);
    if (all.length >= limits.providersMax) {
      throw new Refusal("conflict", `there are ${limits.providersMax} providers already; remove one first`);
    }
    yield* insertStep(tx, "provider", {
      ...columnsOf(providerFields, fields),
      ...{ secret: sealed, secret_file: secretFile ?? null, created_at: now },
    });
    yield* audit(tx, ctx, auditId, "provider.add", `provider ${id}`, { to: fields });
  });
  ctx.changed?.({ kind: "provider", id });
  return { id, redirectUri: redirectUriOf(await readPublicUrl(ctx.store, ctx.publicUrl), id) };
}

function requireSecretFor(clientAuth: string, { secret, secretFile }: GivenSecret) {
  if (secret !== undefined && secretFile !== undefined) {
    throw new Refusal("invalid_input", "give either the secret or the file that contains it");
  }
  const given = secret !== undefined || secretFile !== undefined;
  if (clientAuth !== "none" && !given) throw new Refusal("invalid_input", "give the provider's secret or private key");
  if (clientAuth === "none" && given)
    throw new Refusal("invalid_input", "without proof of the client there is no secret");
}
