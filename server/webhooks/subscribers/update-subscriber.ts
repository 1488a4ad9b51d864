import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { requireName } from "../../core/names.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Row } from "../../core/store.ts";
import type { Addresses } from "../addresses/addresses.ts";
import type { MessageType } from "../messages/message.ts";
import { headersAbout } from "../messages/sealed-columns.ts";
import { listOf, requireAddress, requireReportTypes, typesOf } from "./subscriber-fields.ts";

/** What is absent stays; lists are replaced. Holds from the next attempt on, for what already waits too. */
export interface SubscriberUpdate {
  url?: string | undefined;
  /** Null: it is called by its host. */
  name?: string | null | undefined;
  types?: readonly MessageType[] | undefined;
  /** Empty: any. */
  reportTypes?: readonly string[] | undefined;
  /** As `parseOwnHeaders` gives them; null: none any more. */
  headers?: Record<string, string> | null | undefined;
}

interface SubscriberRow extends Row {
  url: string;
  name: string | null;
  event_types: string;
  report_types: string | null;
  header_names: string | null;
  headers: Uint8Array | null;
}

/**
 * A new address is checked like the first one, and begins as if nothing had ever failed; a disabled subscriber stays
 * disabled. Values of headers are never shown, so they do not go along to another origin, where they could be read.
 */
export async function updateSubscriber({
  ctx,
  tools: { sealing, addresses },
  input: { id, update },
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: Addresses };
  input: { id: string; update: SubscriberUpdate };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const url = update.url === undefined ? undefined : await requireAddress(addresses, update.url);
  const name = typeof update.name === "string" ? requireName(update.name) : update.name;
  const types = update.types && typesOf(update.types);
  const reportTypes = update.reportTypes && requireReportTypes(update.reportTypes);
  const { headers } = update;
  const names = headers && Object.keys(headers);
  const sealed = headers && sealing.seal(JSON.stringify(headers), headersAbout(id));
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const row = yield* tx.one<SubscriberRow>(
      "select url, name, event_types, report_types, header_names, headers from subscriber where id = $1",
      [id],
    );
    if (!row) throw new Refusal("not_found", `there is no subscriber ${id}`);
    const origin = new URL(row.url).origin;
    if (url && url.origin !== origin && headers === undefined && row.header_names !== null) {
      throw new Refusal(
        "conflict",
        "its headers were made for another origin; give them again, or say that it has none",
      );
    }
    const from: Record<string, unknown> = {};
    const to: Record<string, unknown> = {};
    const differs = (member: string, was: unknown, is: unknown) => {
      from[member] = was;
      to[member] = is;
    };
    // Paths and queries of such addresses are often secrets themselves.
    if (url) differs("url", origin, url.origin);
    if (name !== undefined) differs("name", row.name, name);
    if (types) differs("types", listOf(row.event_types), types);
    if (reportTypes) differs("reportTypes", listOf(row.report_types), reportTypes);
    if (headers !== undefined) differs("headers", listOf(row.header_names), names ?? []);
    yield* tx.run(
      `update subscriber set url = $2, event_types = $3, report_types = $4, header_names = $5, headers = $6, name = $7
       where id = $1`,
      [
        id,
        url?.href ?? row.url,
        types ? JSON.stringify(types) : row.event_types,
        reportTypes ? some(reportTypes) : row.report_types,
        headers === undefined ? row.header_names : some(names ?? []),
        sealed === undefined ? row.headers : sealed,
        name === undefined ? row.name : name,
      ],
    );
    if (url && url.href !== row.url) {
      yield* tx.run(
        "update subscriber set failures = 0, failing_since = null, openings = 0, open_until = null where id = $1",
        [id],
      );
    }
    yield* audit(tx, ctx, auditId, "subscriber.update", `subscriber ${id}`, { from, to });
    return { id };
  });
}

function some(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}
