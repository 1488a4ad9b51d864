import { join } from "node:path";
import { type Contestant, startIntake, startRival } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { names } from "../names.ts";
import { progress } from "../progress.ts";
import { rivalCommand } from "../rivals.ts";
import { type Measured, measureInterleaved } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { watchSize } from "../watch-size.ts";
import { countRows } from "./rows.ts";

export const script = join(import.meta.dir, "requests.lua");

export interface Comparison {
  measured: Measured[];
  rows: RowCount[];
  /** Largest write-ahead log of Intake. */
  logBytes: number;
}

/** All servers run beside each other from start to end; only one at a time has anything to do. */
export async function compare(
  binary: string,
  withRivals: boolean,
  options: { rounds: number; seconds: number },
): Promise<Comparison> {
  progress("starting the servers");
  const installation = await freshInstallation(binary);
  const contestants = [await startIntake(names.intake, installation, installation.token), await startBare()];
  if (withRivals) {
    contestants.push(
      await startRival(names.fastify, "fastify.db", (data, token) => fastifyCommand(data, 0, token, "each")),
      await startRival(names.fastifyGrouped, "fastify.db", (data, token) => fastifyCommand(data, 0, token, "grouped")),
    );
  }
  const log = watchSize(`${installation.database}-wal`);
  const measured = await measureInterleaved(contestants, { script, ...options });
  log.stop();
  const rows: RowCount[] = [];
  for (const [i, { stop, database, folder }] of contestants.entries()) {
    await stop();
    const result = measured[i];
    if (result) rows.push(countRows(database, result));
    removeFolder(folder);
  }
  return { measured, rows, logBytes: log.largest() };
}

export function startBare(): Promise<Contestant> {
  return startRival(names.bare, "bare.db", (folder, token) => {
    return [process.execPath, join(import.meta.dir, "bare.ts"), folder, "0", token];
  });
}

export function fastifyCommand(data: string, port: number, token: string, mode: "each" | "grouped"): string[] {
  return rivalCommand("tickets-server.js", data, String(port), token, mode);
}
