import { type Context, requireMember } from "../core/context.ts";

interface Credits {
  /** Null while nobody has granted any: runs are not limited, and what they use is counted. */
  balance: number | null;
  /** By runs under way. */
  held: number;
  /** By all runs that have ended, also before the first grant. */
  used: number;
}

export async function showCredits({ ctx }: { ctx: Context }): Promise<Credits> {
  requireMember(ctx);
  const { store } = ctx;
  const [organisation, held, used] = await Promise.all([
    store.one<{ credits: number | null; credits_counted: number }>(
      "select credits, credits_counted from organisation limit 1",
    ),
    store.one<{ credits: number }>(
      `select cast(coalesce(sum(credits_held), 0) as bigint) as credits from agent_run
       where lease_until is not null`,
    ),
    store.one<{ credits: number }>(
      "select cast(coalesce(-sum(amount), 0) as bigint) as credits from credit_entry where kind = 'settle'",
    ),
  ]);
  return {
    balance: organisation?.credits ?? null,
    held: held?.credits ?? 0,
    used: (organisation?.credits_counted ?? 0) + (used?.credits ?? 0),
  };
}
