import { join } from "node:path";
import { installSteps, makeVirtualEnvironment } from "../support/install-steps.ts";

const python = join(import.meta.dir, "../../dist/agents/python");

/** The Python that has an SSH server, once it is installed. */
export const installed = { python: join(python, "bin/python") };

/** Installs the SSH server that runners clone from, at the version pinned here. Takes no time when it is installed. */
export function installSshServer(say?: (text: string) => void) {
  installSteps(
    import.meta.dir,
    [
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

if (import.meta.main) installSshServer((name) => process.stdout.write(`${name}\n`));
