import { type FieldRow, type ShownFields, shownFields } from "../core/fields.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Row } from "../core/store.ts";
import { type KeyFields, keyFields } from "./key-fields.ts";

/** A row of the table `sdk_key`. Times are epoch milliseconds. */
export type KeyRow = Row &
  FieldRow<KeyFields> & {
    id: string;
    value: string;
    created_at: number;
    last_used_at: number | null;
    paused_at: number | null;
    revoked_at: number | null;
  };

/** An SDK key as it is shown; pages and the command line pick from it. */
export interface KeyView extends ShownFields<KeyFields> {
  id: string;
  /** The value itself: an SDK key is public by nature and may be seen again at any time. */
  key: string;
  state: "active" | "paused" | "revoked";
  createdAt: string;
  lastUsedAt: string | null;
}

export function keyView(row: KeyRow): KeyView {
  const { name, projectId, ...more } = shownFields(keyFields, row);
  return {
    id: row.id,
    name,
    projectId,
    key: row.value,
    state: row.revoked_at !== null ? "revoked" : row.paused_at !== null ? "paused" : "active",
    ...more,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTime(row.last_used_at),
  };
}
