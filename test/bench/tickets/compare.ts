import { join } from "node:path";
import { progress } from "../progress.ts";
import { type Contestant, type Measured, measureInterleaved } from "../rounds.ts";
import { freshFolder, removeFolder } from "../scratch.ts";
import { startServer } from "../server-process.ts";
import { watchSize } from "../watch-size.ts";
import { freshInstallation } from "./intake.ts";
import { fastifyCommand } from "./rivals.ts";
import { countRows, type RowCount } from "./rows.ts";

export const names = {
  intake: "intake",
  bare: "bare Bun.serve",
  fastify: "Fastify",
  fastifyGrouped: "Fastify, grouped",
} as const;

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
  const started = [
    await start(names.intake, installation.token, installation.database, installation.serve(0), installation.log),
    await startRival(names.bare, "bare.db", bareCommand),
  ];
  if (withRivals) {
    started.push(
      await startRival(names.fastify, "fastify.db", (data, token) => fastifyCommand(data, 0, token, "each")),
      await startRival(names.fastifyGrouped, "fastify.db", (data, token) => fastifyCommand(data, 0, token, "grouped")),
    );
  }
  const log = watchSize(`${installation.database}-wal`);
  const measured = await measureInterleaved(started, { script, ...options });
  log.stop();
  const rows: RowCount[] = [];
  for (const [i, { stop, database, folder }] of started.entries()) {
    await stop();
    const result = measured[i];
    if (result) rows.push(countRows(database, result));
    removeFolder(folder);
  }
  return { measured, rows, logBytes: log.largest() };
}

interface Started extends Contestant {
  folder: string;
  database: string;
  stop: () => Promise<void>;
}

async function startRival(
  name: string,
  file: string,
  command: (folder: string, token: string) => string[],
): Promise<Started> {
  const folder = freshFolder("rival");
  const token = `itk_${crypto.randomUUID().replaceAll("-", "")}`;
  return start(name, token, join(folder, file), command(folder, token), join(folder, "log"));
}

async function start(name: string, token: string, database: string, command: string[], log: string): Promise<Started> {
  const { url, pid, stop } = await startServer(command, log);
  return { name, url, pid, token, database, stop, folder: join(log, "..") };
}

function bareCommand(folder: string, token: string): string[] {
  return [process.execPath, join(import.meta.dir, "../bare.ts"), folder, "0", token];
}
