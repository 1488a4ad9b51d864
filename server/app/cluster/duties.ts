import { log } from "../../core/log.ts";
import { Periodic } from "../../core/periodic.ts";
import type { Work } from "../place.ts";
import { databaseNow, type Query } from "./connection.ts";

const leaseMilliseconds = 15_000;
/** By its own clock a process ends a duty before the lease is over, as others may begin it then. */
const heldMilliseconds = 13_000;
const renewMilliseconds = 5_000;
const lookMilliseconds = 2_000;

interface Duty {
  name: string;
  work: Work;
  /** Whether this process would do it. */
  wanted: boolean;
  /** Set while it runs here. */
  begun: Promise<void> | undefined;
  /** When the lease was last renewed, by the monotonic clock. */
  renewedAt: number;
}

/**
 * Work that one process at a time does, held by a lease: renewed every 5 s, 15 s long, and free at once when the process
 * stops or counts as dead. A process that was paused may go on with a duty that another one has, for the rest of a turn:
 * each step of such work may be done twice, or is written with a {@link DutyStore}.
 */
export class Duties {
  readonly #query: Query;
  readonly #holder: string;
  readonly #all: Duty[] = [];
  readonly #looking = new Periodic({
    turn: () => this.#look(),
    every: lookMilliseconds,
    failed: "the duties of this process could not be renewed and will be tried again",
  });

  constructor(query: Query, holder: string) {
    this.#query = query;
    this.#holder = holder;
  }

  /** Work that runs here while this process has the duty of that name. */
  of(name: string, work: Work): Work {
    const duty: Duty = { name, work, wanted: false, begun: undefined, renewedAt: Number.NEGATIVE_INFINITY };
    this.#all.push(duty);
    return {
      start: () => {
        duty.wanted = true;
        this.look();
      },
      stop: async () => {
        duty.wanted = false;
        await this.#end(duty);
      },
    };
  }

  start() {
    this.#looking.start();
    this.look();
  }

  /** Takes what another process has left. */
  look() {
    void this.#looking.wake();
  }

  /** To be called once the work has ended: others may begin it. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    await this.#query("delete from duty where holder = $1", [this.#holder]).catch(() => {});
  }

  async #look(): Promise<void> {
    const now = performance.now();
    for (const duty of this.#all) if (now - duty.renewedAt > heldMilliseconds) await this.#end(duty);
    const due = this.#all.filter(({ wanted, renewedAt }) => wanted && now - renewedAt >= renewMilliseconds);
    if (due.length === 0) return;
    const sent = performance.now();
    const rows = await this.#query<{ name: string }>(claimDuties, [
      // In one order for everybody, so that two processes wait for each other's rows in no circle.
      { array: due.map(({ name }) => name).sort(), type: "TEXT" },
      this.#holder,
      leaseMilliseconds,
    ]);
    const held = new Set(rows.map(({ name }) => name));
    for (const duty of due) {
      if (!held.has(duty.name)) await this.#end(duty);
      else if (duty.wanted) await this.#begin(duty, sent);
    }
  }

  async #begin(duty: Duty, renewedAt: number): Promise<void> {
    duty.renewedAt = renewedAt;
    if (duty.begun) return;
    duty.begun = Promise.resolve(duty.work.start());
    try {
      await duty.begun;
    } catch (error) {
      log.warn("a duty could not be begun and will be tried again", { duty: duty.name, error });
      await this.#end(duty);
    }
  }

  async #end(duty: Duty): Promise<void> {
    const { begun } = duty;
    duty.begun = undefined;
    duty.renewedAt = Number.NEGATIVE_INFINITY;
    if (!begun) return;
    await begun.catch(() => {});
    await duty.work.stop();
  }
}

/** Locks no row of a duty that another living process holds. */
const claimDuties = `insert into duty (name, holder, until)
  select name, $2, ${databaseNow} + $3 from unnest(cast($1 as text[])) as wanted (name)
  where not exists (select 1 from duty d join process p on p.id = d.holder
    where d.name = wanted.name and d.holder <> $2 and d.until > ${databaseNow})
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where duty.holder = excluded.holder or duty.until <= ${databaseNow}
      or not exists (select 1 from process p where p.id = duty.holder)
  returning name`;
