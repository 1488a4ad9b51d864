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
  /** Groups that storage has refused, before everything that waits. */
  #refused: Group[] = [];
  #flooding = new Map<string, { minute: number; count: number }>();
  #stopping = false;
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
    if (entry.status === 429 && this.#floods(tokenId, entry.at)) return;
    this.#collect(tokenId, entry);
  }

  #collect(tokenId: string, entry: RequestEntry) {
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
  #floods(tokenId: string, at: number): boolean {
    const minute = Math.floor(at / 60_000);
    let flood = this.#flooding.get(tokenId);
    if (flood?.minute !== minute) {
      this.#countFlood(tokenId);
      flood = { minute, count: 0 };
      this.#flooding.set(tokenId, flood);
    }
    return ++flood.count > refusalsPerMinute;
  }

  /** One entry for all that had none. */
  #countFlood(tokenId: string) {
    const flood = this.#flooding.get(tokenId);
    this.#flooding.delete(tokenId);
    const unlogged = (flood?.count ?? 0) - refusalsPerMinute;
    if (unlogged <= 0) return;
    const refused = { status: 429, code: "rate_limit_exceeded", replayed: false, mismatch: false } as const;
    this.#collect(tokenId, { at: this.#now(), ...refused, unlogged });
  }

  #writeNow(tokenId: string, entries: readonly RequestEntry[]) {
    // Behind a group that storage refused, or the order would be lost: the next flush takes both.
    if (this.#refused.length > 0) return;
    this.#waiting.delete(tokenId);
    this.#count -= entries.length;
    const groups = this.#grouped(tokenId, entries);
    this.#write(groups).catch(() => this.#keep(groups));
  }

  /** Storage says no at the moment, which /readyz tells. The groups wait as they are, up to the bound. */
  #keep(groups: readonly Group[]) {
    for (const group of groups) {
      if (this.#count + group.entries.length > waitingMax) this.dropped += group.entries.length;
      else {
        this.#count += group.entries.length;
        this.#refused.push(group);
      }
    }
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
    this.#stopping = true;
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
    const minute = Math.floor(this.#now() / 60_000);
    for (const [tokenId, flood] of this.#flooding) {
      if (flood.minute !== minute || this.#stopping) this.#countFlood(tokenId);
    }
    const fresh = [...this.#waiting].flatMap(([tokenId, entries]) => this.#grouped(tokenId, entries));
    const groups = [...this.#refused, ...fresh];
    this.#refused = [];
    this.#waiting = new Map();
    this.#count = 0;
    for (let start = 0; start < groups.length; start += rowsMax) {
      try {
        await this.#write(groups.slice(start, start + rowsMax));
      } catch {
        return this.#keep(groups.slice(start));
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
