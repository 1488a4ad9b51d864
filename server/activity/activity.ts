import type { Actor } from "../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Reader, Row, Step, Tx } from "../core/store.ts";

/** What happened to a ticket, and who did it under the name they had then. */
export interface ActivityView {
  at: string;
  actor: string;
  kind: string;
  detail?: unknown;
}

/** An entry of the activity for the page, which draws each kind of actor differently. */
export interface ActivityEntry {
  number: number;
  at: string;
  actor: ActorView;
  kind: string;
  detail: unknown;
}

export interface ActorView {
  kind: "member" | "token" | "agent" | "operator";
  id: string | null;
  name: string;
}

export function actorView(actor: Actor): ActorView {
  return { kind: actor.kind, id: actor.kind === "operator" ? null : actor.id, name: actor.name };
}

export function* activityStep(
  tx: Tx,
  ticketId: string,
  entry: { at: number; actor: Actor; kind: string; detail?: unknown },
): Step<void> {
  const { actor } = entry;
  yield* tx.run(entry.kind === "created" ? insertFirst : insertNext, [
    ticketId,
    entry.at,
    actor.kind,
    actor.kind === "operator" ? null : actor.id,
    actor.name,
    entry.kind,
    entry.detail === undefined ? null : JSON.stringify(entry.detail),
  ]);
}

const insertAs = (number: string) =>
  `insert into activity (ticket_id, number, at, actor_kind, actor_id, actor_name, kind, detail)
   values ($1, ${number}, $2, $3, $4, $5, $6, $7)`;
/** A ticket is created once, and nothing happens to it before. */
const insertFirst = insertAs("1");
const insertNext = insertAs("(select coalesce(max(number), 0) + 1 from activity where ticket_id in ($1))");

interface ActivityRow extends Row {
  number: number;
  at: number;
  actor_kind: ActorView["kind"];
  actor_id: string | null;
  actor_name: string;
  kind: string;
  detail: string | null;
}

const columns = "number, at, actor_kind, actor_id, actor_name, kind, detail";

/** The whole activity of a ticket, oldest first. */
export async function activityOf(store: Reader, ticketId: string): Promise<ActivityView[]> {
  const rows = await store.all<ActivityRow>(`select ${columns} from activity where ticket_id = $1 order by number`, [
    ticketId,
  ]);
  return rows.map(({ at, actor_name, kind, detail }) => ({
    at: new Date(at).toISOString(),
    actor: actor_name,
    kind,
    ...(detail === null ? {} : { detail: JSON.parse(detail) }),
  }));
}

/** A page of the activity of a ticket, newest first. */
export async function activityPage(store: Reader, ticketId: string, page: PageInput): Promise<Page<ActivityEntry>> {
  const [before = highest] = decodeCursor(page.cursor, ["number"]);
  const rows = await store.all<ActivityRow>(
    `select ${columns} from activity where ticket_id = $1 and number < $2 order by number desc limit $3`,
    [ticketId, before, page.limit + 1],
  );
  return pageOf(rows, page.limit, (row) => [row.number], presentEntry);
}

/** Reads the entry that was just written. */
export function* newestStep(tx: Tx, ticketId: string): Step<ActivityEntry> {
  const row = yield* tx.one<ActivityRow>(
    `select ${columns} from activity where ticket_id = $1 order by number desc limit 1`,
    [ticketId],
  );
  if (!row) throw new Error("a ticket has at least one entry");
  return presentEntry(row);
}

export function* entryStep(tx: Tx, ticketId: string, number: number): Step<ActivityEntry | undefined> {
  const row = yield* tx.one<ActivityRow>(`select ${columns} from activity where ticket_id = $1 and number = $2`, [
    ticketId,
    number,
  ]);
  return row && presentEntry(row);
}

function presentEntry(row: ActivityRow): ActivityEntry {
  return {
    number: row.number,
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    kind: row.kind,
    detail: row.detail === null ? null : JSON.parse(row.detail),
  };
}
