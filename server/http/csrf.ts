import { Refusal } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Edge } from "./edge.ts";

/**
 * Refuses a change that a page of another site sends with the member's cookie: such a page cannot forge `Sec-Fetch-Site`
 * and `Origin`. Over plain HTTP browsers send `Origin` alone: it has to be the host of this request, or the public URL
 * where a proxy passes on another host.
 */
export async function refuseCrossSite({ context }: Pick<Edge, "context">, { method, headers }: Request): Promise<void> {
  if (method === "GET" || method === "HEAD") return;
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  const origin = URL.parse(headers.get("origin") ?? "");
  if (site !== null || origin === null) throw new Refusal("cross_site_request");
  if (origin.host === headers.get("host")) return;
  const expected = URL.parse(await readPublicUrl(context.store, context.publicUrl));
  if (origin.origin === "null" || origin.origin !== expected?.origin) throw new Refusal("cross_site_request");
}
