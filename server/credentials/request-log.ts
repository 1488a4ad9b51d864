import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { type Cutoff, cutoffBy } from "../core/cutoff.ts";
import { Periodic } from "../core/periodic.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { Row, Step, Store, Tx, Write } from "../core/store.ts";
import { isLate, lateStep, type TokenUse, useStep } from "./token-use.ts";

/** Where a request came from. Called at most once a second for each token, because it costs a little. */
type NetworkOf = () => string | undefined;

/** Told of requests of one token that were refused because of the token. */
type Refused = (tokenId: string, count: number) => void;

/** Counts the replays among the requests on the tickets that answered them, in the transaction that writes the log. */
type CountReplays = (tx: Tx, entries: readonly RequestEntry[]) => Step<void>;

const flushMilliseconds = 1_000;
/** So many waiting entries are written before that: a second's entries at once would take long. */
const flushEntries = 1_024;
/** So many requests of one token share a row. */
const groupMax = 128;
/** So many rows are written in one transaction, which takes some 2 ms. */
const rowsMax = 8;
/** While tickets never stop coming, rows wait so long to be written: less while further rows wait behind them. */
const withinMilliseconds = { usual: 50, crowded: 10 } as const;
/** Entries that may wait: more than arrive in a second at full speed. Further ones are dropped and counted. */
const waitingMax = 100_000;
/** Of the requests of one token that were refused with 429 in one minute, so many have an entry of their own. */
const refusalsPerMinute = 60;
/** So many unknown credentials of one second are kept to be looked up: revoked tokens are among them. */
const unknownMax = 1_000;
/** Statuses by which a request is refused because of its token: revoked or expired, without the scope, over its limit. */
const refusedStatuses: ReadonlySet<number> = new Set([401, 403, 429]);
const sweepMilliseconds = 3_600_000;
const sweepChunk = 500;

/**
 * The request log of every token and the times of last use: collected in memory and written in groups within a second,
 * so that no request pays for a write of its own.
 */
