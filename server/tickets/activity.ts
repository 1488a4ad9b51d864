import type { Actor } from "../access/context.ts";
import type { Reader, Row, Step, Tx } from "../store/store.ts";

/** What happened to a ticket, and who did it under the name they had then. */
export interface ActivityView {
  at: string;
  actor: string;
  kind: string;
  detail?: unknown;
}

export function* activityStep(
  tx: Tx,
  ticketId: string,
  entry: { at: number; actor: Actor; kind: string; detail?: unknown },
): Step<void> {
  const { actor } = entry;
  yield* tx.run(
    `insert into activity (ticket_id, number, at, actor_kind, actor_id, actor_name, kind, detail)
     values ($1, (select coalesce(max(number), 0) + 1 from activity where ticket_id in ($1)), $2, $3, $4, $5, $6, $7)`,
    [
      ticketId,
      entry.at,
      actor.kind,
      actor.kind === "operator" ? null : actor.id,
      actor.name,
      entry.kind,
      entry.detail === undefined ? null : JSON.stringify(entry.detail),
    ],
  );
}

interface ActivityRow extends Row {
  at: number;
  actor_name: string;
  kind: string;
  detail: string | null;
}

/** Oldest first. */
export async function activityOf(store: Reader, ticketId: string): Promise<ActivityView[]> {
  const rows = await store.all<ActivityRow>(
    "select at, actor_name, kind, detail from activity where ticket_id = $1 order by number",
    [ticketId],
  );
  return rows.map(({ at, actor_name, kind, detail }) => ({
    at: new Date(at).toISOString(),
    actor: actor_name,
    kind,
    ...(detail === null ? {} : { detail: JSON.parse(detail) }),
  }));
}
