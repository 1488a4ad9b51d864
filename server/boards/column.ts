import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { Category } from "./categories.ts";

export interface ColumnRow extends Row {
  id: string;
  name: string;
  category: Category;
  card_limit: number | null;
  board_id: string;
  project_id: string;
}

export function* columnStep(tx: Tx, id: string): Step<ColumnRow> {
  const column = yield* tx.one<ColumnRow>(
    `select c.id, c.name, c.category, c.card_limit, c.board_id, b.project_id
     from board_column c join board b on b.id = c.board_id join project p on p.id = b.project_id
     where c.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!column) throw new Refusal("column_not_found", `there is no column ${id}`);
  return column;
}

/** How many cards a column is meant to hold; more are shown as too many, and never refused. */
export function requireCardLimit(limit: number | null): number | null {
  if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > limits.cardLimitMax)) {
    throw new Refusal("invalid_input", `the limit of a column is a whole number from 1 to ${limits.cardLimitMax}`);
  }
  return limit;
}
