import { join } from "node:path";
import { installRuntimes, installed as runtimes } from "../client/install.ts";
import { installPackages, installSteps, makeVirtualEnvironment, type Step } from "../support/install-steps.ts";
import { maven } from "../support/java.ts";
import { oapiCodegenPath, openapiGeneratorVersion } from "./versions.ts";

const here = import.meta.dir;

/** The folder of the tools and of what they generate. */
export const made = join(here, "../../dist/generators");

const modules = join(made, "node_modules");
const jars = join(made, "maven/jars");

/** The generators and compilers, once installed. */
export const installed = {
  /** Some generators need a later version than many systems have. */
  node: runtimes.node24,
  modules,
  python: join(made, "python/bin"),
  /** The system's own version may be older; Go then downloads the one that go.mod names. */
  go: ["env", "GOTOOLCHAIN=auto", "go"],
  oapiCodegen: join(made, "go/oapi-codegen"),
  jars,
  openapiGenerator: join(made, "maven/openapi-generator/openapi-generator-cli.jar"),
};

const steps: readonly Step[] = [
  {
    name: "packages",
    inputs: ["package.json", "bun.lock"],
    folder: modules,
    // Beside the clients, whose modules are resolved from their folder.
    commands: [
      ["cp", "package.json", "bun.lock", made],
      [...installPackages, "--cwd", made],
    ],
  },
  {
    name: "pip",
    inputs: ["requirements.txt"],
    folder: join(made, "python"),
    commands: makeVirtualEnvironment(join(made, "python")),
  },
  {
    name: "go",
    inputs: ["go.mod", "go.sum"],
    folder: join(made, "go"),
    commands: [
      [...installed.go, "mod", "download"],
      [...installed.go, "build", "-ldflags=-s -w", "-o", installed.oapiCodegen, `${oapiCodegenPath}/cmd/oapi-codegen`],
    ],
  },
  {
    name: "maven",
    inputs: ["pom.xml", "versions.ts"],
    folder: join(made, "maven"),
    // In one process, which takes longer to start than to copy.
    commands: [
      [
        ...[...maven, "dependency:copy-dependencies@jars", "dependency:copy@openapi-generator"],
        `-Dmade=${join(made, "maven")}`,
        `-DopenapiGeneratorVersion=${openapiGeneratorVersion}`,
      ],
    ],
  },
];

/**
 * Installs the generators and the dependencies of their clients at the versions pinned here. Takes no time when they
 * are installed.
 */
export function installGenerators(say?: (text: string) => void) {
  installRuntimes(say);
  installSteps(here, steps, say);
}

if (import.meta.main) installGenerators((name) => process.stdout.write(`${name}\n`));
