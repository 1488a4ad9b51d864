import type { Row } from "../core/store.ts";

/** A row of the table `board`. `position` orders the boards of a project; times are epoch milliseconds. */
export type BoardRow = Row & {
  id: string;
  project_id: string;
  name: string;
  position: number;
  created_at: number;
  archived_at: number | null;
};
