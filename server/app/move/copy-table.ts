import type { TableMoved } from "./compare-ends.ts";
import type { MoveEnd, RowTarget } from "./ends.ts";
import type { MovedTable } from "./moved-tables.ts";
import { RowDigest } from "./row-digest.ts";

/** Rows and bytes of a commit: what a kill costs at most. */
const [commitRows, commitBytes] = [100_000, 33_554_432];

interface Options {
  /** Rows that an earlier run has moved: those that stand first at the source. */
  before?: number;
  told?: (rows: number) => void;
  /** When to stop, by the monotonic clock. */
  until?: number;
}

/** Copies the rows that the target does not have yet, and returns the digest of all. */
export async function copyTable(
  source: MoveEnd,
  target: RowTarget,
  table: MovedTable,
  { before = 0, told = () => {}, until = Number.POSITIVE_INFINITY }: Options = {},
): Promise<TableMoved> {
  const digest = new RowDigest();
  let [rows, bytes] = [0, 0];
  // The target takes some lines while the next ones are read.
  let writing: Promise<void> | undefined;
  for await (const lines of source.read(table)) {
    const first = digest.rows;
    digest.add(lines);
    await writing;
    writing = undefined;
    if (digest.rows <= before) continue;
    const fresh = first >= before ? lines : linesFrom(lines, before - first);
    rows += digest.rows - Math.max(first, before);
    bytes += fresh.length;
    writing = target.write(table, fresh);
    // Nothing waits for it until the next lines are there.
    writing.catch(() => {});
    if (rows >= commitRows || bytes >= commitBytes) {
      await writing;
      await target.commit(table, digest.rows);
      [rows, bytes] = [0, 0];
      told(digest.rows);
    }
    if (performance.now() > until) break;
  }
  await writing;
  if (digest.rows > before) await target.commit(table, digest.rows);
  return { rows: digest.rows, digest: digest.hex };
}

/** Without the first lines. */
function linesFrom(lines: Uint8Array, skipped: number): Uint8Array {
  let start = 0;
  for (let i = 0; i < skipped; i++) start = lines.indexOf(10, start) + 1;
  return lines.subarray(start);
}
