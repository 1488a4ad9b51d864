import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../store/page.ts";
import type { Row, Store } from "../store/store.ts";
import { type Context, Refusal, requireAdmin } from "./context.ts";

/** One authenticated request, as the admin sees it: the answer to a 401 or 404 that tells the caller little. */
export interface LoggedRequest {
  at: string;
  status: number;
  code?: ErrorCode;
  ticketId?: string;
  idempotencyKey?: string;
  replayed: boolean;
  mismatch: boolean;
}

export interface RequestEntry {
  tokenId: string;
  status: number;
  code?: ErrorCode | undefined;
  ticketId?: string | undefined;
  idempotencyKey?: string | undefined;
  replayed: boolean;
  mismatch: boolean;
}

interface Pending extends RequestEntry {
  id: string;
  at: number;
}

const flushMilliseconds = 1_000;
const chunk = 128;
/** More than a second's worth at full speed; beyond it entries are dropped and counted. */
const pendingMax = 100_000;
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
  #pending: Pending[] = [];
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

  add(entry: RequestEntry) {
    if (this.#pending.length >= pendingMax) {
      this.dropped++;
      return;
    }
    const pending = entry as Pending;
    pending.id = this.#newId();
    pending.at = this.#now();
    this.#pending.push(pending);
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
    const before = this.#now() - limits.requestLogDays * 86_400_000;
    const tokens = await this.#store.all<{ id: string }>("select id from api_token order by id");
    for (const { id } of tokens) {
      let removed: Row[];
      do {
        removed = await this.#store.write(function* (tx) {
          return yield* tx.all(
            `delete from api_request where token_id = $1 and id in
               (select id from api_request where token_id = $1 and at < $2 order by id limit $3) returning id`,
            [id, before, sweepChunk],
          );
        });
      } while (removed.length === sweepChunk);
    }
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#pending;
    this.#pending = [];
    for (let start = 0; start < waiting.length; start += chunk) {
      try {
        await this.#writeChunk(waiting.slice(start, start + chunk));
      } catch {
        // Storage says no at the moment and has said so in the log; the entries wait, up to the bound.
        this.#pending = [...waiting.slice(start), ...this.#pending].slice(0, pendingMax);
        return;
      }
    }
  }

  #writeChunk(entries: readonly Pending[]): Promise<void> {
    const lastUse = new Map(entries.map(({ tokenId, at }) => [tokenId, at]));
    return this.#store.write(function* (tx) {
      for (const entry of entries) {
        yield* tx.run(
          `insert into api_request (token_id, id, at, status, code, ticket_id, idempotency_key, replayed, mismatch)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          [
            entry.tokenId,
            entry.id,
            entry.at,
            entry.status,
            entry.code ?? null,
            entry.ticketId ?? null,
            entry.idempotencyKey ?? null,
            entry.replayed ? 1 : 0,
            entry.mismatch ? 1 : 0,
          ],
        );
      }
      for (const [tokenId, at] of lastUse) {
        yield* tx.run("update api_token set last_used_at = $2 where id = $1", [tokenId, at]);
      }
    });
  }
}

interface RequestRow extends Row {
  id: string;
  at: number;
  status: number;
  code: ErrorCode | null;
  ticket_id: string | null;
  idempotency_key: string | null;
  replayed: number;
  mismatch: number;
}

/** Oldest first. */
export async function listRequests({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { tokenId: string };
}): Promise<Page<LoggedRequest>> {
  requireAdmin(ctx);
  const token = await ctx.store.one("select id from api_token where id = $1", [input.tokenId]);
  if (!token) throw new Refusal("not_found", `there is no API token ${input.tokenId}`);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<RequestRow>(
    "select * from api_request where token_id = $1 and id > $2 order by id limit $3",
    [input.tokenId, after, input.limit + 1],
  );
  return pageOf(rows, input.limit, (row) => [row.id], present);
}

function present(row: RequestRow): LoggedRequest {
  return {
    at: new Date(row.at).toISOString(),
    status: row.status,
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.ticket_id === null ? {} : { ticketId: row.ticket_id }),
    ...(row.idempotency_key === null ? {} : { idempotencyKey: row.idempotency_key }),
    replayed: row.replayed === 1,
    mismatch: row.mismatch === 1,
  };
}
