import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startIntake } from "../contestant.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { median } from "../median.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { type Measured, measureInterleaved } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { freshFolder, removeFolder } from "../scratch.ts";
import { startServer } from "../server-process.ts";
import { script } from "./compare.ts";
import { fill } from "./fill.ts";
import { countRows, countTickets } from "./rows.ts";
import { storeOne } from "./store-one.ts";

const waitingCards = 100_000;

export interface Waiting {
  cards: number;
  indexed: Measured;
  unindexed: Measured;
  rows: RowCount[];
}

/**
 * The same tickets twice: all in the search index, and none. Every round starts anew from a copy of the data, because
 * the index of a running server catches up.
 */
export async function measureWaiting(
  binary: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Waiting> {
  const installation = await freshInstallation(binary);
  await storeOne(installation);
  fill(installation.database, waitingCards);
  const copies = freshFolder("waiting");
  const [unindexed, indexed] = [join(copies, "unindexed"), join(copies, "indexed")];
  cpSync(installation.data, unindexed, { recursive: true });
  await untilIndexed(installation);
  cpSync(installation.data, indexed, { recursive: true });

  const measured = { indexed: [] as Measured[], unindexed: [] as Measured[] };
  const rows: RowCount[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.indexed.push(await load("indexed", indexed));
    measured.unindexed.push(await load(`${waitingCards} waiting`, unindexed));
  }
  removeFolder(copies);
  removeFolder(installation.folder);
  return { cards: waitingCards, indexed: medianOf(measured.indexed), unindexed: medianOf(measured.unindexed), rows };

  async function load(name: string, data: string): Promise<Measured> {
    rmSync(installation.data, { recursive: true });
    cpSync(data, installation.data, { recursive: true });
    const before = countTickets(installation.database);
    const server = await startIntake(name, installation, installation.token);
    const [one] = await measureInterleaved([server], { script, seconds, rounds: 1 });
    await server.stop();
    if (!one) throw new Error("nothing was measured");
    rows.push(countRows(installation.database, one, before));
    return one;
  }
}

function medianOf(all: readonly Measured[]): Measured {
  const [first] = all;
  if (!first) throw new Error("nothing was measured");
  const middle = (of: (one: Measured) => number) => median(all.map(of));
  return {
    ...first,
    requestsPerSecond: middle((one) => one.requestsPerSecond),
    p50Milliseconds: middle((one) => one.p50Milliseconds),
    p99Milliseconds: middle((one) => one.p99Milliseconds),
    cpuMicrosecondsPerRequest: middle((one) => one.cpuMicrosecondsPerRequest),
    residentBytes: middle((one) => one.residentBytes),
  };
}

const lookMilliseconds = 1_000;
/** Of a core. A server that indexes uses several times as much, one without work less. */
const restingShare = 0.03;
const patienceMilliseconds = 300_000;

/** Runs the server until it has nothing left to do. */
async function untilIndexed({ serve, log }: Installation) {
  progress(`indexing ${waitingCards} tickets`);
  const { pid, stop } = await startServer(serve(0), log);
  const patience = performance.now() + patienceMilliseconds;
  for (let [before, began] = [cpuMicroseconds(pid), performance.now()]; ; ) {
    await Bun.sleep(lookMilliseconds);
    const [now, ended] = [cpuMicroseconds(pid), performance.now()];
    if ((now - before) / 1_000 / (ended - began) < restingShare) break;
    if (ended > patience) throw new Error("the search index did not catch up within five minutes");
    [before, began] = [now, ended];
  }
  await stop();
}
