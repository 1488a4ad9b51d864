import { type Row, StoreUnavailable } from "../../core/store.ts";
import { troubleOf } from "../../store/postgres/errors.ts";
import { Lane, type LaneOptions, type Parameter } from "../../store/postgres/lane.ts";
import type { LaneCounts } from "../../store/postgres/observer.ts";
import { SharedLanes } from "../../store/postgres/shared-lanes.ts";

/** One statement, committed by itself. `once`: it is not to run again when nobody knows whether it has. */
export type Query = <R extends Row>(
  sql: string,
  params?: readonly Parameter[],
  how?: { once?: boolean },
) => Promise<R[]>;

/** Epoch milliseconds by the database's clock, the only one that all processes have in common. */
export const databaseNow = "cast(extract(epoch from statement_timestamp()) * 1000 as double precision)";

/** Shorter than a process counts as alive without a heartbeat, so that a connection which hangs is given up in time. */
const patience = { statement: 3_000, commit: 3_000 } as const;
const lookMilliseconds = 500;

/**
 * The connection on which processes hear of each other: no request waits for it, and it waits for no request. It is
 * opened with the first query, and again after it was lost.
 */
export class ClusterConnection {
  readonly #lanes: SharedLanes;
  #looking: Timer | undefined;
  /** How many times it was opened. */
  opened = 0;

  constructor(options: LaneOptions) {
    this.#lanes = new SharedLanes(1, async () => {
      const lane = await Lane.open(options, patience);
      this.opened++;
      return lane;
    });
  }

  readonly query: Query = async <R extends Row>(sql: string, params: readonly Parameter[] = []) => {
    this.#looking ??= setInterval(() => this.#lanes.look(performance.now()), lookMilliseconds).unref();
    try {
      const lane = await this.#lanes.next();
      return (await lane.query(sql, params)).rows as R[];
    } catch (error) {
      const trouble = troubleOf(error);
      throw trouble === undefined ? error : new StoreUnavailable(trouble, { cause: error });
    }
  };

  counts(): LaneCounts {
    return this.#lanes.counts();
  }

  close() {
    clearInterval(this.#looking);
    this.#lanes.close();
  }
}
