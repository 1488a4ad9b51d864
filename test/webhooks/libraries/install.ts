import { join } from "node:path";
import { installPackages, installSteps, makeVirtualEnvironment, type Step } from "../../support/install-steps.ts";

const here = import.meta.dir;
const made = join(here, "../../../dist/webhook-libraries");

/** The official libraries of Standard Webhooks, each in a program that says what it thinks of messages. */
export const libraries = {
  npm: ["node", join(here, "verify.mjs")],
  PyPI: [join(made, "python/bin/python"), join(here, "verify.py")],
  Go: [join(made, "go/verify")],
};

const steps: readonly Step[] = [
  {
    name: "packages",
    inputs: ["package.json", "bun.lock"],
    folder: join(here, "node_modules"),
    commands: [installPackages],
  },
  {
    name: "pip",
    inputs: ["requirements.txt"],
    folder: join(made, "python"),
    commands: makeVirtualEnvironment(join(made, "python")),
  },
  {
    name: "go",
    inputs: ["go.mod", "go.sum", "verify.go"],
    folder: join(made, "go"),
    commands: [["go", "build", "-ldflags=-s -w", "-o", ...libraries.Go, "verify.go"]],
  },
];

/** Installs them at the versions pinned here. Quick when they are there already. */
export function installLibraries() {
  installSteps(here, steps);
}
