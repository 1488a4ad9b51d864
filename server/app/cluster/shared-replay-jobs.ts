import { Periodic } from "../../core/periodic.ts";
import type { Row } from "../../core/store.ts";
import type { ReplayJobs, ReplayProgress } from "../../webhooks/deliveries/replay-jobs.ts";
import type { Query } from "./connection.ts";

interface JobRow extends Row {
  kind: ReplayProgress["of"];
  state: ReplayProgress["state"];
  since: number;
  started_at: number;
  replayed: number;
}

const retryMilliseconds = 1_000;

/** Replays that any process runs: every process knows how far they are and stops them, and none begins a second one. */
export class SharedReplayJobs implements ReplayJobs {
  readonly #query: Query;
  readonly #process: string;
  /** Replays that have ended here, by their ids, and run on in the database, which was away: they hinder the next one. */
  readonly #unwritten = new Map<string, { subscriberId: string; state: "done" | "failed" }>();
  /** To be started with the server. */
  readonly writingEnds = new Periodic({
    turn: () => this.#writeEnds(),
    every: retryMilliseconds,
    failed: "the end of a replay could not be written down and will be tried again",
  });

  constructor(query: Query, process: string) {
    this.#query = query;
    this.#process = process;
  }

  async find(subscriberId: string): Promise<ReplayProgress | undefined> {
    const [row] = await this.#query<JobRow>(
      `select kind, since, started_at, replayed, case when ${goesOn} then state
         when state = 'running' then 'stopped' else state end as state
       from replay_job where subscriber_id = $1`,
      [subscriberId],
    );
    return (
      row && {
        of: row.kind,
        state: row.state,
        since: new Date(row.since).toISOString(),
        startedAt: new Date(row.started_at).toISOString(),
        replayed: row.replayed,
      }
    );
  }

  async begin(subscriberId: string, { of, since, startedAt, replayed }: ReplayProgress): Promise<string | undefined> {
    const id = crypto.randomUUID();
    const times = [Date.parse(since), Date.parse(startedAt)];
    const begun = await this.#query(
      `insert into replay_job (subscriber_id, id, kind, state, since, started_at, replayed, holder)
       values ($1, $2, $3, 'running', $4, $5, $6, $7)
       on conflict (subscriber_id) do update set id = excluded.id, kind = excluded.kind, state = excluded.state,
         since = excluded.since, started_at = excluded.started_at, replayed = excluded.replayed, holder = excluded.holder
       where replay_job.id = excluded.id or not (${goesOn})
       returning id`,
      [subscriberId, id, of, ...times, replayed, this.#process],
    ).catch((error) => {
      // The row may be stored although the answer was lost, and nobody makes this replay.
      this.#unwritten.set(id, { subscriberId, state: "failed" });
      throw error;
    });
    return begun.length > 0 ? id : undefined;
  }

  async advance(subscriberId: string, id: string, replayed: number): Promise<boolean> {
    const advanced = await this.#query(
      `update replay_job set replayed = $3 where subscriber_id = $1 and id = $2 and state = 'running' returning id`,
      [subscriberId, id, replayed],
    );
    return advanced.length > 0;
  }

  async end(subscriberId: string, id: string, state: "done" | "failed"): Promise<void> {
    this.#unwritten.set(id, { subscriberId, state });
    await this.#writeEnds();
  }

  async stop(subscriberId: string): Promise<void> {
    await this.#query("update replay_job set state = 'stopped' where subscriber_id = $1 and state = 'running'", [
      subscriberId,
    ]);
  }

  async #writeEnds(): Promise<void> {
    for (const [id, { subscriberId, state }] of this.#unwritten) {
      await this.#query("update replay_job set state = $3 where subscriber_id = $1 and id = $2 and state = 'running'", [
        subscriberId,
        id,
        state,
      ]);
      this.#unwritten.delete(id);
    }
  }
}

/** Whether a replay runs: a process that is gone goes on with none. */
const goesOn = `replay_job.state = 'running' and exists (select 1 from process where process.id = replay_job.holder)`;
