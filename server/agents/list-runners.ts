import { type Context, requireAdmin } from "../core/context.ts";
import type { Row } from "../core/store.ts";
import { hasScope } from "../credentials/authenticate.ts";
import { runLimits } from "./run-limits.ts";

/** A machine that has asked for runs. */
interface RunnerView {
  name: string;
  version: string;
  labels: string[];
  /** When the machine last claimed a run or sent a heartbeat. ISO 8601. */
  seenAt: string;
  online: boolean;
  token: { id: string; name: string; mayExecute: boolean };
  /** Runs that the machine executes now, at most 20. */
  runs: { id: string; title: string }[];
}

interface RunnerRow extends Row {
  name: string;
  version: string;
  labels: string;
  seen_at: number;
  token_id: string;
  token_name: string;
  scopes: string;
  revoked_at: number | null;
}

interface HeldRow extends Row {
  id: string;
  title: string;
  heartbeat_at: number | null;
}

const runnersMax = 200;
const heldMax = 20;

/** The 200 machines that were seen last, the latest first. */
export async function listRunners({ ctx }: { ctx: Context }): Promise<{ items: RunnerView[] }> {
  requireAdmin(ctx);
  const now = ctx.now();
  const rows = await ctx.store.all<RunnerRow>(
    `select u.name, u.version, u.labels, u.seen_at, u.token_id, t.name as token_name, t.scopes, t.revoked_at
     from runner u join api_token t on t.id = u.token_id order by u.seen_at desc, u.token_id, u.name limit ${runnersMax}`,
  );
  const items: RunnerView[] = [];
  for (const row of rows) {
    const held = await ctx.store.all<HeldRow>(
      `select r.id, k.title, r.heartbeat_at from agent_run r join ticket k on k.id = r.ticket_id
       where r.lease_until is not null and r.runner_token_id = $1 and r.runner_name = $2
         and r.state in ('claimed', 'running') order by r.id limit ${heldMax}`,
      [row.token_id, row.name],
    );
    const seenAt = Math.max(row.seen_at, ...held.map(({ heartbeat_at }) => heartbeat_at ?? 0));
    const mayExecute = row.revoked_at === null && hasScope(row.scopes, "runs:execute");
    items.push({
      name: row.name,
      version: row.version,
      labels: JSON.parse(row.labels) as string[],
      seenAt: new Date(seenAt).toISOString(),
      online: mayExecute && seenAt > now - runLimits.runnerSeenMilliseconds,
      token: { id: row.token_id, name: row.token_name, mayExecute },
      runs: held.map(({ id, title }) => ({ id, title })),
    });
  }
  return { items };
}
