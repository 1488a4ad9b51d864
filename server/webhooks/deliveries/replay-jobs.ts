/** The progress of a replay of many deliveries. */
export interface ReplayProgress {
  /**
   * What the replay sends: deliveries that were given up, or reports that were missed while the subscriber was
   * disabled.
   */
  of: "dead" | "missed";
  state: "running" | "done" | "stopped" | "failed";
  since: string;
  startedAt: string;
  replayed: number;
}

/** The latest replay of each subscriber, of which at most one runs. */
export interface ReplayJobs {
  /** Undefined when none was begun that is still remembered. */
  find(subscriberId: string): ReplayProgress | undefined | Promise<ReplayProgress | undefined>;
  /** Begins a replay, and returns its id; undefined while another one of the subscriber runs. */
  begin(subscriberId: string, progress: ReplayProgress): string | undefined | Promise<string | undefined>;
  /** Writes down how far a replay is; false when it was stopped. */
  advance(subscriberId: string, id: string, replayed: number): boolean | Promise<boolean>;
  end(subscriberId: string, id: string, state: "done" | "failed"): void | Promise<void>;
  stop(subscriberId: string): void | Promise<void>;
}

/** Ended replays that are remembered, also of subscribers that were removed since. */
const endedMax = 200;

/** The replays of one process that nobody shares the store with, until it ends. */
export class OwnReplayJobs implements ReplayJobs {
  readonly #all = new Map<string, ReplayProgress & { id: string }>();
  #begun = 0;

  find(subscriberId: string): ReplayProgress | undefined {
    const found = this.#all.get(subscriberId);
    if (!found) return undefined;
    const { id: _, ...progress } = found;
    return progress;
  }

  begin(subscriberId: string, progress: ReplayProgress): string | undefined {
    if (this.#all.get(subscriberId)?.state === "running") return undefined;
    const id = String(++this.#begun);
    // Inserted again, so that the replay is the last one in the Map.
    this.#all.delete(subscriberId);
    this.#all.set(subscriberId, { ...progress, id });
    this.#forgetOldest();
    return id;
  }

  advance(subscriberId: string, id: string, replayed: number): boolean {
    const found = this.#all.get(subscriberId);
    if (found?.id !== id) return false;
    found.replayed = replayed;
    return found.state === "running";
  }

  end(subscriberId: string, id: string, state: "done" | "failed") {
    const found = this.#all.get(subscriberId);
    if (found?.id === id && found.state === "running") found.state = state;
  }

  stop(subscriberId: string) {
    const found = this.#all.get(subscriberId);
    if (found?.state === "running") found.state = "stopped";
  }

  #forgetOldest() {
    const ended = [...this.#all].filter(([, { state }]) => state !== "running");
    for (const [id] of ended.slice(0, Math.max(0, ended.length - endedMax))) this.#all.delete(id);
  }
}
