import { fingerprintOf } from "../core/credential.ts";
import { type FieldRow, type ShownFields, shownFields } from "../core/fields.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Reader, Row, Step, Tx } from "../core/store.ts";
import { type TokenFields, tokenFields } from "./token-fields.ts";

/** A row of the table `api_token`. Times are epoch milliseconds. */
export type TokenRow = Row &
  FieldRow<TokenFields> & {
    id: string;
    hash: string;
    created_at: number;
    author_name: string | null;
    last_used_at: number | null;
    last_status: number | null;
    last_network: string | null;
    mismatches: number;
    revoked_at: number | null;
    late_calls: number;
    late_at: number | null;
    late_network: string | null;
  };

/** An API token as it is shown; pages and the command line pick from it. */
export interface TokenView extends ShownFields<TokenFields> {
  id: string;
  fingerprint: string;
  createdAt: string;
  /** Who created the token, under the name of that time; null for tokens from before the name was recorded. */
  author: string | null;
  lastUsedAt: string | null;
  /** HTTP status of the last request. */
  lastStatus: number | null;
  lastNetwork: string | null;
  /** Requests whose idempotency key came with another body than the first time. */
  mismatches: number;
  revokedAt: string | null;
  /** Requests that came after the token was revoked. */
  late?: { calls: number; at: string; network: string | null };
}

export async function tokenView(store: Reader, row: TokenRow): Promise<TokenView> {
  const { name, scopes, reach, ...more } = shownFields(tokenFields, row);
  return {
    id: row.id,
    name,
    fingerprint: fingerprintOf(row.hash),
    scopes,
    reach: reach === "all" ? reach : idsOf(await store.all<ReachRow>(selectReach, [row.id])),
    ...more,
    createdAt: isoTime(row.created_at),
    author: row.author_name,
    lastUsedAt: isoTime(row.last_used_at),
    lastStatus: row.last_status,
    lastNetwork: row.last_network,
    mismatches: row.mismatches,
    revokedAt: isoTime(row.revoked_at),
    ...(row.late_at === null
      ? {}
      : { late: { calls: row.late_calls, at: isoTime(row.late_at), network: row.late_network } }),
  };
}

/** The fields of the token of this row, read within a write. */
export function* tokenFieldsStep(tx: Tx, row: TokenRow): Step<ShownFields<TokenFields>> {
  const fields = shownFields(tokenFields, row);
  if (fields.reach === "all") return fields;
  return { ...fields, reach: idsOf(yield* tx.all<ReachRow>(selectReach, [row.id])) };
}

type ReachRow = { project_id: string };

const selectReach = "select project_id from api_token_project where token_id = $1 order by project_id";

function idsOf(rows: readonly ReachRow[]): string[] {
  return rows.map(({ project_id }) => project_id);
}
