import { closeSync, constants, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import type { Reader } from "../../core/store.ts";
import { freeSpace } from "../../store/free-space.ts";
import { bad, counted, good } from "./finding.ts";

export function roomy(folder: string) {
  const { bytes, low } = freeSpace(folder);
  const text = `${megabytes(bytes)} free`;
  return low ? bad("disk_low", text, "make room: reports are refused, and tickets soon will be") : good(text);
}

const dayMilliseconds = 86_400_000;
const windowDays = 7;
const soonDays = 14;
/** A ticket with its activity, its entry in the index and its key. */
const ticketBytes = 2_500;

/**
 * How long the disk lasts: what reports and tickets of the last seven days took, less what will be too old in the next
 * seven, goes on as it is. A server that is younger than that is judged by the days that it has.
 */
export async function forecast(reader: Reader, { bytes, keptFree, now, retentionDays }: Forecast) {
  const since = now - windowDays * dayMilliseconds;
  const expiring = now - retentionDays * dayMilliseconds;
  const stored = await bytesBetween(reader, since, now);
  const leaving = await bytesBetween(reader, expiring, expiring + windowDays * dayMilliseconds);
  const tickets = await reader.one<{ count: number; oldest: number | null }>(
    "select cast(count(*) as integer) as count, min(created_at) as oldest from ticket where created_at >= $1",
    [since],
  );
  const begun = Math.min(stored.oldest ?? now, tickets?.oldest ?? now);
  const days = Math.min(windowDays, Math.max(1, (now - begun) / dayMilliseconds));
  const perDay = (stored.bytes + (tickets?.count ?? 0) * ticketBytes - leaving.bytes) / days;
  if (perDay < 1) return good("no more is stored than is deleted by its age");
  const left = Math.max(0, bytes - keptFree) / perDay;
  const text = `${megabytes(perDay)} a day by the last ${windowDays} days: enough for ${left > 3_650 ? "more than ten years" : counted(Math.floor(left), "day")}`;
  return left < soonDays ? bad("disk_forecast", text) : good(text);
}

interface Forecast {
  /** Free bytes of the disk, and how many of them are kept free. */
  bytes: number;
  keptFree: number;
  /** Epoch milliseconds. */
  now: number;
  retentionDays: number;
}

async function bytesBetween(reader: Reader, from: number, to: number) {
  const row = await reader.one<{ bytes: number | null; oldest: number | null }>(
    "select sum(stored_bytes) as bytes, min(received_at) as oldest from event where received_at >= $1 and received_at < $2",
    [from, to],
  );
  return { bytes: row?.bytes ?? 0, oldest: row?.oldest };
}

const syncs = 15;
const slowMilliseconds = 25;
/** A disk that takes seconds for each sync is slow enough to be told after a few. */
const measureMilliseconds = 2_000;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Measures how long the disk of a folder takes to make 4 KiB durable, in a file that has no name any more. */
export function syncTimes(folder: string) {
  const path = `${folder}/doctor-${crypto.randomUUID()}`;
  let file: number;
  try {
    file = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    rmSync(path);
  } catch (error) {
    return unmeasured(error);
  }
  const times: number[] = [];
  try {
    const block = Buffer.alloc(4_096);
    const begun = performance.now();
    while (times.length < syncs && performance.now() - begun < measureMilliseconds) {
      writeSync(file, block);
      const started = performance.now();
      fdatasyncSync(file);
      times.push(performance.now() - started);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== "EIO") return unmeasured(error);
    return bad("disk_sync_failed", "a sync failed (EIO): what was acknowledged may not be on the disk");
  } finally {
    closeSync(file);
  }
  times.sort((a, b) => a - b);
  const [median, longest] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0];
  const text = `a sync takes ${milliseconds(median)}, at most ${milliseconds(longest)} of ${times.length}`;
  return median < slowMilliseconds ? good(text) : bad("disk_slow", text);
}

/** A full or read-only disk is what other checks tell of. */
function unmeasured(error: unknown) {
  return good(`not measured (${(error as { code?: string }).code ?? (error as Error).message})`);
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
