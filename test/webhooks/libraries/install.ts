import { join } from "node:path";
import { installSteps, type Step } from "../../support/install-steps.ts";

const here = import.meta.dir;
const made = join(here, "../../../dist/webhook-libraries");

/** The official libraries of Standard Webhooks, each in a program that says what it thinks of messages. */
export const libraries = {
  npm: ["node", join(here, "verify.mjs")],
  PyPI: [join(made, "python/bin/python"), join(here, "verify.py")],
  Go: [join(made, "go/verify")],
};

const python = libraries.PyPI[0] ?? "";

const steps: readonly Step[] = [
  {
    name: "npm",
    inputs: ["package.json", "package-lock.json"],
    folder: join(here, "node_modules"),
    commands: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
  },
  {
    name: "pip",
    inputs: ["requirements.txt"],
    folder: join(made, "python"),
    commands: [
      ["python3", "-m", "venv", join(made, "python")],
      [python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", "requirements.txt"],
    ],
  },
  {
    name: "go",
    inputs: ["go.mod", "go.sum", "verify.go"],
    folder: join(made, "go"),
    commands: [["go", "build", "-o", ...libraries.Go, "verify.go"]],
  },
];

/** Installs them at the versions pinned here. Quick when they are there already. */
export function installLibraries() {
  installSteps(here, steps);
}
