import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Step, Store, Tx } from "../core/store.ts";
import type { KeyRow } from "./key-view.ts";

export interface AuthenticatedKey {
  id: string;
  projectId: string;
  requestsPerWindow: number;
  paused: boolean;
  /** A JSON list of origins, null for any. */
  origins: string | null;
}

type FoundKey = Pick<KeyRow, "id" | "project_id" | "requests_per_window" | "paused_at" | "origins">;

/**
 * Looks an SDK key up by its hash, as an API token is looked up: unknown keys, revoked keys and other kinds of
 * credentials take the same path. A revoked key is refused from the next request on.
 */
export function authenticateKey(
  store: Store,
  presented: string | undefined,
): AuthenticatedKey | Promise<AuthenticatedKey | undefined> {
  const row = store.sharedOne<FoundKey>(
    `select k.id, k.project_id, k.requests_per_window, k.paused_at, k.origins
     from sdk_key k join project p on p.id = k.project_id
     where k.hash in ($1) and k.revoked_at is null and p.archived_at is null`,
    [hashOf(presented ?? "")],
  );
  return row instanceof Promise ? row.then((found) => found && authenticated(found)) : authenticated(row);
}

function authenticated(row: FoundKey): AuthenticatedKey {
  return {
    id: row.id,
    projectId: row.project_id,
    requestsPerWindow: row.requests_per_window,
    paused: row.paused_at !== null,
    origins: row.origins,
  };
}

const usedMilliseconds = 60_000;

/**
 * Reads the key again when a report is stored, because it may have been paused or revoked since the upload began. Notes
 * the time of use, at most once a minute.
 */
export function* keyStep(tx: Tx, id: string, now: number): Step<{ projectId: string }> {
  const row = yield* tx.shared(`sdk key ${id}`, (read) =>
    read.one<Pick<KeyRow, "project_id" | "paused_at" | "last_used_at">>(
      `select k.project_id, k.paused_at, k.last_used_at from sdk_key k join project p on p.id = k.project_id
       where k.id in ($1) and k.revoked_at is null and p.archived_at is null`,
      [id],
    ),
  );
  if (!row) throw new Refusal("invalid_sdk_key");
  if (row.paused_at !== null) throw keyPaused();
  if ((row.last_used_at ?? 0) < now - usedMilliseconds) {
    yield* tx.run("update sdk_key set last_used_at = $2 where id = $1", [id, now]);
  }
  return { projectId: row.project_id };
}

export function keyPaused(): RateLimited {
  const text = "This SDK key is paused. Try again after Retry-After seconds.";
  return new RateLimited("key_paused", limits.pausedRetrySeconds, text);
}
