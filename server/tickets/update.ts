import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import { activityStep } from "./activity.ts";

/** Renames a card. A replay of the key that made it still gives the first answer. */
export async function updateTicket({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; title: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const title = requireTitle(input.title);
  const now = ctx.now();
  return ctx.store.write(function* (tx) {
    const ticket = yield* tx.one<{ title: string }>("select title from ticket where id = $1", [id]);
    if (!ticket) throw new Refusal("not_found", `there is no ticket ${id}`);
    yield* tx.run("update ticket set title = $2 where id = $1", [id, title]);
    const detail = { field: "title", from: ticket.title, to: title };
    yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "edited", detail });
    return { id };
  });
}

/** The same rule as for `title` in the API. */
export function requireTitle(title: string): string {
  if (title === "" || longerThan(title, limits.titleMax) || !isPlain(title)) {
    throw new Refusal("invalid_input", `a title has 1 to ${limits.titleMax} characters, none of them U+0000`);
  }
  return title;
}
