import { join } from "node:path";
import { installSteps } from "../support/install-steps.ts";

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
        name: "npm",
        inputs: ["package.json", "package-lock.json"],
        folder: join(here, "node_modules"),
        commands: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
      },
      {
        name: "pip",
        inputs: ["requirements.txt"],
        folder: python,
        commands: [
          ["python3", "-m", "venv", python],
          [installed.python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", "requirements.txt"],
        ],
      },
    ],
    say,
  );
}

if (import.meta.main) installMcpClients((name) => process.stdout.write(`${name}\n`));
