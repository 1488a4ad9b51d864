import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A jar with everything in it, from Maven Central. */
export const openapiGeneratorVersion = "7.25.0";

export const oapiCodegenPath = "github.com/oapi-codegen/oapi-codegen/v2";

export function npmVersion(name: string): string {
  return pinned("package.json", new RegExp(`"${name}": "(.+)"`));
}

export function pipVersion(name: string): string {
  return pinned("requirements.txt", new RegExp(`^${name}==(.+)$`, "m"));
}

export function goVersion(path: string): string {
  return pinned("go.mod", new RegExp(`^\\s${path} v(\\S+)`, "m"));
}

function pinned(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(import.meta.dir, file), "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} has no ${pattern.source}`);
  return version;
}
