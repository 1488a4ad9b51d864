import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Consumer } from "./consumer.ts";
import { compilers, installJudges } from "./install.ts";

setDefaultTimeout(60_000);
installJudges();
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
  { ...nodenext, lib: dom, exact: true },
].map(({ files, exact, ...options }) => ({
  name: [files.join(" "), options.module, ...options.lib, `${exact ? "exact" : "loose"} optional members`].join(", "),
  include: files,
  compilerOptions: {
    ...options,
    exactOptionalPropertyTypes: exact,
    target: "es2022",
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  },
}));

for (const name of readdirSync(uses)) {
  const text = readFileSync(join(uses, name), "utf8");
  for (const kind of ["ts", "mts", "cts"]) consumer.write(`${kind}/${name.replace(/ts$/, kind)}`, text);
}

describe.each(Object.entries(compilers))("%s: what should compile does, and no mistake", (_, compiler) => {
  test.each(projects)("$name", ({ name, ...project }) => {
    consumer.write("tsconfig.json", JSON.stringify(project));
    expect(consumer.run("node", compiler, "--project", ".")).toEqual({ code: 0, said: "" });
  });
});
