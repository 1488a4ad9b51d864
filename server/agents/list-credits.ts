import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import type { CreditKind } from "./credits.ts";

interface CreditEntry {
  id: string;
  at: string;
  kind: CreditKind;
  /** Change of the balance. */
  amount: number;
  /** The balance after the change. */
  balance: number;
  runId?: string;
  attempt?: number;
  note?: string;
  actor: string;
}

interface EntryRow extends Row {
  id: string;
  at: number;
  kind: CreditKind;
  amount: number;
  balance: number;
  run_id: string | null;
  attempt: number | null;
  note: string | null;
  actor_name: string;
}

/** One page of the ledger of credits, newest entry first. */
export async function listCredits({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<CreditEntry>> {
  requireAdmin(ctx);
  const [before = "g"] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<EntryRow>("select * from credit_entry where id < $1 order by id desc limit $2", [
    before,
    input.limit + 1,
  ]);
  return pageOf(rows, input.limit, (row) => [row.id], present);
}

function present({ id, at, kind, amount, balance, run_id, attempt, note, actor_name }: EntryRow): CreditEntry {
  return {
    id,
    at: new Date(at).toISOString(),
    kind,
    amount,
    balance,
    ...(run_id === null ? {} : { runId: run_id }),
    ...(attempt === null ? {} : { attempt }),
    ...(note === null ? {} : { note }),
    actor: actor_name,
  };
}
