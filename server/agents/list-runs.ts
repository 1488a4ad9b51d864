import { type Context, requireMember } from "../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../core/page.ts";
import { onlineRunners } from "./online-runners.ts";
import { isLive, liveStates, type RunState, runStates } from "./run.ts";
import {
  presentRun,
  type RunView,
  type RunViewRow,
  runViewColumns,
  runViewTables,
  runViewVisible,
} from "./run-view.ts";

const endedStates = runStates.filter((state) => !isLive(state));

/** One page of the runs of live boards, newest first, and how many runs each state has (counted up to 10,000). */
export async function listRuns({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { state: RunState | "live" | "ended" | undefined };
}): Promise<Page<RunView> & { counts: Record<RunState, number> }> {
  requireMember(ctx);
  const [time = highest, id = "g"] = decodeCursor(input.cursor, ["number", "string"]);
  const found: RunViewRow[] = [];
  // One query for each state, along the state's index: so few live runs are found at once among millions that have ended.
  for (const state of statesOf(input.state)) {
    found.push(
      ...(await ctx.store.all<RunViewRow>(
        `select ${runViewColumns} from ${runViewTables}
         where r.state = $1 and (r.queued_at, r.id) < ($2, $3) and ${runViewVisible}
         order by r.queued_at desc, r.id desc limit $4`,
        [state, time, id, input.limit + 1],
      )),
    );
  }
  const rows = found.sort((a, b) => b.queued_at - a.queued_at || (a.id < b.id ? 1 : -1)).slice(0, input.limit + 1);
  const hasOnlineRunner = await onlineRunners(ctx.store, ctx.now());
  const counts = {} as Record<RunState, number>;
  for (const state of runStates) {
    const row = await ctx.store.one<{ runs: number }>(
      `select count(*) as runs from (select 1 from agent_run where state = $1 limit ${countMax}) counted`,
      [state],
    );
    counts[state] = row?.runs ?? 0;
  }
  const page = pageOf(
    rows,
    input.limit,
    (row) => [row.queued_at, row.id],
    (row) => presentRun(row, hasOnlineRunner),
  );
  return { ...page, counts };
}

const countMax = 10_000;

function statesOf(state: RunState | "live" | "ended" | undefined): readonly RunState[] {
  if (state === undefined) return runStates;
  if (state === "live") return liveStates;
  return state === "ended" ? endedStates : [state];
}
