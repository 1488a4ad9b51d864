import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { auditedOptions, columnsOf, type GivenOptions, type OptionTools } from "./option-values.ts";
import { subscriberStep } from "./subscriber-rows.ts";

/**
 * Sets options of a subscriber, from the next attempt on, for what already waits too. A new address is checked like the
 * first one, and begins as if nothing had ever failed; a disabled subscriber stays disabled. Values of headers are never
 * shown, so they do not go along to another origin, where they could be read.
 */
export async function updateSubscriber({
  ctx,
  tools,
  input: { id, update },
}: {
  ctx: Context;
  tools: OptionTools;
  input: { id: string; update: GivenOptions };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const columns = await columnsOf(id, update, tools);
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const row = yield* subscriberStep(tx, id);
    const url = columns["url"];
    const goesElsewhere = url !== undefined && new URL(url as string).origin !== new URL(row.url).origin;
    if (goesElsewhere && update.headers === undefined && row.header_names !== null) {
      throw new Refusal(
        "conflict",
        "its headers were made for another origin; give them again, or say that it has none",
      );
    }
    for (const [column, value] of Object.entries(columns)) {
      yield* tx.run(`update subscriber set ${column} = $2 where id = $1`, [id, value]);
    }
    if (url !== undefined && url !== row.url) {
      yield* tx.run(
        "update subscriber set failures = 0, failing_since = null, openings = 0, open_until = null where id = $1",
        [id],
      );
    }
    const before = Object.fromEntries(Object.keys(columns).map((column) => [column, row[column] ?? null]));
    const [from, to] = [auditedOptions(before), auditedOptions(columns)];
    yield* audit(tx, ctx, auditId, "subscriber.update", `subscriber ${id}`, { from, to });
    return { id };
  });
}
