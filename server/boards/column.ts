import { limits } from "../../openapi/schema/limits.ts";
import type { FieldRules } from "../core/check-fields.ts";
import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import type { ColumnFields } from "./column-fields.ts";
import type { ColumnRow } from "./column-row.ts";

export type PlacedColumn = ColumnRow & { project_id: string };

export function* columnStep(tx: Tx, id: string): Step<PlacedColumn> {
  const column = yield* tx.one<PlacedColumn>(
    `select c.*, b.project_id
     from board_column c join board b on b.id = c.board_id join project p on p.id = b.project_id
     where c.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!column) throw new Refusal("column_not_found", `there is no column ${id}`);
  return column;
}

export const columnRules: FieldRules<ColumnFields> = { limit: requireCardLimit };

/** How many cards a column is meant to hold; more are shown as too many, and never refused. */
function requireCardLimit(limit: number | null): number | null {
  if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > limits.cardLimitMax)) {
    throw new Refusal("invalid_input", `the limit of a column is a whole number from 1 to ${limits.cardLimitMax}`);
  }
  return limit;
}
