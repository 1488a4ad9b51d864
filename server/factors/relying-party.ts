import { isIP } from "node:net";
import { type Context, Refusal } from "../core/context.ts";
import { readStoredPublicUrl } from "../core/settings.ts";

/** Where passkeys of this installation work. */
export interface RelyingParty {
  /** The host name that passkeys are bound to. */
  id: string;
  origin: string;
}

/**
 * The public address, as passkeys are bound to it. Where none is set, this machine itself under the name localhost: any
 * other name out of a request may be a stranger's. Throws a Refusal that says why passkeys cannot work.
 */
export async function relyingParty(
  { store, publicUrl }: Pick<Context, "store" | "publicUrl">,
  request: Request,
): Promise<RelyingParty> {
  const stored = await readStoredPublicUrl(store, publicUrl);
  const url = URL.parse(stored ?? request.headers.get("origin") ?? "");
  const local = url !== null && isLocal(url);
  if (stored === undefined && !local) {
    throw new Refusal(
      "conflict",
      "Passkeys need the public address of this installation. An admin sets it under Settings, Organisation.",
    );
  }
  if (!url || !canHavePasskeys(url)) {
    throw new Refusal(
      "conflict",
      "Passkeys need a public address with https and a host name. An admin changes it under Settings, Organisation.",
    );
  }
  return { id: url.hostname, origin: url.origin };
}

/** The origin at which the pages offer passkeys; undefined where they do not, or where none is set. */
export async function passkeyOrigin({
  store,
  publicUrl,
}: Pick<Context, "store" | "publicUrl">): Promise<string | null> {
  const url = URL.parse((await readStoredPublicUrl(store, publicUrl)) ?? "");
  return url && canHavePasskeys(url) ? url.origin : null;
}

/** Browsers have passkeys for host names only, and over https, or on the machine itself. */
function canHavePasskeys(url: URL): boolean {
  if (isLocal(url)) return true;
  return url.protocol === "https:" && !url.hostname.startsWith("[") && isIP(url.hostname) === 0;
}

function isLocal({ hostname, protocol }: URL): boolean {
  return /^https?:$/.test(protocol) && (hostname === "localhost" || hostname.endsWith(".localhost"));
}
