import { Refusal } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Edge } from "./edge.ts";

/**
 * A page of another site can send a cookie along, but cannot forge where it stands. Browsers that hold the connection
 * for unsafe tell their origin only: this host, or the public URL where a proxy in front names another host.
 */
export async function refuseCrossSite({ context }: Pick<Edge, "context">, { method, headers }: Request): Promise<void> {
  if (method === "GET" || method === "HEAD") return;
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  const origin = URL.parse(headers.get("origin") ?? "");
  if (site !== null || origin === null) throw new Refusal("cross_site_request");
  if (origin.host === headers.get("host")) return;
  const own = URL.parse(await readPublicUrl(context.store, context.publicUrl));
  if (origin.origin === "null" || origin.origin !== own?.origin) throw new Refusal("cross_site_request");
}
