/** How many rows a slice of work takes, so that it takes some milliseconds: learnt from how long earlier slices took. */
export class SliceSize {
  readonly #goal: { milliseconds: number; min: number; max: number };
  size: number;

  /** The first slice is the smallest. */
  constructor(goal: { milliseconds: number; min: number; max: number }) {
    this.#goal = goal;
    this.size = goal.min;
  }

  /** At most doubled each time: one slice that was fast by chance must not be followed by one that takes very long. */
  took(milliseconds: number, rows: number) {
    const { milliseconds: goal, min, max } = this.#goal;
    const fitting = milliseconds > 0 ? Math.floor((rows * goal) / milliseconds) : max;
    this.size = Math.max(min, Math.min(max, fitting, 2 * Math.max(rows, this.size)));
  }
}
