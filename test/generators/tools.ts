import { join } from "node:path";
import type { Tool } from "./generator.ts";
import { installed } from "./install.ts";
import { clientMadeBy } from "./openapi-generator.ts";
import { goVersion, npmVersion, oapiCodegenPath, openapiGeneratorVersion, pipVersion } from "./versions.ts";

export function npmTool(name: string, bin: string, options: string[]): Tool {
  const version = npmVersion(name);
  return {
    name,
    version,
    command: typed(`npx ${name}@${version}`, options),
    generate: [installed.node, join(installed.modules, name, bin), ...options],
  };
}

/** The names of its generators are those of the languages. */
export function openapiGenerator(generator: string, options: string[] = []): Tool {
  const all = (output: string) => ["generate", "-g", generator, "-i", "openapi.json", "-o", output, ...options];
  return {
    name: `openapi-generator ${generator}`,
    version: openapiGeneratorVersion,
    command: typed(`java -jar openapi-generator-cli-${openapiGeneratorVersion}.jar`, all("client")),
    openapiGenerator: all(generator),
    generate: ["cp", "-R", clientMadeBy(generator), "client"],
  };
}

export function oapiCodegen(options: string[]): Tool {
  const version = goVersion(oapiCodegenPath);
  return {
    name: "oapi-codegen",
    version,
    command: typed(`go run ${oapiCodegenPath}/cmd/oapi-codegen@v${version}`, options),
    generate: [installed.oapiCodegen, ...options],
  };
}

export function openapiPythonClient(options: string[]): Tool {
  const name = "openapi-python-client";
  const version = pipVersion(name);
  return {
    name,
    version,
    command: typed(`pipx run ${name}==${version}`, options),
    // The generator formats its output with the ruff that was installed with it, which it looks for on the PATH.
    generate: ["env", `PATH=${installed.python}:${process.env["PATH"]}`, name, ...options],
  };
}

function typed(command: string, options: string[]): string {
  return [command, ...options].join(" ");
}
