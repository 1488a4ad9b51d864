import { intakeBinary } from "./intake.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { progress } from "./progress.ts";
import { installRivals } from "./rivals.ts";
import { requireWrk } from "./wrk.ts";

export interface Prepared {
  machine: Machine;
  binary: string;
  withRivals: boolean;
  /** What is left out, and why. */
  leftOut: string[];
}

export async function prepare(): Promise<Prepared> {
  if (process.platform !== "linux") throw new Error("this bench reads /proc, so it runs on Linux only");
  await requireWrk();
  const machine = await describeMachine();
  const leftOut: string[] = [];
  if (/^(tmpfs|ramfs)$/.test(machine.filesystem)) {
    leftOut.push("The temporary folder is in memory, where durable costs nothing: set TMPDIR to a folder on a disk");
  }
  const missing = await installRivals();
  if (missing !== undefined) leftOut.push(missing);
  for (const line of leftOut) progress(line);
  return { machine, binary: await intakeBinary(), withRivals: missing === undefined, leftOut };
}
