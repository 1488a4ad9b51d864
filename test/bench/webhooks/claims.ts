import { SqliteStore } from "../../../server/store/sqlite.ts";
import { claim } from "../../../server/webhooks/deliveries/claim.ts";
import { quantile } from "../quantile.ts";

const claims = 200;
/** As many as the worker has under way. */
const limit = 64;

export interface Claims {
  waiting: number;
  p50Milliseconds: number;
  p95Milliseconds: number;
}

/** How long it takes to claim, committed and synced, on the database of a stopped server. */
export async function measureClaims(database: string, waiting: number): Promise<Claims> {
  const store = new SqliteStore(database, {
    busyMs: 0,
    onFatal: (error) => {
      throw error;
    },
  });
  const times: number[] = [];
  for (let i = 0; i < claims; i++) {
    const began = performance.now();
    const claimed = await claim(store, { limit, now: Date.now(), newId: () => crypto.randomUUID() });
    times.push(performance.now() - began);
    if (claimed.length === 0) throw new Error("there was nothing to claim");
    await putBack(
      store,
      claimed.map(({ id }) => id),
    );
  }
  await store.close();
  return { waiting, p50Milliseconds: quantile(times, 0.5), p95Milliseconds: quantile(times, 0.95) };
}

/** Behind all others, so that the next claim finds rows that nobody has just read. */
function putBack(store: SqliteStore, ids: readonly string[]): Promise<void> {
  const now = Date.now();
  return store.write(function* (tx) {
    for (const id of ids) {
      yield* tx.run(
        "update delivery set state = 'waiting', lease = null, lease_until = null, next_at = $2 where id = $1",
        [id, now],
      );
    }
  });
}
