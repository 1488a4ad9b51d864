/** One attempt of the retry schedule, with the time when it was or will be made. */
export interface RetryStep {
  /** Seconds after the first attempt. */
  offset: number;
  at: string | null;
  state: "failed" | "accepted" | "next" | "planned";
}

interface Progress {
  /** The attempts of the present pass through the schedule, oldest first. */
  tried: readonly { at: number; error: string | null }[];
  /** Null when the delivery has ended. */
  nextAt: number | null;
  schedule: readonly number[];
}

/**
 * The attempts of a delivery along the schedule: those that were made, the next one, and when the others would follow.
 */
export function retryTimelineOf({ tried, nextAt, schedule }: Progress): RetryStep[] {
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
