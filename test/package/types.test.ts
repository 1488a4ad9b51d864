import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installRuntimes } from "../client/install.ts";
import { Consumer } from "./consumer.ts";
import { compilers, installJudges, nodeForCompilers } from "./install.ts";

setDefaultTimeout(180_000);
installJudges();
installRuntimes();
const uses = join(import.meta.dir, "uses");
const consumer = new Consumer();
afterAll(() => consumer.remove());

const dom = ["es2022", "dom"];
const noDom = ["es2022"];

/** How specifiers are resolved: by ESM and CommonJS side by side, or by a bundler. */
const node16 = { module: "node16", files: ["mts", "cts"] };
const nodenext = { module: "nodenext", files: ["mts", "cts"] };
const bundler = { module: "esnext", moduleResolution: "bundler", files: ["ts"] };

const projects = [
  ...[node16, bundler].flatMap((lookup) =>
    [dom, noDom].flatMap((lib) => [true, false].map((exact) => ({ ...lookup, lib, exact }))),
  ),
  // The declarations that come with TypeScript say the same in every project: they are checked in this one.
  { ...nodenext, lib: dom, exact: true, skipDefaultLibCheck: false },
].map(({ files, exact, ...options }) => ({
  name: [files.join(" "), options.module, ...options.lib, `${exact ? "exact" : "loose"} optional members`].join(", "),
  include: files,
  compilerOptions: {
    exactOptionalPropertyTypes: exact,
    target: "es2022",
    types: [],
    strict: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
    ...options,
  },
}));

for (const name of readdirSync(uses)) {
  const text = readFileSync(join(uses, name), "utf8");
  for (const kind of ["ts", "mts", "cts"]) consumer.write(`${kind}/${name.replace(/ts$/, kind)}`, text);
}

for (const { name, ...project } of projects) consumer.write(configOf(name), JSON.stringify(project));

describe.each(Object.entries(compilers))("%s: what should compile does, and no mistake", (_, compiler) => {
  let said: ReadonlyMap<string, string>;
  beforeAll(() => {
    said = compile(compiler);
  }, 180_000 * projects.length);
  test.each(projects)("$name", ({ name }) => {
    expect(said.get(name)).toBe("");
  });
});

/** The file of a project; TypeScript looks for sources from the folder that it is in. */
function configOf(name: string): string {
  return `tsconfig.${name.replaceAll(/[ ,]+/g, "-")}.json`;
}

/** What a compiler says of each project. */
function compile(compiler: string): ReadonlyMap<string, string> {
  const files = projects.map(({ name }) => configOf(name));
  const library = join(dirname(compiler), "../lib/typescript.js");
  if (!existsSync(library)) {
    // A native compiler is a program, and quick to start.
    const tsc = [...nodeForCompilers, compiler, "--singleThreaded", "--project"];
    return new Map(projects.map(({ name }) => [name, outcomeOf(...tsc, configOf(name))]));
  }
  const said = consumer.run(...nodeForCompilers, join(import.meta.dir, "compile.cjs"), library, ...files);
  const lines = said.said.trim().split("\n");
  if (said.code !== 0 || lines.length !== projects.length) throw new Error(said.said);
  return new Map(projects.map(({ name }, index) => [name, JSON.parse(lines[index] ?? "") as string]));
}

function outcomeOf(...command: string[]): string {
  const { code, said } = consumer.run(...command);
  return code === 0 && said === "" ? "" : `${code}: ${said}`;
}
