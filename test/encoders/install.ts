import { join } from "node:path";
import { installPackages, installSteps, makeVirtualEnvironment, type Step } from "../support/install-steps.ts";
import { javac, maven } from "../support/java.ts";

const here = import.meta.dir;
const made = join(here, "../../dist/encoders");

/** The folders of encoders that are not part of the machine, once installed. */
export const installed = {
  python: join(made, "python/bin/python"),
  deno: join(made, "python/bin/deno"),
  go: join(made, "go/client"),
  javaClasses: join(made, "java"),
  jars: join(made, "jars"),
};

const goClient = "clients/with_multipart.go";
const javaClients = ["clients/WithOkHttp.java", "clients/WithApache.java"];

const python: Step = {
  name: "pip",
  inputs: ["requirements.txt"],
  folder: join(made, "python"),
  commands: makeVirtualEnvironment(join(made, "python")),
};

const steps: readonly Step[] = [
  {
    name: "packages",
    inputs: ["package.json", "bun.lock"],
    folder: join(here, "node_modules"),
    commands: [installPackages],
  },
  python,
  {
    name: "go",
    inputs: [goClient],
    folder: join(made, "go"),
    commands: [["go", "build", "-ldflags=-s -w", "-o", installed.go, goClient]],
  },
  {
    name: "maven",
    inputs: ["pom.xml"],
    folder: installed.jars,
    commands: [[...maven, "dependency:copy-dependencies", `-DoutputDirectory=${installed.jars}`]],
  },
  {
    name: "javac",
    inputs: ["pom.xml", ...javaClients],
    folder: installed.javaClasses,
    commands: [[...javac, "-cp", `${installed.jars}/*`, "-d", installed.javaClasses, ...javaClients]],
  },
];

/** Installs the encoders at the versions pinned here. Takes no time when they are installed. */
export function installEncoders(say?: (text: string) => void) {
  installSteps(here, steps, say);
}

/** Deno is installed with the packages for Python. */
export function installDeno(say?: (text: string) => void) {
  installSteps(here, [python], say);
}

if (import.meta.main) installEncoders((name) => process.stdout.write(`${name}\n`));