export class RequestLog {
  readonly #ctx: Omit<Context, "actor" | "publicUrl">;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #cutoff: Cutoff;
  readonly #newId: () => string;
  #waiting = new Map<string, RequestEntry[]>();
  /** By token, the network of its first request among those that wait. */
  #networks = new Map<string, string>();
  #unknown = new Map<string, { at: number; count: number; network: string | undefined }>();
  readonly #countReplays: CountReplays;
  readonly #refusedRequests: Refused;
  #count = 0;
  /** Groups of entries that could not be written. They are written before everything else that waits. */
  #refused: Group[] = [];
  #flooding = new Map<string, { minute: number; count: number }>();
  #stopping = false;
  #writing = false;
  readonly #flushing = new Periodic({
    turn: () => this.#writeAll(),
    every: flushMilliseconds,
    failed: "the request log could not be written",
  });
  /** Removes what is kept no longer: one process does it for all that use the store. */
  readonly sweeping = new Periodic({
    turn: () => this.sweep(),
    every: sweepMilliseconds,
    failed: "old entries of the request log were not removed",
  });
  dropped = 0;

  constructor(ctx: Omit<Context, "actor" | "publicUrl">, countReplays: CountReplays, refused: Refused = () => {}) {
    this.#countReplays = countReplays;
    this.#refusedRequests = refused;
    this.#ctx = ctx;
    this.#store = ctx.store;
    this.#now = ctx.now;
    this.#cutoff = ctx.cutoff ?? cutoffBy(ctx.now);
    this.#newId = ctx.newId;
  }

  start() {
    this.#flushing.start();
  }

  add(tokenId: string, entry: RequestEntry, networkOf: NetworkOf = () => undefined) {
    if (entry.status === 429 && this.#floods(tokenId, entry.at)) return;
    if (!this.#waiting.has(tokenId)) this.#cameFrom(tokenId, networkOf());
    this.#collect(tokenId, entry);
  }

  /**
   * Notes a request with a credential that no active token has. Whether a revoked token has it is looked up later, for
   * all such credentials alike, so that the time of the answer does not tell a revoked token from an unknown one.
   */
  refused(presented: string, networkOf: NetworkOf = () => undefined) {
    const hash = hashOf(presented);
    const seen = this.#unknown.get(hash);
    if (seen) {
      seen.count++;
      seen.at = this.#now();
    } else if (this.#unknown.size < unknownMax) {
      this.#unknown.set(hash, { at: this.#now(), count: 1, network: networkOf() });
    }
  }

  #cameFrom(tokenId: string, network: string | undefined) {
    if (network !== undefined) this.#networks.set(tokenId, network);
  }

  #collect(tokenId: string, entry: RequestEntry) {
    if (this.#count >= waitingMax) {
      this.dropped++;
      return;
    }
    this.#count++;
    const entries = this.#waiting.get(tokenId);
    if (!entries) this.#waiting.set(tokenId, [entry]);
    else entries.push(entry);
    // What storage has refused waits for the next second: trying again with every request would make an outage worse.
    if (this.#count >= flushEntries && !this.#writing && this.#refused.length === 0) void this.flush();
  }

  /** Whether this 429 is only counted: a script that never waits between requests must not fill the disk. */
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

  /** Adds one entry that stands for all requests of the minute that have no entry of their own. */
  #countFlood(tokenId: string) {
    const flood = this.#flooding.get(tokenId);
    this.#flooding.delete(tokenId);
    const unlogged = (flood?.count ?? 0) - refusalsPerMinute;
    if (unlogged <= 0) return;
    const refused = { status: 429, code: "rate_limit_exceeded", replayed: false, mismatch: false } as const;
    this.#collect(tokenId, { at: this.#now(), ...refused, unlogged });
  }

  /** Keeps groups that could not be written, up to `waitingMax` entries; `/readyz` tells that storage refuses. */
  #keep(groups: readonly Group[]) {
    for (const group of groups) {
      if (this.#count + group.entries.length > waitingMax) this.dropped += group.entries.length;
      else {
        this.#count += group.entries.length;
        this.#refused.push(group);
      }
    }
  }

  /** Writes the entries that wait; those that cannot be written wait for the next flush. Never rejects. */
  flush(): Promise<void> {
    return this.#flushing.wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.flush();
    await this.#flushing.stop();
  }

  /** Removes entries older than 30 days, a few hundred at a time. */
  async sweep(): Promise<void> {
    // Ids begin with their time, so the old ones are one range of the key.
    const old = this.#cutoff(limits.requestLogDays * 86_400_000);
    if (old === Number.NEGATIVE_INFINITY) return;
    const before = firstIdOf(old);
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

  /** One entry for all requests of a second with a token that was revoked. */
  async #findRevoked(): Promise<void> {
    const unknown = this.#unknown;
    this.#unknown = new Map();
    for (const [hash, { at, count, network }] of unknown) {
      const token = await this.#store.one<{ id: string }>("select id from api_token where hash in ($1)", [hash]);
      if (!token) continue;
      const refused = { status: 401, code: "invalid_api_token", replayed: false, mismatch: false } as const;
      this.#cameFrom(token.id, network);
      this.#collect(token.id, { at, ...refused, ...(count > 1 ? { unlogged: count - 1 } : {}) });
    }
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    try {
      await this.#writeWaiting();
    } finally {
      this.#writing = false;
    }
  }

  async #writeWaiting(): Promise<void> {
    await this.#findRevoked().catch(() => {});
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
        const { usual, crowded } = withinMilliseconds;
        const within = start + rowsMax < groups.length ? crowded : usual;
        await this.#write(groups.slice(start, start + rowsMax), within);
      } catch {
        return this.#keep(groups.slice(start));
      }
    }
  }

  #grouped(tokenId: string, entries: readonly RequestEntry[]): Group[] {
    const groups: Group[] = [];
    const refusals = entries.filter(({ status }) => refusedStatuses.has(status));
    if (refusals.length > 0) {
      this.#refusedRequests(
        tokenId,
        refusals.reduce((count, { unlogged = 0 }) => count + 1 + unlogged, 0),
      );
    }
    const network = this.#networks.get(tokenId);
    this.#networks.delete(tokenId);
    for (let start = 0; start < entries.length; start += groupMax) {
      const some = entries.slice(start, start + groupMax);
      groups.push({ tokenId, id: this.#newId(), at: some.at(-1)?.at ?? 0, network, entries: some });
    }
    return groups;
  }

  async #write(groups: readonly Group[], within: number): Promise<void> {
    const auditIds = new Map(groups.filter(isLate).map(({ tokenId }) => [tokenId, this.#newId()]));
    const countReplays = this.#countReplays;
    const author = { now: this.#now, audited: this.#ctx.audited, actor: { kind: "system", name: "Intake" } } as const;
    const byToken = groups.toSorted((one, other) => (one.tokenId < other.tokenId ? -1 : 1));
    const write: Write<void> = function* (tx) {
      for (const { tokenId, id, at, entries } of groups) {
        yield* tx.run("insert into api_request_group (token_id, id, at, entries) values ($1, $2, $3, $4)", [
          tokenId,
          id,
          at,
          JSON.stringify(entries),
        ]);
      }
      // In one order for everybody, so that two processes wait for each other's tokens in no circle.
      for (const group of byToken) yield* useStep(tx, group);
      for (const { entries } of groups) yield* countReplays(tx, entries);
      for (const group of groups.filter(isLate)) {
        const auditId = auditIds.get(group.tokenId);
        const isFirst = yield* lateStep(tx, group);
        if (!isFirst || auditId === undefined) continue;
        const to = { network: group.network ?? null };
        yield* audit(tx, author, auditId, "token.used_after_revoke", `token ${group.tokenId}`, { to });
      }
    };
    // The audit log is no derived data.
    if (auditIds.size > 0) await this.#store.write(write);
    else await this.#store.writeDerived(write, { within });
    for (const id of new Set(groups.map(({ tokenId }) => tokenId))) this.#ctx.changed?.({ kind: "request", id });
  }
}

/** The smallest UUIDv7 of a moment. */
function firstIdOf(time: number): string {
  const hex = Math.floor(time).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

interface Group extends TokenUse {
  id: string;
  at: number;
}
