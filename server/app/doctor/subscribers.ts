import type { Reader } from "../../core/store.ts";
import { bad, counted, good } from "./finding.ts";

const namedMax = 5;
/** Counting stops here: there may be millions. */
const countedMax = 10_000;
const recentMilliseconds = 7 * 86_400_000;

/** Subscribers that get nothing because they are disabled. */
export async function disabledSubscribers(reader: Reader) {
  const rows = await reader.all<{ id: string }>(
    "select id from subscriber where state = 'disabled' order by id limit $1",
    [countedMax],
  );
  if (rows.length === 0) return good("none is disabled");
  return bad("subscriber_disabled", `${counted(rows.length, "subscriber")} disabled: ${named(rows)}`);
}

/** Subscribers whose latest attempts failed so often that attempts pause. */
export async function failingSubscribers(reader: Reader) {
  const rows = await reader.all<{ id: string }>(
    "select id from subscriber where state = 'active' and openings > 0 order by id limit $1",
    [countedMax],
  );
  if (rows.length === 0) return good("none fails again and again");
  return bad("subscriber_failing", `${counted(rows.length, "subscriber fails", "subscribers fail")}: ${named(rows)}`);
}

export async function deadDeliveries(reader: Reader, now: number) {
  const rows = await reader.all<{ id: string; count: number }>(
    `select subscriber_id as id, cast(count(*) as integer) as count from
       (select subscriber_id from delivery where state = 'dead' and ended_at >= $1 limit ${countedMax}) dead
     group by subscriber_id order by subscriber_id`,
    [now - recentMilliseconds],
  );
  if (rows.length === 0) return good("none was given up in the last 7 days");
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const text = `${count >= countedMax ? "at least " : ""}${counted(count, "delivery", "deliveries")} given up in the last 7 days`;
  return bad("deliveries_dead", `${text}, of ${counted(rows.length, "subscriber")}: ${named(rows)}`);
}

function named(rows: readonly { id: string }[]): string {
  const ids = rows.slice(0, namedMax).map(({ id }) => id);
  return rows.length > namedMax ? `${ids.join(", ")} and more` : ids.join(", ");
}
