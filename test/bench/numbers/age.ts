import { measuredPaths } from "./measured-paths.ts";
import { measuredAt, numbersOf } from "./section.ts";

/**
 * The benches whose numbers are older than the last change of what they measure, or of unknown age. `lastChange`:
 * epoch milliseconds of the last commit to these paths; undefined without a history, of which nothing can be said.
 */
export function outdated(page: string, lastChange: (paths: readonly string[]) => number | undefined): string[] {
  return Object.entries(measuredPaths).flatMap(([name, paths]) => {
    const changed = lastChange(paths);
    const measured = measuredAt(numbersOf(page, name));
    return changed !== undefined && (measured === undefined || measured < changed) ? [name] : [];
  });
}
