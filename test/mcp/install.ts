import { join } from "node:path";
import { installPackages, installSteps, makeVirtualEnvironment } from "../support/install-steps.ts";

const here = import.meta.dir;
const python = join(here, "../../dist/mcp/python");

/** The Python with the official client, once installed. */
export const installed = { python: join(python, "bin/python") };

/**
 * Installs the clients of the Model Context Protocol at the versions pinned here. Takes no time when they are
 * installed.
 */
export function installMcpClients(say?: (text: string) => void) {
  installSteps(
    here,
    [
      {
        name: "packages",
        inputs: ["package.json", "bun.lock"],
        folder: join(here, "node_modules"),
        commands: [installPackages],
      },
      {
        name: "pip",
        inputs: ["requirements.txt"],
        folder: python,
        commands: makeVirtualEnvironment(python),
      },
    ],
    say,
  );
}

if (import.meta.main) installMcpClients((name) => process.stdout.write(`${name}\n`));
