import type { RequestEntry } from "../core/request-entry.ts";
import type { Step, Tx } from "../core/store.ts";

/** Requests of one token, in the order of their arrival. */
export interface TokenUse {
  tokenId: string;
  /** The network of the first request. */
  network: string | undefined;
  entries: readonly RequestEntry[];
}

const dayMilliseconds = 86_400_000;

/** Records how the token was used last. */
export function* useStep(tx: Tx, { tokenId, network, entries }: TokenUse): Step<void> {
  const last = entries.findLast(({ status }) => status !== 401);
  if (!last) return;
  const mismatches = entries.filter(({ mismatch }) => mismatch).length;
  yield* tx.run(
    `update api_token set last_used_at = $2, last_status = $3, last_network = coalesce($4, last_network),
       mismatches = mismatches + $5
     where id = $1`,
    [tokenId, last.at, last.status, network ?? null, mismatches],
  );
}

/** Counts requests with a token that was revoked; true for the first ones of a day (UTC). */
export function* lateStep(tx: Tx, group: TokenUse): Step<boolean> {
  const late = group.entries.filter(({ status }) => status === 401);
  const last = late.at(-1);
  if (!last) return false;
  const before = yield* tx.one<{ late_at: number | null }>("select late_at from api_token where id = $1", [
    group.tokenId,
  ]);
  const calls = late.reduce((count, { unlogged = 0 }) => count + 1 + unlogged, 0);
  yield* tx.run(
    `update api_token set late_calls = late_calls + $2, late_at = $3, late_network = coalesce($4, late_network)
     where id = $1`,
    [group.tokenId, calls, last.at, group.network ?? null],
  );
  return dayOf(before?.late_at ?? null) !== dayOf(last.at);
}

export function isLate({ entries }: TokenUse): boolean {
  return entries.some(({ status }) => status === 401);
}

function dayOf(time: number | null): number | undefined {
  return time === null ? undefined : Math.floor(time / dayMilliseconds);
}
