import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { type ChangedFields, columnsOf, shownFields } from "../../core/fields.ts";
import { pick } from "../../core/pick.ts";
import type { Sealing } from "../../core/sealing.ts";
import { updateStep } from "../../core/write-row.ts";
import type { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { auditedFields, checkSubscriber, requireReach } from "./check-subscriber.ts";
import { headerColumns } from "./own-headers.ts";
import { type SubscriberFields, subscriberFields } from "./subscriber-fields.ts";
import { listOf } from "./subscriber-row.ts";
import { subscriberStep } from "./subscriber-rows.ts";

/** Absent members stay as they are; lists are replaced as a whole. */
export type SubscriberUpdate = ChangedFields<SubscriberFields> & {
  /** In the form that `parseOwnHeaders` returns; null removes all headers. */
  headers?: Record<string, string> | null | undefined;
};

/**
 * Changes fields of a subscriber, from the next attempt on and for waiting deliveries too. A new address is checked
 * like the first one and starts without failures; a disabled subscriber stays disabled. Own headers are not kept for
 * another origin: their values are secret, and the new receiver could read them.
 */
export async function updateSubscriber({
  ctx,
  tools: { sealing, addresses },
  input: {
    id,
    update: { headers, ...update },
  },
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: SsrfGuard };
  input: { id: string; update: SubscriberUpdate };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const given = await checkSubscriber(update, addresses);
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const row = yield* subscriberStep(tx, id);
    if (given.types) requireReach(row.project_id, given.types);
    const isNew = given.url !== undefined && given.url !== row.url;
    const isElsewhere = isNew && new URL(given.url ?? "").origin !== new URL(row.url).origin;
    if (isElsewhere && headers === undefined && row.header_names !== null) {
      throw new Refusal(
        "conflict",
        "its headers were made for another origin; give them again, or say that it has none",
      );
    }
    const before = pick(shownFields(subscriberFields, row), Object.keys(given) as (keyof SubscriberFields)[]);
    if (headers === undefined && Bun.deepEquals(before, given)) return { id };
    yield* updateStep(tx, "subscriber", id, {
      ...columnsOf(subscriberFields, given),
      ...(headers === undefined ? {} : headerColumns(id, headers, sealing)),
      ...(isNew ? { failures: 0, failing_since: null, openings: 0, open_until: null } : {}),
    });
    const [from, to] = [auditedFields(before), auditedFields(given)];
    if (headers !== undefined) {
      from["headers"] = listOf(row.header_names);
      to["headers"] = Object.keys(headers ?? {});
    }
    yield* audit(tx, ctx, auditId, "subscriber.update", `subscriber ${id}`, { from, to });
    return { id };
  });
}
