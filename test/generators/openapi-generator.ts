import { join } from "node:path";
import { installSteps } from "../support/install-steps.ts";
import { shortJava } from "../support/java.ts";
import type { Generator } from "./generator.ts";
import { installed, made } from "./install.ts";

const folder = join(made, "openapi-generator-clients");

/** The client that openapi-generator has made with the generator of that name. */
export const clientMadeBy = (generator: string) => join(folder, generator);

/**
 * Makes all clients of openapi-generator, unless that was done from the same document and options. One process makes
 * them, because the program takes longer to start than to make a client.
 */
export function makeOpenapiGeneratorClients(generators: readonly Generator[]) {
  const commands = generators.flatMap(({ openapiGenerator }) => (openapiGenerator ? [openapiGenerator] : []));
  const program = join(import.meta.dir, "Generate.java");
  const words = commands.flatMap((command, index) => (index === 0 ? command : ["and", ...command]));
  installSteps(import.meta.dir, [
    {
      name: "clients of openapi-generator",
      inputs: ["../../openapi/openapi.json", "versions.ts", "tools.ts", "generators.ts", "Generate.java"],
      folder,
      cwd: folder,
      commands: [
        ["cp", join(import.meta.dir, "../../openapi/openapi.json"), folder],
        ["java", ...shortJava, "-cp", installed.openapiGenerator, program, ...words],
      ],
    },
  ]);
}
