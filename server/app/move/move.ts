import { compareEnds, type TableMoved } from "./compare-ends.ts";
import { copyFiles, type FilesMoved } from "./copy-files.ts";
import { copyTable } from "./copy-table.ts";
import type { MoveSource, MoveTarget, Progress } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";
import { requireSecretKey } from "./move-secret-key.ts";
import { requireUnused, setMarks, stateOf } from "./move-state.ts";
import { type MovedTable, tablesOfSchema } from "./moved-tables.ts";

export interface Moved {
  from: string;
  to: string;
  /** Undefined when an earlier run had moved everything. */
  moved?: {
    rows: number;
    tables: Record<string, TableMoved>;
    attachments: FilesMoved;
    /** Idempotency keys whose stored answers were compared byte for byte. */
    keysCompared: number;
    /** Of the rows that this run has copied, without the comparison. */
    rowsPerSecond: number;
    seconds: number;
  };
}

/**
 * Moves everything that an installation stores. What was moved is noted in the target together with the rows, so that
 * after a kill at any moment another run goes on there. The source loses nothing; once everything was compared it is
 * marked, and then the target is released: at no time can servers start on both.
 */
export async function moveInstallation(source: MoveSource, target: MoveTarget, out: Progress): Promise<Moved> {
  const begun = performance.now();
  const tables = tablesOfSchema();
  const ends = { from: source.words, to: target.words };
  if ((await stateOf(source, target, tables)) === "released") return ends;
  await source.requireSchema();
  await requireUnused(source, target);
  await source.freeze(tables);
  await target.prepare();
  // Another move of these ends may have gone on until the source was frozen.
  const state = await stateOf(source, target, tables);
  if (state === "released") return ends;
  if (state === "moved") {
    await target.release();
    return ends;
  }
  const copySecretKey = await requireSecretKey(source, target);
  const mark = await setMarks(source, target);

  out.note(`moving ${source.words} to ${target.words}${state === "begun" ? ", where an earlier run has stopped" : ""}`);
  copySecretKey();
  // Behind the marks: what a kill leaves of a trial file belongs to this move, and servers sweep it.
  await requireFiles(target);
  const done = await target.progress();
  const { copied, rowsPerSecond } = await copyTables(source, target, { tables, done, out });
  const attachments = await copyFiles(source, target, { before: done.get("files") ?? 0, out });
  out.progress("indexing");
  await target.settle();
  const keysCompared = await compareEnds(source, target, { tables, copied, out });
  await requireUnused(source, target);

  await source.setMark({ ...mark, movedAt: new Date().toISOString() });
  await target.release();
  const rows = [...copied.values()].reduce((sum, { rows }) => sum + rows, 0);
  const seconds = Math.round(performance.now() - begun) / 1_000;
  return {
    ...ends,
    moved: { rows, tables: Object.fromEntries(copied), attachments, keysCompared, rowsPerSecond, seconds },
  };
}

async function requireFiles(target: MoveTarget) {
  await target.files.removeDrafts("all");
  await target.files.probe();
  const trouble = target.files.trouble();
  if (trouble !== undefined) throw new MoveRefused(`attachments cannot be stored in ${target.words}: ${trouble}`);
}

async function copyTables(
  source: MoveSource,
  target: MoveTarget,
  { tables, done, out }: { tables: readonly MovedTable[]; done: ReadonlyMap<string, number>; out: Progress },
) {
  const begun = performance.now();
  const copied = new Map<string, TableMoved>();
  let fresh = 0;
  for (const table of tables) {
    const before = done.get(table.name) ?? 0;
    const told = (rows: number) => out.progress(`${table.name}: ${rows.toLocaleString("en")} rows`);
    const moved = await copyTable(source, target, table, { before, told });
    copied.set(table.name, moved);
    fresh += moved.rows - before;
    if (moved.rows > 0) out.note(`${table.name}: ${moved.rows.toLocaleString("en")} rows`);
  }
  return { copied, rowsPerSecond: Math.round(fresh / ((performance.now() - begun) / 1_000)) };
}
