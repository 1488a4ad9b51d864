import { join } from "node:path";
import { installed as runtimes } from "../client/install.ts";
import { installPackages, installSteps } from "../support/install-steps.ts";

const here = import.meta.dir;
const modules = join(here, "node_modules");

export const judges = { attw: join(modules, ".bin/attw"), publint: join(modules, ".bin/publint") };

/** The versions, from the oldest supported one to the newest. */
export const compilers = Object.fromEntries(
  ["5.0", "5.4", "5.9", "7.0"].map((version) => [
    `TypeScript ${version}`,
    join(modules, `typescript-${version}/bin/tsc`),
  ]),
);

/** The newest Node runs compilers quickest, all the more with room for objects that do not live long. */
export const nodeForCompilers = [runtimes.node24, "--max-semi-space-size=64"];

/** Types with which examples are compiled, for `typeRoots`. */
export const nodeTypes = join(modules, "@types");

/** Installs compilers and linters at the versions pinned here. Takes no time when they are installed. */
export function installJudges(say?: (text: string) => void) {
  installSteps(
    here,
    [{ name: "packages", inputs: ["package.json", "bun.lock"], folder: modules, commands: [installPackages] }],
    say,
  );
}

if (import.meta.main) installJudges((name) => process.stdout.write(`${name}\n`));
