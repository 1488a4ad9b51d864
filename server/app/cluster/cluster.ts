import { version } from "../../../package.json";
import type { LaneOptions } from "../../store/postgres/lane.ts";
import { postgresMigrations } from "../../store/postgres/migrations/index.ts";
import type { DatabaseObserver, LaneCounts } from "../../store/postgres/observer.ts";
import type { PeerListeners, Peers } from "../place.ts";
import { ClusterConnection, databaseNow } from "./connection.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Duties } from "./duties.ts";
import { FactReader } from "./fact-reader.ts";
import { FactWriter } from "./fact-writer.ts";
import { Processes } from "./processes.ts";

/** The first answer also waits for a connection to be opened. */
const clockReads = 3;

/** The processes that use one PostgreSQL database, as one of them sees them. */
export class Cluster implements Peers {
  readonly duties: Duties;
  readonly #connection: ClusterConnection;
  readonly #processes: Processes;
  readonly #writer: FactWriter;
  readonly #reader: FactReader;
  #listeners: PeerListeners | undefined;
  /** How many times anything may have changed. */
  losses = 0;

  constructor(options: LaneOptions, observer?: DatabaseObserver) {
    this.#connection = new ClusterConnection(options);
    const { query } = this.#connection;
    this.#processes = new Processes(query, { version, schema: postgresMigrations.at(-1)?.number ?? 0 });
    this.#writer = new FactWriter(query, this.id);
    this.#reader = new FactReader(this.#connection, this.id, observer);
    this.duties = new Duties(query, this.id);
    this.#processes.onGone = (processes) => {
      this.#reader.gone(processes);
      this.duties.look();
      this.#listeners?.gone();
    };
  }

  get id(): string {
    return this.#processes.id;
  }

  get alive(): () => boolean {
    return this.#processes.alive;
  }

  lanes(): LaneCounts {
    return this.#connection.counts();
  }

  /** Without a write nothing else would show that the connections hang. */
  readonly trouble = (): string | undefined =>
    this.alive() ? this.clock.trouble() : "the database has not answered for some seconds";

  get clock(): DatabaseClock {
    return this.#processes.clock;
  }

  /** Asks the database for its time, before anything is stored by it. */
  async readClock(): Promise<void> {
    for (let i = 0; i < clockReads; i++) {
      const sent = performance.now();
      const [row] = await this.#connection.query<{ at: number }>(`select ${databaseNow} as at`);
      this.clock.told(row?.at ?? 0, sent, performance.now());
    }
  }

  get tell(): Peers["tell"] {
    return this.#writer.tell;
  }

  /** To be called before the start: a process that has ended for certain. What it had claimed is free at once. */
  ended(process: string | undefined) {
    this.#processes.former = process;
  }

  /** Other processes and operators see where this one answers. */
  serving(url: string) {
    this.#processes.url = url;
  }

  connect(listeners: PeerListeners) {
    this.#listeners = listeners;
    this.#reader.connect({
      ...listeners,
      lost: () => {
        this.losses++;
        listeners.lost();
      },
    });
  }

  async start(): Promise<void> {
    await this.#processes.start();
    this.#writer.start();
    this.#reader.start();
    this.duties.start();
  }

  async stop(): Promise<void> {
    await this.#reader.stop();
    // The others hear all that this process has told before they see that it is gone.
    await Promise.all([this.duties.stop(), this.#writer.stop()]);
    await this.#processes.stop();
    this.#connection.close();
  }
}
