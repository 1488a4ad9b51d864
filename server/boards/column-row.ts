import type { FieldRow } from "../core/fields.ts";
import type { Row } from "../core/store.ts";
import type { ColumnFields } from "./column-fields.ts";

/** A row of the table `board_column`. `position` orders the columns of a board; times are epoch milliseconds. */
export type ColumnRow = Row & FieldRow<ColumnFields> & { id: string; position: number; created_at: number };
