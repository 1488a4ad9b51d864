import { type Context, requireMember } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { Span } from "../core/time-range.ts";
import { requireProject } from "../reports/project.ts";
import { type Counts, readCounts, sumOf } from "./counts.ts";
import { latencyQuantile } from "./latency.ts";
import { type Refused, refusedIn } from "./refused.ts";
import { type LevelCounts, levelsIn, presentSpan } from "./show-volume.ts";
import { type ProjectStorage, projectStorage, type Space } from "./storage.ts";
import { type TokenCounts, tokensIn } from "./tickets-by-token.ts";

export interface Overview {
  since: string;
  until: string;
  stepSeconds: number;
  at: string[];
  reports: LevelCounts[];
  repeats: number[];
  totals: {
    reports: number;
    repeats: number;
    /** Share of repeats in all received reports; null when there were none. */
    repeatShare: number | null;
    refused: number;
    tickets: number;
    replays: number;
    mismatches: number;
  };
  refused: Refused[];
  deliveries: {
    delivered: number[];
    dead: number[];
    totals: { delivered: number; dead: number; waiting: number; waitingAtLeast: boolean };
    /** Requests to subscribers: a delivery may take several. */
    attempts: { accepted: number; failed: number };
    /** Times from the receipt of a report to its first POST. */
    firstPostP95Ms: number | null;
  };
  tickets: TokenCounts[];
  runs: { state: string; count: number }[];
  storage: ProjectStorage;
}

/** The overview of a project. It reads counts and sums only, so that it takes the same time with a million reports. */
export async function showOverview({
  ctx,
  input: { projectId, span },
  space,
}: {
  ctx: Context;
  input: { projectId: string; span: Span };
  space: () => Space;
}): Promise<Overview> {
  requireMember(ctx);
  await requireProject(ctx.store, projectId);
  const now = ctx.now();
  const counts = await readCounts(ctx.store, projectId, span, now);
  const everywhere = await readCounts(ctx.store, "", span, now);
  const reports = levelsIn(counts);
  const received = sumOf(reports.map((one) => sumOf(one.counts)));
  const repeats = counts.bars("repeat");
  const repeated = sumOf(repeats);
  const refused = refusedIn(counts, everywhere);
  return {
    ...presentSpan(span, counts),
    reports,
    repeats,
    totals: {
      reports: received,
      repeats: repeated,
      repeatShare: received + repeated === 0 ? null : repeated / (received + repeated),
      refused: sumOf(refused.map(({ count }) => count)),
      tickets: counts.total("ticket"),
      replays: counts.total("replay"),
      mismatches: counts.total("mismatch"),
    },
    refused,
    deliveries: await deliveriesOf(ctx.store, projectId, counts),
    tickets: await tokensIn(ctx.store, counts),
    runs: await runsOf(ctx.store, projectId, span),
    storage: await projectStorage({ store: ctx.store, now, projectId, space }),
  };
}

const waitingMax = 1_000;

async function deliveriesOf(store: Reader, projectId: string, counts: Counts): Promise<Overview["deliveries"]> {
  const subscribers = await store.all<{ id: string }>(
    "select id from subscriber where project_id = $1 or project_id is null order by id limit 100",
    [projectId],
  );
  let waiting = 0;
  let waitingAtLeast = false;
  for (const { id } of subscribers) {
    const row = await store.one<{ count: number }>(
      `select count(*) as count from
         (select 1 from delivery where subscriber_id in ($1) and state = 'waiting' limit ${waitingMax}) counted`,
      [id],
    );
    waiting += row?.count ?? 0;
    waitingAtLeast ||= row?.count === waitingMax;
  }
  const attempts = counts.totals("attempt");
  const [delivered, dead] = [counts.bars("delivered"), counts.bars("dead")];
  return {
    delivered,
    dead,
    totals: { delivered: sumOf(delivered), dead: sumOf(dead), waiting, waitingAtLeast },
    attempts: { accepted: attempts.get("accepted") ?? 0, failed: attempts.get("failed") ?? 0 },
    firstPostP95Ms: latencyQuantile(counts.totals("first_post"), 0.95),
  };
}

function runsOf(store: Reader, projectId: string, { since, until }: Span): Promise<Overview["runs"]> {
  return store.all<{ state: string; count: number }>(
    `select r.state, count(*) as count
     from agent_run r join ticket t on t.id = r.ticket_id join board_column c on c.id = t.column_id
       join board b on b.id = c.board_id
     where r.state in ('queued', 'waiting', 'claimed', 'running', 'succeeded', 'failed', 'cancelled', 'expired')
       and r.queued_at >= $2 and r.queued_at < $3 and b.project_id = $1
     group by r.state order by r.state`,
    [projectId, since, until],
  );
}
