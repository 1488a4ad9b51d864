import { startIntake } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { progress } from "../progress.ts";
import { type Measured, measureInterleaved } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { watchSize } from "../watch-size.ts";
import { script } from "./compare.ts";
import { fill } from "./fill.ts";
import { countRows, countTickets } from "./rows.ts";
import { storeOne } from "./store-one.ts";

export interface BigTable {
  /** Tickets in the full database when the load began. */
  tickets: number;
  empty: Measured;
  full: Measured;
  ratio: number;
  rows: RowCount[];
  logBytes: number;
}

/** The same server twice, on an empty and on a full database, in interleaved rounds. */
export async function compareBigTable(
  binary: string,
  { rows, ...options }: { rows: number; rounds: number; seconds: number },
): Promise<BigTable> {
  progress(`filling a database with ${rows} tickets`);
  const installations = [await freshInstallation(binary), await freshInstallation(binary)] as const;
  await storeOne(installations[1]);
  fill(installations[1].database, rows);
  const before = [0, countTickets(installations[1].database)] as const;

  const contestants = [
    await startIntake("empty", installations[0], installations[0].token),
    await startIntake(`${before[1]} tickets`, installations[1], installations[1].token),
  ];
  const logs = installations.map(({ database }) => watchSize(`${database}-wal`));
  const [empty, full] = await measureInterleaved(contestants, { script, ...options });
  for (const log of logs) log.stop();
  if (!empty || !full) throw new Error("the big table was not measured");
  for (const { stop } of contestants) await stop();
  const counted = [
    countRows(installations[0].database, empty, before[0]),
    countRows(installations[1].database, full, before[1]),
  ];
  for (const { folder } of installations) removeFolder(folder);
  return {
    tickets: before[1],
    empty,
    full,
    ratio: full.requestsPerSecond / empty.requestsPerSecond,
    rows: counted,
    logBytes: Math.max(...logs.map((log) => log.largest())),
  };
}
