import type { Row } from "../core/store.ts";

/** A row of the table `project`. `position` orders the projects; times are epoch milliseconds. */
export type ProjectRow = Row & {
  id: string;
  name: string;
  position: number;
  created_at: number;
  archived_at: number | null;
};
