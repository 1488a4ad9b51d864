import type { ChangeEvent } from "../../core/change-event.ts";
import { Periodic } from "../../core/periodic.ts";
import { databaseNow, type Query } from "./connection.ts";
import { concernsOthers, type Facts } from "./facts.ts";

const gatherMilliseconds = 50;
const retryMilliseconds = 500;
/** More changes than this at once become `resync`. */
const changesMax = 500;

/**
 * Tells other processes what this one has stored: what was told within 50 ms in one row. Each row is committed before
 * the next one is sent, so whoever has seen a number has seen all numbers before it.
 */
export class FactWriter {
  readonly #query: Query;
  readonly #process: string;
  #pending = new Map<string, ChangeEvent>();
  /** A row that could not be written, or of which that is not known. */
  #unsent: { seq: number; facts: string } | undefined;
  #seq = 0;
  #gathering: Timer | undefined;
  readonly #writing = new Periodic({
    turn: () => this.#write(),
    every: retryMilliseconds,
    failed: "other processes were not told what changed",
  });

  constructor(query: Query, process: string) {
    this.#query = query;
    this.#process = process;
  }

  readonly tell = (change: ChangeEvent) => {
    if (!concernsOthers(change)) return;
    const key = `${change.kind} ${change.id} ${change.in}`;
    this.#pending.delete(key);
    if (this.#pending.size <= changesMax) this.#pending.set(key, change);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      void this.#writing.wake();
    }, gatherMilliseconds).unref();
  };

  start() {
    this.#writing.start();
  }

  /** Writes what was told until now, and the end of the stream. */
  async stop(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    await this.#writing.wake();
    await this.#writing.stop();
    if (this.#unsent === undefined && this.#pending.size === 0) await this.#send("end").catch(() => {});
  }

  async #write(): Promise<void> {
    if (this.#unsent) await this.#insert(this.#unsent);
    if (this.#pending.size === 0 || this.#gathering !== undefined) return;
    const changes = [...this.#pending.values()];
    this.#pending = new Map();
    await this.#send(changes.length > changesMax ? "resync" : changes);
  }

  async #send(facts: Facts): Promise<void> {
    await this.#insert({ seq: ++this.#seq, facts: JSON.stringify(facts) });
  }

  async #insert(row: { seq: number; facts: string }): Promise<void> {
    this.#unsent = row;
    await this.#query(insertFacts, [this.#process, row.seq, row.facts]);
    this.#unsent = undefined;
  }
}

/** The row may be there already, when the connection was lost before the answer came. */
export const insertFacts = `insert into fact (process, seq, at, facts) values ($1, $2, ${databaseNow}, $3)
  on conflict do nothing`;
