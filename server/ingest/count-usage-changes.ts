import { Periodic } from "../core/periodic.ts";
import type { Store } from "../core/store.ts";

const everyMilliseconds = 500;
const changesMax = 10_000;
const withinMilliseconds = 1_000;

/** Counts some of the changes; `count` says how many, 0 once none is left. */
export const countUsageChanges = `with gone as (
    delete from project_usage_change where ctid = any(array(select ctid from project_usage_change limit ${changesMax}))
    returning project_id, events, bytes, file_bytes, day, day_bytes
  ), newest as (
    select project_id, sum(events) as events, sum(bytes) as bytes, sum(file_bytes) as file_bytes, max(day) as day
    from gone group by project_id
  ), counted as (
    insert into project_usage as u (project_id, events, bytes, file_bytes, day, day_bytes)
    select n.project_id, n.events, n.bytes, n.file_bytes, n.day,
      (select sum(g.day_bytes) from gone g where g.project_id = n.project_id and g.day = n.day)
    from newest n where exists (select 1 from project p where p.id = n.project_id)
    on conflict (project_id) do update set
      events = u.events + excluded.events, bytes = u.bytes + excluded.bytes,
      file_bytes = u.file_bytes + excluded.file_bytes,
      day_bytes = case when excluded.day < u.day then u.day_bytes
        when excluded.day = u.day then u.day_bytes + excluded.day_bytes else excluded.day_bytes end,
      day = greatest(u.day, excluded.day)
  )
  select cast(count(*) as integer) as count from gone`;

/** On PostgreSQL: adds the changes of what projects keep to their counts. Until then `project_usage_now` adds them up. */
export class UsageChanges extends Periodic {
  constructor(store: Store) {
    super({
      turn: () => countAll(store),
      every: everyMilliseconds,
      failed: "changes of what projects keep could not be counted and will be again",
    });
  }
}

async function countAll(store: Store): Promise<void> {
  if (!(await store.one("select 1 as one from project_usage_change limit 1"))) return;
  let counted: number;
  do {
    const done = await store.writeDerived((tx) => tx.one<{ count: number }>(countUsageChanges), {
      within: withinMilliseconds,
    });
    counted = done.value?.count ?? 0;
  } while (counted === changesMax);
}
