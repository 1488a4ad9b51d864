import { Refusal } from "../../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { Reader, Step, Tx } from "../../core/store.ts";
import { isThere } from "../messages/sealed-columns.ts";
import type { SubscriberRow } from "./subscriber-row.ts";

/** A subscriber with the name of its project and counts of its deliveries. */
export interface CountedSubscriberRow extends SubscriberRow {
  project_name: string | null;
  waiting: number;
  dead: number;
  leased: number;
}

/** Deliveries of a subscriber are counted up to this number; 10,001 stands for more than 10,000. */
export const countedMax = 10_000;
const countOf = (state: string) =>
  `(select cast(count(*) as integer) from
     (select 1 from delivery where subscriber_id = s.id and state = '${state}' limit ${countedMax + 1}) counted)`;

const select = `select s.*, p.name as project_name,
    ${countOf("waiting")} as waiting, ${countOf("dead")} as dead, ${countOf("leased")} as leased
  from subscriber s left join project p on p.id = s.project_id`;

/** Subscribers, oldest first: those of one project, or all except those of projects that are being deleted. */
export async function pageOfSubscribers(
  store: Reader,
  { cursor, limit, projectId }: PageInput & { projectId?: string | undefined },
): Promise<Page<CountedSubscriberRow>> {
  const [after = ""] = decodeCursor(cursor, ["string"]);
  const [where, params] = projectId === undefined ? [isThere("s"), []] : ["s.project_id = $3", [projectId]];
  const rows = await store.all<CountedSubscriberRow>(`${select} where s.id > $1 and ${where} order by s.id limit $2`, [
    after,
    limit + 1,
    ...params,
  ]);
  return pageOf(
    rows,
    limit,
    (row) => [row.id],
    (row) => row,
  );
}

/** One subscriber with its counts, unless its project is being deleted. */
export async function countedSubscriber(store: Reader, id: string): Promise<CountedSubscriberRow> {
  const row = await store.one<CountedSubscriberRow>(`${select} where s.id = $1 and ${isThere("s")}`, [id]);
  if (!row) throw new Refusal("not_found");
  return row;
}

/** The row of a subscriber, within a write. */
export function* subscriberStep(tx: Tx, id: string): Step<SubscriberRow> {
  const row = yield* tx.one<SubscriberRow>("select * from subscriber where id = $1", [id]);
  if (!row) throw new Refusal("not_found", `there is no subscriber ${id}`);
  return row;
}
