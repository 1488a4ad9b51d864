import { peakResidentBytes, residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { type Load, loadOnce } from "../wrk.ts";
import { type Bodies, bombBodies } from "./bodies.ts";
import { countRows } from "./rows.ts";
import { send } from "./send.ts";
import { script, startIngest } from "./servers.ts";

export const bombConnections = 16;

export interface Bombs {
  gzipBytes: number;
  unpackedBytes: number;
  bombsPerSecond: number;
  /** What a bomb was answered, as in the contract or not. */
  answer: string;
  answeredRight: boolean;
  /** Small valid requests on one connection, without bombs and beside them. */
  alone: Load;
  beside: Load;
  residentBytes: number;
  growthBytes: number;
  rows: RowCount;
}

const aloneSeconds = 3;

/** Bombs without a pause on 16 connections, and one connection that reports as if nothing were wrong. */
export async function measureBombs(binary: string, small: Bodies, seconds: number): Promise<Bombs> {
  progress("gzip bombs");
  const bombs = bombBodies();
  const server = await startIngest(binary);
  const one = { script, args: [small.file], connections: 1 };
  const alone = await loadOnce(server, { ...one, seconds: aloneSeconds });
  const before = residentBytes(server.pid);
  const [beside, bombing] = await Promise.all([
    loadOnce(server, { ...one, seconds }),
    loadOnce(server, { script, args: [bombs.file], connections: bombConnections, seconds }),
  ]);
  const growthBytes = Math.max(0, peakResidentBytes(server.pid) - before);
  const { status, text } = await send(server, [bombs.body]);
  await server.stop();
  const rows = countRows(server, {
    name: server.name,
    answers: alone.answers + beside.answers,
    refusals: alone.refusals + beside.refusals,
    underWayMax: 2,
  });
  removeFolder(server.folder);
  return {
    gzipBytes: bombs.envelopeBytes,
    unpackedBytes: bombs.jsonBytes,
    bombsPerSecond: (bombing.refusals + bombing.answers) / bombing.seconds,
    answer: `${status} ${text.slice(0, 200)}`,
    answeredRight: bombing.answers === 0 && status === 413 && /"reason":"envelope"/.test(text),
    alone,
    beside,
    residentBytes: before,
    growthBytes,
    rows,
  };
}
