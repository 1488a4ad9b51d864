import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "./pages.ts";

test("every page has an address of its own", () => {
  const paths = pages.map(({ path }) => path.replace(/:\w+/g, ":"));
  expect(paths).toEqual([...new Set(paths)]);
});

test("each module is loaded from the file of its name", () => {
  const text = readFileSync(join(import.meta.dir, "page/load-page.ts"), "utf8");
  const loaders = [...text.matchAll(/"(.+?)": \(\) => import\("\.\/pages\/(.+?)"\)/g)];
  expect(loaders.map(([, name]) => name)).toEqual(loaders.map(([, , file]) => file));
  expect(new Set(loaders.map(([, name]) => name))).toEqual(new Set<string>(pages.map(({ module }) => module)));
});
