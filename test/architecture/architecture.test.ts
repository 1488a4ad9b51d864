import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportsOf } from "./exports.ts";
import { findFaults } from "./find-faults.ts";
import { findUnknownClasses } from "./find-unknown-classes.ts";
import { findUnusedExports } from "./find-unused-exports.ts";
import { importsOf } from "./imports.ts";
import { rooms as order } from "./rooms.ts";

const rooms = ["core", "store", "http"];
const faultsOf = (files: Record<string, string>) =>
  findFaults(
    Object.entries(files).flatMap(([file, text]) => importsOf(file, text)),
    rooms,
  );

describe("imports", () => {
  const kindsOf = (text: string) => importsOf("server/core/ids.ts", text).map(({ to, value }) => [to, value]);

  test("of values, of types and of both", () => {
    expect(kindsOf('import { a } from "./a.ts";')).toEqual([["server/core/a.ts", true]]);
    expect(kindsOf('import type { A } from "../store/a.ts";')).toEqual([["server/store/a.ts", false]]);
    expect(kindsOf('import { type A, type B } from "./a.ts";')).toEqual([["server/core/a.ts", false]]);
    expect(kindsOf('import { type A, b } from "./a.ts";')).toEqual([["server/core/a.ts", true]]);
    expect(kindsOf('import page, { type A } from "./page.tsx";')).toEqual([["server/core/page.tsx", true]]);
  });

  test("over several lines, for their effect, when needed, and passed on", () => {
    expect(kindsOf('import {\n  a,\n  type B,\n} from "./a.ts";')).toEqual([["server/core/a.ts", true]]);
    expect(kindsOf('import "../store/a.ts";')).toEqual([["server/store/a.ts", true]]);
    expect(kindsOf('const load = () => import("./a.ts");')).toEqual([["server/core/a.ts", true]]);
    expect(kindsOf('export { a } from "./a.ts";\nexport * from "./b.ts";')).toEqual([
      ["server/core/a.ts", true],
      ["server/core/b.ts", true],
    ]);
  });

  test("of packages are none of the project", () => {
    expect(kindsOf('import { test } from "bun:test";\nimport { a } from "./a.ts";')).toEqual([
      ["server/core/a.ts", true],
    ]);
  });
});

describe("names", () => {
  test("that a file imports: by name, all of them, the default", () => {
    const namesOf = (text: string) => importsOf("server/core/ids.ts", text).map(({ names }) => names);
    expect(namesOf('import {\n  a,\n  type B as C,\n} from "./a.ts";')).toEqual([["a", "B"]]);
    expect(namesOf('import page, { b } from "./a.ts";\nimport * as all from "./b.ts";')).toEqual([
      ["default", "b"],
      ["*"],
    ]);
    expect(namesOf('export { a as b } from "./a.ts";\nexport * from "./b.ts";')).toEqual([["a"], ["*"]]);
    expect(namesOf('import "./a.ts";\nconst load = () => import("./b.ts");')).toEqual([[], ["*"]]);
  });

  test("that a file exports, in every way", () => {
    const declared = [
      "function a",
      "async function b",
      "function* c",
      "class D",
      "const e = 1",
      "interface F",
      "type G",
    ];
    expect(exportsOf(declared.map((each) => `export ${each}`).join("\n"))).toEqual(["a", "b", "c", "D", "e", "F", "G"]);
    expect(exportsOf("export const { a, b: c } = made();\nexport { d, type E as F };")).toEqual(["a", "c", "d", "F"]);
    expect(exportsOf("export default function Page() {}")).toEqual(["default"]);
    expect(exportsOf("export default { a: 1 };\nconst own = 1;\n  export const nested = 1;")).toEqual(["default"]);
    expect(exportsOf('export { a as b } from "./a.ts";\nexport * from "./b.ts";')).toEqual(["b"]);
  });
});

describe("exports for nobody", () => {
  const files = new Map([
    ["server/core/a.ts", "export const used = 1;\nexport const unused = 2;\nexport interface Unused {}"],
    ["server/core/a.test.ts", 'import { used } from "./a.ts";'],
    ["client/src/index.ts", "export const offered = 1;"],
  ]);

  test("are named, one a sentence; a test that imports one counts", () => {
    expect(findUnusedExports(files, (file) => file === "client/src/index.ts")).toEqual([
      "server/core/a.ts exports unused, which no other file imports",
      "server/core/a.ts exports Unused, which no other file imports",
    ]);
  });

  test("are none where a file is imported as a whole", () => {
    expect(findUnusedExports(new Map([...files, ["server/b.ts", 'const a = import("./core/a.ts");']]))).toEqual([
      "client/src/index.ts exports offered, which no other file imports",
    ]);
  });
});

describe("CSS classes", () => {
  const styles = new Map([
    ["board.css", ".card .title:hover {\n  opacity: 0.5;\n}\n@media (width < 1px) {\n  .text-warn {}\n}"],
  ]);

  test("that a page and the style sheets both have, as a text or made by a template", () => {
    const page = '<p class="card title">\n<b class={`text-\x24{tone}`}>';
    expect(findUnknownClasses(styles, new Map([["card.tsx", page]]))).toEqual([]);
  });

  test("that only one of them has", () => {
    expect(findUnknownClasses(styles, new Map([["card.tsx", '<p class="card titel text-warn">']]))).toEqual([
      "card.tsx names the class titel, which no style sheet has",
      "board.css styles the class title, which no page names",
    ]);
  });
});

describe("faults", () => {
  test("none where every arrow goes down", () => {
    expect(
      faultsOf({
        "server/http/answer.ts": 'import { log } from "../core/log.ts";\nimport { sqlite } from "../store/sqlite.ts";',
        "server/store/sqlite.ts": 'import type { Store } from "../core/store.ts";',
      }),
    ).toEqual([]);
  });

  test("an import upward is named with both its ends, for a type too", () => {
    expect(faultsOf({ "server/core/context.ts": 'import type { Edge } from "../http/edge.ts";' })).toEqual([
      "server/core/context.ts imports server/http/edge.ts: core lies below http",
    ]);
  });

  test("a folder of the server that rooms.ts does not list", () => {
    expect(faultsOf({ "server/misc/a.ts": 'import { log } from "../core/log.ts";' })).toEqual([
      "server/misc is no room that rooms.ts lists",
    ]);
  });

  test("folders that import values of each other in a ring, however long, with the imports that close it", () => {
    const [fault, ...others] = faultsOf({
      "openapi/a/one.ts": 'import { two } from "../b/two.ts";',
      "openapi/b/two.ts": 'import { three } from "../c/three.ts";',
      "openapi/c/three.ts": 'import { other } from "../a/other.ts";',
    });
    expect(others).toEqual([]);
    expect(fault?.split("\n")).toEqual([
      "folders import each other in a circle: openapi/a, openapi/b, openapi/c",
      "  openapi/a/one.ts → openapi/b/two.ts",
      "  openapi/b/two.ts → openapi/c/three.ts",
      "  openapi/c/three.ts → openapi/a/other.ts",
    ]);
  });

  test("no circle where one way is only of types", () => {
    expect(
      faultsOf({
        "openapi/a/one.ts": 'import { two } from "../b/two.ts";',
        "openapi/b/two.ts": 'import type { One } from "../a/one.ts";',
      }),
    ).toEqual([]);
  });
});

test("docs/architecture.md has the rooms in the same order", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/architecture.md"), "utf8");
  const table = page.slice(0, page.indexOf("## The way of a ticket"));
  expect([...table.matchAll(/^\| `(\w+)\/` /gm)].map(([, room]) => room)).toEqual([...order]);
});
