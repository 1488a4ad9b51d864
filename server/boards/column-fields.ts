import { limits } from "../../openapi/schema/limits.ts";
import type { Fields } from "../core/fields.ts";
import { categories } from "./categories.ts";

/** What people give a column of a board. Every use of these fields derives from this table. */
export const columnFields = {
  boardId: {
    kind: "id",
    column: "board_id",
    required: true,
    fixed: true,
    flag: { name: "board", placeholder: "B", about: "the board" },
  },
  name: {
    kind: "name",
    column: "name",
    required: true,
    label: "Name",
    flag: { name: "name", placeholder: "N", about: "name of the column" },
  },
  category: {
    kind: "choice",
    column: "category",
    of: categories,
    label: "Stands for",
    help: "Cards in a column that stands for done are never overdue.",
  },
  /** Null: none. A column with more cards than this is shown as too full, and never refuses one. */
  limit: {
    kind: "bound",
    column: "card_limit",
    min: 1,
    max: limits.cardLimitMax,
    label: "Limit",
    help: "Over it the count turns amber; nothing is refused. Empty: none.",
  },
} as const satisfies Fields;

export type ColumnFields = typeof columnFields;

/** What `intake column list` shows of each column, in this order. */
export const columnColumns = ["id", "boardId", "name"] as const;
