import { log } from "../../core/log.ts";
import { Periodic } from "../../core/periodic.ts";
import { databaseNow, type Query } from "./connection.ts";
import { DatabaseClock } from "./database-clock.ts";

const beatMilliseconds = 2_000;
/** A process without a heartbeat for so long counts as dead: another one sees it two seconds later at most. */
const deadMilliseconds = 9_000;
/** A process takes itself for dead a little before the others do. */
const aliveMilliseconds = 8_500;
/**
 * Only a process whose heartbeats have come without a pause for so long removes others: after an outage of the database
 * the rows of all processes are old.
 */
const steadyMilliseconds = 6_000;
const pauseMilliseconds = 2 * beatMilliseconds + 1_000;

interface About {
  version: string;
  /** The newest step of the schema that this process knows. */
  schema: number;
}

/**
 * The heartbeats of this process, and what is known of the others by theirs. What a process that is gone had claimed is
 * free: a paused process that comes back finds others at it, and ends nothing with leases that it has lost.
 */
export class Processes {
  readonly id = crypto.randomUUID();
  /** Called with the ids of others that have stopped or died since the last heartbeat. */
  onGone: (ids: readonly string[]) => void = () => {};
  url = "";
  readonly clock = new DatabaseClock();
  #clockTrouble: string | undefined;
  /** A process that has ended for certain. */
  former: string | undefined;
  readonly #query: Query;
  readonly #about: About;
  readonly #beating = new Periodic({
    turn: () => this.#beat(),
    every: beatMilliseconds,
    failed: "the heartbeat of this process failed and will be tried again",
  });
  #others = new Set<string>();
  /** When the last heartbeat that was stored was sent, by the monotonic clock. */
  #beatAt = Number.NEGATIVE_INFINITY;
  #steadySince = Number.NEGATIVE_INFINITY;

  constructor(query: Query, about: About) {
    this.#query = query;
    this.#about = about;
  }

  /** Whether the others certainly count this process as alive. */
  readonly alive = (): boolean => performance.now() - this.#beatAt < aliveMilliseconds;

  async start(): Promise<void> {
    await this.#beat();
    if (this.former !== undefined) await this.#query("delete from process where id = $1", [this.former]);
    this.#beating.start();
  }

  /** What this process has claimed is free at once. */
  async stop(): Promise<void> {
    await this.#beating.stop();
    await this.#query("delete from process where id = $1", [this.id]).catch(() => {});
  }

  async #beat(): Promise<void> {
    const sent = performance.now();
    const { version, schema } = this.#about;
    const [beat] = await this.#query<{ at: number }>(
      `insert into process (id, url, version, schema, started_at, seen_at)
       values ($1, $2, $3, $4, ${databaseNow}, ${databaseNow})
       on conflict (id) do update set seen_at = excluded.seen_at returning seen_at as at`,
      [this.id, this.url, version, schema],
    );
    this.clock.told(beat?.at ?? 0, sent, performance.now());
    this.#tellClock();
    if (sent - this.#beatAt > pauseMilliseconds) this.#steadySince = sent;
    this.#beatAt = sent;
    if (sent - this.#steadySince >= steadyMilliseconds) {
      await this.#query(`delete from process where seen_at < ${databaseNow} - $1 and id <> $2`, [
        deadMilliseconds,
        this.id,
      ]);
    }
    const rows = await this.#query<{ id: string }>("select id from process where id <> $1", [this.id]);
    const others = new Set(rows.map(({ id }) => id));
    const gone = [...this.#others].filter((id) => !others.has(id));
    this.#others = others;
    if (gone.length > 0) this.onGone(gone);
  }

  #tellClock() {
    const [before, trouble] = [this.#clockTrouble, this.clock.trouble()];
    this.#clockTrouble = trouble;
    if (trouble !== undefined && before === undefined) {
      log.error(`${trouble}. Until then /readyz answers 503; what is stored has the database's time`);
    }
    if (trouble === undefined && before !== undefined)
      log.info("this machine's clock agrees with the database's again");
  }
}
