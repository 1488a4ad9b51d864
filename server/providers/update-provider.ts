import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { type ChangedFields, columnsOf, shownFields } from "../core/fields.ts";
import { pick } from "../core/pick.ts";
import type { Sealing } from "../core/sealing.ts";
import { updateStep } from "../core/write-row.ts";
import type { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import type { GivenSecret } from "./add-provider.ts";
import { checkProvider } from "./check-provider.ts";
import { sealSecret } from "./client-secret.ts";
import { type ProviderFields, providerFields } from "./provider-fields.ts";
import { providerStep } from "./provider-row.ts";

/** Changes a provider from the next sign-in on. The issuer never changes: a secret goes to nobody else. */
export async function updateProvider({
  ctx,
  tools: { sealing, addresses },
  input: { id, secret, secretFile, ...update },
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: SsrfGuard };
  input: { id: string } & ChangedFields<ProviderFields> & GivenSecret;
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  if (secret !== undefined && secretFile !== undefined) {
    throw new Refusal("invalid_input", "give either the secret or the file that contains it");
  }
  const given = checkProvider(update, addresses);
  const sealed = secret === undefined ? undefined : sealSecret(sealing, id, secret);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const row = yield* providerStep(tx, id);
    const from: Record<string, unknown> = pick(
      shownFields(providerFields, row),
      Object.keys(given) as (keyof ProviderFields)[],
    );
    const to: Record<string, unknown> = { ...given };
    const newSecret = sealed !== undefined || secretFile !== undefined;
    if (newSecret) to["secret"] = secretFile ?? "given";
    const hasSecret = newSecret || row.secret !== null || row.secret_file !== null;
    const clientAuth = given.clientAuth ?? row.client_auth;
    if (clientAuth !== "none" && !hasSecret) {
      throw new Refusal("invalid_input", "give the provider's secret or private key");
    }
    if (given.clientAuth !== undefined && given.clientAuth !== row.client_auth && clientAuth !== "none" && !newSecret) {
      throw new Refusal("invalid_input", "give what proves the client anew: a secret is no private key");
    }
    yield* updateStep(tx, "provider", id, {
      ...columnsOf(providerFields, given),
      ...(newSecret ? { secret: sealed ?? null, secret_file: secretFile ?? null } : {}),
      ...(clientAuth === "none" ? { secret: null, secret_file: null } : {}),
    });
    yield* audit(tx, ctx, auditId, "provider.update", `provider ${id}`, { from, to });
  });
  ctx.changed?.({ kind: "provider", id });
  return { id };
}
