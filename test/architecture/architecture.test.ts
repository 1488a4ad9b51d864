import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFaults } from "./find-faults.ts";
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

  test("a room that nobody has placed", () => {
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
