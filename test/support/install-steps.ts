import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Step {
  name: string;
  /** The inputs of the result: the step is not run again while their contents are the same. */
  inputs: string[];
  folder: string;
  commands: string[][];
  /** The folder in which the commands run, if not `home`. */
  cwd?: string;
}

/** Installs what `bun.lock` pins, beside it. */
export const installPackages = [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"];

/** Makes a virtual environment of Python with what `requirements.txt` pins. */
export function makeVirtualEnvironment(folder: string): string[][] {
  return [[process.execPath, join(import.meta.dir, "virtual-environment.ts"), folder]];
}

/** Runs the steps whose result is missing or was made from other inputs; inputs and commands are relative to `home`. */
export function installSteps(home: string, steps: readonly Step[], say: (text: string) => void = () => {}) {
  for (const step of steps) {
    const stamp = join(step.folder, ".made-from");
    const wanted = digest(home, step.inputs);
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) continue;
    say(step.name);
    rmSync(step.folder, { recursive: true, force: true });
    mkdirSync(step.folder, { recursive: true });
    for (const command of step.commands) {
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: step.cwd ?? home });
      if (exitCode === 0) continue;
      throw new Error(`${command.join(" ")} ended with ${exitCode}: ${`${stdout}${stderr}`.slice(0, 2_000)}`);
    }
    writeFileSync(stamp, wanted);
  }
}

function digest(home: string, paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(readFileSync(join(home, path)));
  return hash.digest("hex");
}
