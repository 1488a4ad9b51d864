/** One place on the retry schedule, with the time when it was or will be. */
export interface RetryStep {
  /** Seconds after the first. */
  offset: number;
  at: string | null;
  state: "failed" | "accepted" | "next" | "planned";
}

interface Climbed {
  /** What was tried of the present run through the schedule, oldest first. */
  tried: readonly { at: number; error: string | null }[];
  /** Null when it has ended. */
  nextAt: number | null;
  schedule: readonly number[];
}

/** Where a delivery stands: what was tried, what comes next, and when the rest would come. */
export function retryTimelineOf({ tried, nextAt, schedule }: Climbed): RetryStep[] {
  let offset = 0;
  let planned = nextAt;
  return schedule.map((seconds, i) => {
    offset += seconds;
    const done = tried[i];
    if (done) return { offset, at: moment(done.at), state: done.error === null ? "accepted" : "failed" };
    const next = i === tried.length;
    if (planned !== null && !next) planned += seconds * 1_000;
    return {
      offset,
      at: planned === null ? null : moment(planned),
      state: next && nextAt !== null ? "next" : "planned",
    };
  });
}

function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
