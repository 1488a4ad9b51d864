import type { ChangeEvent } from "../../core/change-event.ts";
import { Periodic } from "../../core/periodic.ts";
import type { RecentRequest, RecentRequestsOfOthers } from "../../live/recent-requests.ts";
import { databaseNow, type Query } from "./connection.ts";

const lookMilliseconds = 1_000;
/** After an admin has asked for the newest requests, the processes show theirs for so long. */
const watchedMilliseconds = 90_000;

/** What this process needs to be among the others. */
interface Process {
  readonly id: string;
  readonly tell: (change: ChangeEvent) => void;
}

/** The newest requests of each process, in the database while an admin watches them arrive at any process. */
export class SharedRecentRequests implements RecentRequestsOfOthers {
  readonly #query: Query;
  readonly #process: Process;
  #own: Parameters<RecentRequestsOfOthers["share"]>[0] = () => ({ count: 0, requests: [] });
  /** How many requests there were when they were written last; undefined while nobody watches. */
  #written: number | undefined;
  readonly #looking = new Periodic({
    turn: () => this.#look(),
    every: lookMilliseconds,
    failed: "other processes were not shown the newest requests",
  });

  constructor(query: Query, process: Process) {
    this.#query = query;
    this.#process = process;
  }

  share(own: Parameters<RecentRequestsOfOthers["share"]>[0]) {
    this.#own = own;
  }

  async list(): Promise<RecentRequest[]> {
    const { id } = this.#process;
    await this.#query(
      `insert into recent_requests (process, watched_at) values ($1, ${databaseNow})
       on conflict (process) do update set watched_at = excluded.watched_at`,
      [id],
    );
    const rows = await this.#query<{ process: string; requests: string }>(
      `select r.process, r.requests from recent_requests r join process p on p.id = r.process
       where r.process <> $1 and r.requests is not null`,
      [id],
    );
    return rows.flatMap(({ process, requests }) =>
      (JSON.parse(requests) as RecentRequest[]).map((request) => ({ ...request, id: `${process} ${request.id}` })),
    );
  }

  start() {
    this.#looking.start();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #look(): Promise<void> {
    const watching = await this.#query(
      `select process from recent_requests where watched_at > ${databaseNow} - $1 limit 1`,
      [watchedMilliseconds],
    );
    if (watching.length === 0) {
      this.#written = undefined;
      return;
    }
    const { count, requests } = this.#own();
    if (count === (this.#written ?? 0)) return;
    await this.#write(requests);
    this.#written = count;
    this.#process.tell({ kind: "arrival", id: this.#process.id });
  }

  /** Rows of processes that are gone go too. */
  async #write(requests: readonly RecentRequest[]): Promise<void> {
    const { id } = this.#process;
    await this.#query("delete from recent_requests where process <> $1 and process not in (select id from process)", [
      id,
    ]);
    await this.#query(
      `insert into recent_requests (process, requests) values ($1, $2)
       on conflict (process) do update set requests = excluded.requests`,
      [id, JSON.stringify(requests)],
    );
  }
}
