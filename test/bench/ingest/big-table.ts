import { startIntake } from "../contestant.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { progress } from "../progress.ts";
import { type Measured, measureInterleaved } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { startServer } from "../server-process.ts";
import type { Bodies } from "./bodies.ts";
import { errorReport } from "./envelope.ts";
import { fill } from "./fill.ts";
import { gzipEnvelope, multipart } from "./multipart.ts";
import { openGzip } from "./open-gzip.ts";
import { countEvents, countRows } from "./rows.ts";
import { send } from "./send.ts";
import { script } from "./servers.ts";

/** Report ids as `crypto.randomUUID` makes them, which fall anywhere into an index, and such that begin with the time. */
const idVersions = ["4", "7"] as const;

export interface BigTable {
  /** Events in the full database when the load began. */
  events: number;
  byIdVersion: { version: (typeof idVersions)[number]; empty: Measured; full: Measured; ratio: number }[];
  rows: RowCount[];
}

/** The same server twice, on an empty and on a full database, in interleaved rounds. */
export async function compareBigTable(
  binary: string,
  small: Bodies,
  { rows, ...options }: { rows: number; rounds: number; seconds: number },
): Promise<BigTable> {
  progress(`filling a database with ${rows} events`);
  const installations = [await freshInstallation(binary), await freshInstallation(binary)] as const;
  await storeOne(installations[1]);
  fill(installations[1].database, rows);
  const events = countEvents(installations[1].database);
  const contestants = [
    await startIntake("empty", installations[0], installations[0].sdkKey),
    await startIntake(`${events} events`, installations[1], installations[1].sdkKey),
  ] as const;
  const byIdVersion: BigTable["byIdVersion"] = [];
  for (const version of idVersions) {
    const [empty, full] = await measureInterleaved(contestants, { script, args: [small.file, version], ...options });
    if (!empty || !full) throw new Error("the big table was not measured");
    byIdVersion.push({ version, empty, full, ratio: full.requestsPerSecond / empty.requestsPerSecond });
  }
  for (const { stop } of contestants) await stop();
  const counted = [
    countRows(contestants[0], sum(byIdVersion.map(({ empty }) => empty))),
    countRows(contestants[1], sum(byIdVersion.map(({ full }) => full)), { before: events }),
  ];
  for (const { folder } of installations) removeFolder(folder);
  return { events, byIdVersion, rows: counted };
}

function sum(all: readonly Measured[]) {
  const total = (of: (one: Measured) => number) => all.reduce((so, one) => so + of(one), 0);
  return {
    name: all[0]?.name ?? "",
    answers: total(({ answers }) => answers),
    refusals: total(({ refusals }) => refusals),
    underWayMax: total(({ underWayMax }) => underWayMax),
  };
}

/** The pattern that the tables are filled with. */
export async function storeOne({ serve, log, sdkKey }: Installation) {
  const { url, stop } = await startServer(serve(0), log);
  const body = multipart([gzipEnvelope(openGzip(errorReport(1)).bytes)]);
  const { status, text } = await send({ url, token: sdkKey }, [body]);
  if (status !== 200) throw new Error(`a report was answered ${status}: ${text}`);
  await stop();
}
