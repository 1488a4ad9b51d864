import { join } from "node:path";
import { freshInstallation } from "../intake.ts";
import { names } from "../names.ts";
import { progress } from "../progress.ts";
import { freshFolder, removeFolder } from "../scratch.ts";
import { measureStart, type StartTime } from "../start-time.ts";
import { fastifyCommand } from "./compare.ts";

export type NamedStart = StartTime & { name: string };

/** Intake starts on a migrated database, as it does every time but the first; Fastify makes its own each time. */
export async function measureStarts(binary: string, withRivals: boolean): Promise<NamedStart[]> {
  progress("start time and idle memory");
  const installation = await freshInstallation(binary);
  const starts: NamedStart[] = [{ name: names.intake, ...(await measureStart(installation.serve, installation.log)) }];
  removeFolder(installation.folder);
  if (!withRivals) return starts;
  const folders: string[] = [];
  const command = (port: number) => {
    const folder = freshFolder("start");
    folders.push(folder);
    return fastifyCommand(folder, port, "token", "each");
  };
  const log = freshFolder("log");
  starts.push({ name: names.fastify, ...(await measureStart(command, join(log, "log"))) });
  for (const folder of [log, ...folders]) removeFolder(folder);
  return starts;
}
