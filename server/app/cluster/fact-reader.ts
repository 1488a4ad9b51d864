import type { ChangeEvent } from "../../core/change-event.ts";
import { Periodic } from "../../core/periodic.ts";
import type { DatabaseObserver } from "../../store/postgres/observer.ts";
import { type ClusterConnection, databaseNow } from "./connection.ts";
import type { Facts } from "./facts.ts";

const lookMilliseconds = 150;
/** The time between the moment when a row got its time and its commit, and more. */
const slackMilliseconds = 2_000;
/** A page may have read what it shows so long before it listens. */
const beforeMilliseconds = 30_000;
const keptMilliseconds = 60_000;
/** After a longer pause the rows may be gone that a reader has not seen. */
const pauseMilliseconds = 50_000;
const removeMilliseconds = 10_000;

interface FactListeners {
  /** Whether anybody here waits for facts: nothing is read otherwise. */
  listening: () => boolean;
  heard: (changes: readonly ChangeEvent[]) => void;
  /** Called when anything may have changed: a row is missing, or a process has ended before it told everything. */
  lost: () => void;
  /** Called when nobody has listened for so long that what was heard until then is no longer all there is. */
  forget: () => void;
}

type Observer = Pick<DatabaseObserver, "heard">;

type FactRow = { process: string; seq: number; facts: string; age: number };

/** Hears what other processes have stored: reads what is new in the stream of each. */
export class FactReader {
  readonly #connection: ClusterConnection;
  readonly #process: string;
  readonly #observer: Observer | undefined;
  #listeners: FactListeners | undefined;
  /** The number of the last row that was read in each stream, and when that was. */
  readonly #read = new Map<string, { seq: number; at: number }>();
  readonly #ended = new Set<string>();
  readonly #gone = new Set<string>();
  #lost = false;
  /** The connection that was read on. A crash of the database ends all of them, and empties the table. */
  #opened = 0;
  /** When everything until then was read, by the monotonic clock. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** Whether nothing was read for so long that reading begins anew. */
  #anew = true;
  #removedAt = performance.now();
  readonly #looking = new Periodic({
    turn: () => this.#turn(),
    every: lookMilliseconds,
    failed: "what other processes have changed could not be read and will be tried again",
  });

  constructor(connection: ClusterConnection, process: string, observer?: Observer) {
    this.#connection = connection;
    this.#process = process;
    this.#observer = observer;
  }

  connect(listeners: FactListeners) {
    this.#listeners = listeners;
  }

  /** To be called when other processes have ended. Unless they have told so, something may be missing. */
  gone(processes: readonly string[]) {
    if (this.#anew) return;
    for (const id of processes) this.#gone.add(id);
  }

  start() {
    this.#looking.start();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #turn(): Promise<void> {
    const listeners = this.#listeners;
    if (!listeners) return;
    const now = performance.now();
    if (now - this.#removedAt > removeMilliseconds) await this.#removeOld(now);
    if (listeners.listening()) return this.#look(listeners, now);
    if (this.#anew || now - this.#readAt < pauseMilliseconds) return;
    this.#beginAnew();
    listeners.forget();
  }

  async #look({ heard, lost }: FactListeners, now: number): Promise<void> {
    // This process was paused for so long that rows may be gone which nobody here has seen.
    if (!this.#anew && now - this.#readAt > pauseMilliseconds) {
      this.#beginAnew();
      this.#lost = true;
    }
    const rows = await this.#readSince(this.#anew ? beforeMilliseconds : now - this.#readAt + slackMilliseconds);
    this.#readAt = now;
    // What nobody here waited to hear was not late.
    if (!this.#anew) for (const { age } of rows) this.#observer?.heard(age);
    this.#anew = false;
    const changes = rows.flatMap((row) => this.#take(row, now));
    for (const id of this.#gone) if (!this.#ended.delete(id)) this.#lost = true;
    this.#gone.clear();
    if (changes.length > 0) heard(changes);
    if (this.#lost) {
      this.#lost = false;
      lost();
    }
  }

  async #readSince(milliseconds: number): Promise<FactRow[]> {
    const streams = [...this.#read];
    const rows = await this.#connection.query<FactRow>(selectFacts, [
      this.#process,
      milliseconds,
      { array: streams.map(([id]) => id), type: "TEXT" },
      { array: streams.map(([, { seq }]) => seq), type: "INT" },
    ]);
    const { opened } = this.#connection;
    if (opened !== this.#opened && !this.#anew) this.#lost = true;
    this.#opened = opened;
    return rows;
  }

  #take({ process, seq, facts }: FactRow, at: number): readonly ChangeEvent[] {
    const last = this.#read.get(process)?.seq;
    if (last !== undefined && seq !== last + 1) this.#lost = true;
    this.#read.set(process, { seq, at });
    const told = JSON.parse(facts) as Facts;
    if (told === "end") this.#ended.add(process);
    else if (told === "resync") this.#lost = true;
    else return told;
    return [];
  }

  #beginAnew() {
    this.#anew = true;
    this.#read.clear();
    this.#ended.clear();
    this.#gone.clear();
  }

  async #removeOld(now: number): Promise<void> {
    this.#removedAt = now;
    await this.#connection.query(`delete from fact where at < ${databaseNow} - $1`, [keptMilliseconds]);
    for (const [process, { at }] of this.#read) {
      if (now - at < 2 * keptMilliseconds) continue;
      this.#read.delete(process);
      this.#ended.delete(process);
    }
  }
}

const selectFacts = `select f.process, f.seq, f.facts, ${databaseNow} - f.at as age from fact f
  left join unnest(cast($3 as text[]), cast($4 as integer[])) as last (process, seq) on last.process = f.process
  where f.at > ${databaseNow} - $2 and f.process <> $1 and (last.seq is null or f.seq > last.seq)
  order by f.process, f.seq`;
