import { withProjectUsage } from "../core/project-usage.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Row, Step, Store, Tx } from "../core/store.ts";

/** The bytes that a project keeps, and those that it has stored on the present day (UTC). */
interface UsageRow extends Row {
  events: number;
  bytes: number;
  day: string;
  day_bytes: number;
}

const select = withProjectUsage((usage) => `select events, bytes, day, day_bytes from ${usage} where project_id = $1`);
const dayMilliseconds = 86_400_000;

/** Called before a body is read: throws 429 when the project has stored all the bytes of the day. */
export function requireRoomToday(
  store: Store,
  projectId: string,
  now: number,
  dailyBytes: number,
): undefined | Promise<undefined> {
  const usage = store.sharedOne<UsageRow>(select, [projectId]);
  if (usage instanceof Promise) return usage.then((row) => requireRoom(row, now, dailyBytes, 1));
  return requireRoom(usage, now, dailyBytes, 1);
}

/** Counts a stored report; throws 429 when it does not fit into the day any more. */
export function* addUsageStep(
  tx: Tx,
  {
    projectId,
    now,
    bytes,
    fileBytes,
    dailyBytes,
  }: { projectId: string; now: number; bytes: number; fileBytes: number; dailyBytes: number },
): Step<void> {
  if (tx.engine === "postgres") {
    yield* requireRoomStep(tx, { projectId, now, bytes, dailyBytes });
    return yield* addChangeStep(tx, { projectId, events: 1, bytes, fileBytes, day: dayOf(now), dayBytes: bytes });
  }
  requireRoom(yield* tx.one<UsageRow>(select, [projectId]), now, dailyBytes, bytes);
  yield* tx.run(
    `insert into project_usage (project_id, events, bytes, file_bytes, day, day_bytes) values ($1, 1, $2, $4, $3, $2)
     on conflict (project_id) do update set events = project_usage.events + 1,
       bytes = project_usage.bytes + excluded.bytes, file_bytes = project_usage.file_bytes + excluded.file_bytes,
       day_bytes = case when project_usage.day = excluded.day then project_usage.day_bytes else 0 end + excluded.bytes,
       day = excluded.day`,
    [projectId, bytes, dayOf(now), fileBytes],
  );
}

/** Counts the bytes of repeat keys, which are added when a second report with the id of a stored one comes. */
export function* addKeyUsageStep(
  tx: Tx,
  { projectId, eventId, now, bytes }: { projectId: string; eventId: string; now: number; bytes: number },
): Step<void> {
  const stored = yield* tx.all("update event set stored_bytes = stored_bytes + $2 where id = $1 returning id", [
    eventId,
    bytes,
  ]);
  // The keys of a deleted event are deleted with its receipt: they count for the day alone.
  const kept = stored.length > 0 ? bytes : 0;
  if (tx.engine === "postgres") {
    const change = { events: 0, bytes: kept, fileBytes: 0, day: dayOf(now), dayBytes: bytes };
    return yield* addChangeStep(tx, { projectId, ...change });
  }
  yield* tx.run(
    `update project_usage set bytes = bytes + $2, day_bytes = case when day = $4 then day_bytes else 0 end + $3, day = $4
     where project_id = $1`,
    [projectId, kept, bytes, dayOf(now)],
  );
}

/** Subtracts deleted events from what the project keeps; the bytes of the day stay counted. */
export function* subtractUsageStep(
  tx: Tx,
  projectId: string,
  { events, bytes, fileBytes }: { events: number; bytes: number; fileBytes: number },
): Step<void> {
  if (tx.engine === "postgres") {
    const change = { events: -events, bytes: -bytes, fileBytes: -fileBytes, day: "", dayBytes: 0 };
    return yield* addChangeStep(tx, { projectId, ...change });
  }
  yield* tx.run(
    `update project_usage set events = events - $2, bytes = bytes - $3, file_bytes = file_bytes - $4
     where project_id = $1`,
    [projectId, events, bytes, fileBytes],
  );
}

/** Reports of at most so many bytes are small, and all that can be on their way at once fit into the margin many times. */
const smallBytes = 64 * 1_024;
const marginBytes = 512 * 1_024 * 1_024;

/**
 * Throws 429 when a report does not fit into the day any more, where several processes store reports of the project at
 * once. Small ones wait for nobody, until the day's bytes are nearly spent; from then on, and for large ones always, one
 * is counted after the other.
 */
function* requireRoomStep(
  tx: Tx,
  { projectId, now, bytes, dailyBytes }: { projectId: string; now: number; bytes: number; dailyBytes: number },
): Step<void> {
  if (bytes <= smallBytes) {
    const read = (tx: Tx) => tx.all<UsageRow>(select, [projectId]);
    const [usage] = yield* tx.shared(`usage ${projectId}`, read);
    if (spentOn(usage, now) + marginBytes <= dailyBytes) return;
  }
  yield* tx.lock("usage", projectId);
  requireRoom(yield* tx.one<UsageRow>(select, [projectId]), now, dailyBytes, bytes);
}

function* addChangeStep(tx: Tx, change: UsageChange): Step<void> {
  const { projectId, events, bytes, fileBytes, day, dayBytes } = change;
  yield* tx.run(
    "insert into project_usage_change (project_id, events, bytes, file_bytes, day, day_bytes) values ($1, $2, $3, $4, $5, $6)",
    [projectId, events, bytes, fileBytes, day, dayBytes],
  );
}

interface UsageChange {
  projectId: string;
  events: number;
  bytes: number;
  fileBytes: number;
  /** The day (UTC) that `dayBytes` were stored on; empty where none were. */
  day: string;
  dayBytes: number;
}

function requireRoom(usage: UsageRow | undefined, now: number, dailyBytes: number, bytes: number): undefined {
  if (spentOn(usage, now) + bytes <= dailyBytes) return;
  const seconds = Math.ceil((dayMilliseconds - (now % dayMilliseconds)) / 1_000);
  throw new RateLimited(
    "daily_bytes",
    seconds,
    "The project has stored its bytes of today. Try again after Retry-After seconds.",
  );
}

function spentOn(usage: UsageRow | undefined, now: number): number {
  return usage?.day === dayOf(now) ? usage.day_bytes : 0;
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
