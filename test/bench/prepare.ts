import { intakeBinary } from "./intake.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { progress } from "./progress.ts";
import { installRivals } from "./rivals.ts";
import { requireWrk } from "./wrk.ts";

interface Prepared {
  machine: Machine;
  binary: string;
  withRivals: boolean;
  /** What is left out, and why. */
  leftOut: string[];
}

export async function prepare(): Promise<Prepared> {
  const { leftOut, ...prepared } = await prepareBinary();
  await requireWrk();
  const missing = await installRivals();
  if (missing !== undefined) {
    progress(missing);
    leftOut.push(missing);
  }
  return { ...prepared, withRivals: missing === undefined, leftOut };
}

/** For a bench that needs neither wrk nor rivals. */
export async function prepareBinary(): Promise<Omit<Prepared, "withRivals">> {
  return { ...(await prepareMachine()), binary: await intakeBinary() };
}

/** For a bench that builds its own binary. */
export async function prepareMachine(): Promise<Pick<Prepared, "machine" | "leftOut">> {
  if (process.platform !== "linux") throw new Error("this bench reads /proc, so it runs on Linux only");
  const machine = await describeMachine();
  const leftOut: string[] = [];
  if (/^(tmpfs|ramfs)$/.test(machine.filesystem)) {
    leftOut.push("The temporary folder is in memory, where durable costs nothing: set TMPDIR to a folder on a disk");
  }
  for (const line of leftOut) progress(line);
  return { machine, leftOut };
}
