import type { Row, Step, Tx } from "../core/store.ts";
import type { RunRow } from "./run.ts";

export type CreditKind = "grant" | "hold" | "settle" | "release" | "adjust";

interface Entry {
  id: string;
  at: number;
  kind: CreditKind;
  /** Change of the balance: positive adds credits. */
  amount: number;
  runId?: string;
  attempt?: number;
  note?: string;
  actorName: string;
}

/** The balance of credits; null before the first grant, while credits are counted but not limited. */
export function* balanceStep(tx: Tx): Step<number | null> {
  const row = yield* tx.one<Row & { credits: number | null }>("select credits from organisation limit 1");
  return row?.credits ?? null;
}

/** Changes the balance and adds an entry to the ledger. False, with nothing changed, when the balance would become negative. */
export function* creditStep(tx: Tx, entry: Entry): Step<boolean> {
  const changed = yield* tx.one<{ credits: number }>(
    `update organisation set credits = coalesce(credits, 0) + $1
     where coalesce(credits, 0) + $1 >= 0 returning credits`,
    [entry.amount],
  );
  if (!changed) return false;
  yield* tx.run(
    `insert into credit_entry (id, at, kind, amount, balance, run_id, attempt, note, actor_name)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      entry.id,
      entry.at,
      entry.kind,
      entry.amount,
      changed.credits,
      entry.runId ?? null,
      entry.attempt ?? null,
      entry.note ?? null,
      entry.actorName,
    ],
  );
  return true;
}

/**
 * Settles the credits of an attempt: releases all that it held, then takes what it used, at most as much as it held. A run
 * that holds nothing, because it was claimed before the first grant, is only counted.
 */
export function* settleStep(
  tx: Tx,
  run: Pick<RunRow, "id" | "attempt" | "credits_held" | "claimed_at" | "queued_at">,
  used: number,
  { at, newId, actorName }: { at: number; newId: () => string; actorName: string },
): Step<void> {
  if (run.credits_held === 0) {
    yield* countStep(tx, run, used);
    return;
  }
  const about = { at, runId: run.id, attempt: run.attempt, actorName };
  yield* creditStep(tx, { ...about, id: newId(), kind: "release", amount: run.credits_held });
  const taken = Math.min(used, run.credits_held);
  if (taken > 0) yield* creditStep(tx, { ...about, id: newId(), kind: "settle", amount: -taken });
}

/**
 * Settles a completion that comes after the lease has ended. The hold was released when the lease ended; now what the
 * attempt used is taken, at most as much as it had held and as much as the balance still has.
 */
export function* settleLateStep(
  tx: Tx,
  run: Pick<RunRow, "id" | "attempt" | "state" | "claimed_at" | "queued_at">,
  used: number,
  { at, newId, actorName }: { at: number; newId: () => string; actorName: string },
): Step<void> {
  // A run that was queued again already has the number of its next attempt; the completion belongs to the one before.
  const attempt = run.state === "failed" ? run.attempt : run.attempt - 1;
  const hold = yield* tx.one<Row & { amount: number }>(
    "select amount from credit_entry where run_id = $1 and attempt = $2 and kind = 'hold'",
    [run.id, attempt],
  );
  if (!hold) {
    yield* countStep(tx, run, used);
    return;
  }
  const taken = Math.min(used, -hold.amount, (yield* balanceStep(tx)) ?? 0);
  if (taken === 0) return;
  yield* creditStep(tx, { id: newId(), at, kind: "settle", amount: -taken, runId: run.id, attempt, actorName });
}

/**
 * Counts the credits of a run that was claimed before the first grant. A later run that holds nothing belongs to a
 * repository whose runs are free.
 */
function* countStep(tx: Tx, run: Pick<RunRow, "claimed_at" | "queued_at">, used: number): Step<void> {
  if (used === 0) return;
  const first = yield* tx.one<Row & { at: number }>("select at from credit_entry order by id limit 1");
  if (first && first.at <= (run.claimed_at ?? run.queued_at)) return;
  yield* tx.run("update organisation set credits_counted = credits_counted + $1", [used]);
}
