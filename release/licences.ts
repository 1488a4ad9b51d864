import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Component } from "./components.ts";

/** One text with the licences of everything inside the binary: Bun with what is linked into it, and each library. */
export function licencesText(root: string, components: readonly Component[]): string {
  const bun = readFileSync(join(root, "node_modules/bun-types/docs/project/license.mdx"), "utf8");
  const parts = [
    ["Intake", readFileSync(join(root, "LICENSE"), "utf8")],
    [`Bun ${Bun.version}, the runtime inside the binary, with SQLite and the other libraries linked into it`, bun],
    ...components.map(({ name, version, licence, licenceText }) => [`${name} ${version} (${licence})`, licenceText]),
  ];
  const line = "=".repeat(80);
  return parts
    .map(([title, text = ""]) => `${line}\n${title}\n${line}\n\n${text.replaceAll("\r", "").trim()}\n`)
    .join("\n");
}
