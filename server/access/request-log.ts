import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import type { Row, Store } from "../store/store.ts";

/** One authenticated request, with the time in epoch milliseconds; kept as JSON. */
export interface RequestEntry {
  at: number;
  status: number;
  code?: ErrorCode | undefined;
  ticketId?: string | undefined;
  idempotencyKey?: string | undefined;
  replayed: boolean;
  mismatch: boolean;
  unlogged?: number;
}

const flushMilliseconds = 1_000;
/** Requests of one token that share a row. */
const groupMax = 128;
/** Rows in one write, so that it never holds others up. */
const rowsMax = 64;
/** More than a second's worth at full speed; beyond it entries are dropped and counted. */
const waitingMax = 100_000;
/** Entries for requests beyond the limit, of one token in one minute. */
const refusalsPerMinute = 60;
const floodsMax = 10_000;
const sweepMilliseconds = 3_600_000;
const sweepChunk = 500;

/**
 * The request log of every token and the times of last use: collected in memory and written in groups within a second,
 * so that no request pays for a write of its own.
 */
export class RequestLog {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #newId: () => string;
  #waiting = new Map<string, RequestEntry[]>();
  #count = 0;
  #floods = new Map<string, { minute: number; count: number }>();
  #flushing: Promise<void> | undefined;
  #timers: Timer[] = [];
  dropped = 0;

  constructor(ctx: { store: Store; now: () => number; newId: () => string }) {
    this.#store = ctx.store;
    this.#now = ctx.now;
    this.#newId = ctx.newId;
  }

  start() {
    this.#timers = [
      setInterval(() => void this.flush(), flushMilliseconds),
      setInterval(() => void this.sweep().catch(() => {}), sweepMilliseconds),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  add(tokenId: string, entry: RequestEntry) {
    if (entry.status === 429 && !this.#flood(tokenId, entry)) return;
    if (this.#count >= waitingMax) {
      this.dropped++;
      return;
    }
    this.#count++;
    const entries = this.#waiting.get(tokenId);
    if (!entries) this.#waiting.set(tokenId, [entry]);
    // A busy token's entries go out as they come: all of a second's at once would hold up everybody's writes.
    else if (entries.push(entry) === groupMax) this.#writeNow(tokenId, entries);
  }

  /** A script that never waits must not fill the disk: of its 429s some have an entry, the others are counted. */
  #flood(tokenId: string, entry: RequestEntry): boolean {
    const minute = Math.floor(entry.at / 60_000);
    let flood = this.#floods.get(tokenId);
    if (flood?.minute !== minute) {
      const unlogged = flood ? Math.max(0, flood.count - refusalsPerMinute) : 0;
      if (unlogged > 0) entry.unlogged = unlogged;
      if (this.#floods.size >= floodsMax) this.#floods.clear();
      flood = { minute, count: 0 };
      this.#floods.set(tokenId, flood);
    }
    return ++flood.count <= refusalsPerMinute;
  }

  #writeNow(tokenId: string, entries: readonly RequestEntry[]) {
    this.#waiting.delete(tokenId);
    this.#count -= entries.length;
    this.#write(this.#grouped(tokenId, entries)).catch(() => this.#keep(tokenId, entries));
  }

  /** Storage says no at the moment, which /readyz tells. The entries wait for the next flush, up to the bound. */
  #keep(tokenId: string, entries: readonly RequestEntry[]) {
    const room = Math.max(0, waitingMax - this.#count);
    this.dropped += Math.max(0, entries.length - room);
    const kept = entries.slice(0, room);
    this.#count += kept.length;
    this.#waiting.set(tokenId, [...kept, ...(this.#waiting.get(tokenId) ?? [])]);
  }

  /** Writes what waits; what cannot be written now waits for the next time. Never rejects. */
  flush(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.flush();
    await this.flush();
  }

  /** Removes entries older than 30 days, a few hundred at a time. */
  async sweep(): Promise<void> {
    // Ids begin with their time, so the old ones are one range of the key.
    const before = firstIdOf(this.#now() - limits.requestLogDays * 86_400_000);
    const tokens = await this.#store.all<{ id: string }>("select id from api_token order by id");
    for (const { id } of tokens) {
      let removed: Row[];
      do {
        removed = await this.#store.write(function* (tx) {
          return yield* tx.all(
            `delete from api_request_group where token_id = $1 and id in
               (select id from api_request_group where token_id = $1 and id < $2 order by id limit $3) returning id`,
            [id, before, sweepChunk],
          );
        });
      } while (removed.length === sweepChunk);
    }
  }

  async #writeAll(): Promise<void> {
    const groups = [...this.#waiting].flatMap(([tokenId, entries]) => this.#grouped(tokenId, entries));
    this.#waiting = new Map();
    this.#count = 0;
    for (let start = 0; start < groups.length; start += rowsMax) {
      try {
        await this.#write(groups.slice(start, start + rowsMax));
      } catch {
        for (const { tokenId, entries } of groups.slice(start).reverse()) this.#keep(tokenId, entries);
        return;
      }
    }
  }

  #grouped(tokenId: string, entries: readonly RequestEntry[]): Group[] {
    const groups: Group[] = [];
    for (let start = 0; start < entries.length; start += groupMax) {
      const some = entries.slice(start, start + groupMax);
      groups.push({ tokenId, id: this.#newId(), at: some.at(-1)?.at ?? 0, entries: some });
    }
    return groups;
  }

  #write(groups: readonly Group[]): Promise<void> {
    const lastUse = new Map(groups.map(({ tokenId, at }) => [tokenId, at]));
    return this.#store.write(function* (tx) {
      for (const { tokenId, id, at, entries } of groups) {
        yield* tx.run("insert into api_request_group (token_id, id, at, entries) values ($1, $2, $3, $4)", [
          tokenId,
          id,
          at,
          JSON.stringify(entries),
        ]);
      }
      for (const [tokenId, at] of lastUse) {
        yield* tx.run("update api_token set last_used_at = $2 where id = $1", [tokenId, at]);
      }
    });
  }
}

/** The smallest UUIDv7 of a moment. */
function firstIdOf(time: number): string {
  const hex = Math.floor(time).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

interface Group {
  tokenId: string;
  id: string;
  at: number;
  entries: readonly RequestEntry[];
}
