import { type Context, Refusal } from "../core/context.ts";
import { type FieldRow, type ShownFields, shownFields } from "../core/fields.ts";
import type { Reader, Row, Step, Tx } from "../core/store.ts";
import { type ProviderFields, providerFields } from "./provider-fields.ts";

/** A row of the table `provider`. Times are epoch milliseconds. */
export interface ProviderRow extends Row, FieldRow<ProviderFields> {
  id: string;
  issuer: string;
  /** Sealed; null without one, and empty when the key that sealed it is lost. */
  secret: Uint8Array | null;
  /** The file on the server that contains the secret instead. */
  secret_file: string | null;
  created_at: number;
}

/** A provider with its fields as people gave them. */
export interface Provider extends ShownFields<ProviderFields> {
  secret: Uint8Array | null;
  secretFile: string | null;
}

/** What a sealed secret is bound to: in another row it cannot be opened. */
export const secretAbout = (providerId: string) => `secret of provider ${providerId}`;

export const selectProviders = "select * from provider order by name, id";
const selectProvider = "select * from provider where id = $1";

function providerOf(row: ProviderRow): Provider {
  return { ...shownFields(providerFields, row), secret: row.secret, secretFile: row.secret_file };
}

/** Throws `not_found` for an id that no provider has. */
export async function requireProvider(store: Reader, id: string): Promise<Provider> {
  const row = await store.one<ProviderRow>(selectProvider, [id]);
  if (!row) throw noProvider(id);
  return providerOf(row);
}

export function* providerStep(tx: Tx, id: string): Step<ProviderRow> {
  const row = yield* tx.one<ProviderRow>(selectProvider, [id]);
  if (!row) throw noProvider(id);
  return row;
}

function noProvider(id: string): Refusal {
  return new Refusal("not_found", `there is no provider ${JSON.stringify(id.slice(0, 40))}`);
}

/** The providers that a person can choose at the sign-in. */
export async function offeredProviders({ store }: Pick<Context, "store">): Promise<{ id: string; name: string }[]> {
  return store.all<{ id: string; name: string }>(
    "select id, name from provider where state = 'enabled' order by name, id",
  );
}

/** Where a provider sends people back to: an address of its own, so that no provider's answer counts as another's. */
export function redirectUriOf(publicUrl: string, providerId: string): string {
  return `${publicUrl}/sign-in/callback/${providerId}`;
}
