import type { Sql, Value } from "../core/store.ts";
import { scannedColumns } from "./report-row.ts";

/** Reports that a statement lists without the search index, newest first. */
export interface ReportSet {
  /** $1 to $4: project, time of receipt and id below which to begin, earliest time of receipt; $7: how many. */
  select: Sql;
}

/** A set that an `is:` filter asks for. */
export interface FilteredSet extends ReportSet {
  is: "repeated" | "undelivered";
  /** Counts the set, or more than it, up to $1. */
  count: string;
  /** The parameters of {@link count} from $2 on. */
  countOf(projectId: string, since: number): Value[];
  /** Up to this number it is quicker to compare each report of the set than to let the index propose others. */
  max: number;
}

const listed = (also = "", from = "event e") => `select ${scannedColumns} from ${from}
  where e.project_id in ($1) and (e.received_at, e.id) < ($2, $3) and e.received_at >= $4${also}
  order by e.received_at desc, e.id desc limit $7`;

export const everything: ReportSet = { select: listed() };

export const repeated: FilteredSet = {
  is: "repeated",
  select: listed(" and e.repeat_count > 0"),
  count: `select cast(count(*) as integer) as count from (
    select 1 from event where project_id = $2 and received_at >= $3 and repeat_count > 0 limit $1) as counted`,
  countOf: (projectId, since) => [projectId, since],
  max: 10_000,
};

/**
 * Deliveries that have not arrived, of the subscribers of a project; each state by itself, because each has an index.
 */
const open = (project: string) =>
  ["waiting", "leased", "dead"]
    .map(
      (state) => `select message_id from delivery where state = '${state}' and subscriber_id in
      (select id from subscriber where project_id = ${project} or project_id is null)`,
    )
    .join(" union all ");
const reports = (join: string) =>
  `(select distinct m.event_id from (${open("$1")}) o ${join} message m on m.id = o.message_id) u`;

/** Reports with a delivery that has not arrived, found by these deliveries. */
export const undelivered: FilteredSet = {
  is: "undelivered",
  select: {
    // Cross joins, or SQLite would go through all messages or reports and look each up among the deliveries.
    sqlite: listed("", `${reports("cross join")} cross join event e on e.id = u.event_id`),
    postgres: listed("", `${reports("join")} join event e on e.id = u.event_id`),
  },
  count: `select cast(count(*) as integer) as count from (${open("$2")} limit $1) as counted`,
  countOf: (projectId) => [projectId],
  max: 2_000,
};
