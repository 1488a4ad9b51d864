import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { proseOf } from "./blocks.ts";

const root = join(import.meta.dir, "../..");
const pages = [...new Bun.Glob("**/*.md").scanSync(root)].filter(
  (path) => !/(^|\/)(node_modules|dist|shots)\//.test(path),
);
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("every relative link and anchor of every Markdown file leads somewhere", () => {
  const broken = pages.flatMap((page) =>
    targetsOf(read(page)).flatMap((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return [`${page}: ${target}`];
      const found = anchor === undefined || anchorsOf(read(file)).includes(anchor);
      return found ? [] : [`${page}: ${target}`];
    }),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test("every path of this repository that a page names is there", () => {
  const missing = ["README.md", "CONTRIBUTING.md", ...docs()].flatMap((page) =>
    [...read(page).matchAll(/(?<![\w/.@:-])(?:server|client|openapi|test|docs)\/[\w./-]*\w\/?/g)]
      .map(([path]) => path)
      .filter((path) => ![path, join(dirname(page), path)].some((one) => existsSync(join(root, one))))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test("every file that the way of a ticket and of a report goes through is there", () => {
  const page = read("docs/architecture.md");
  const ways = page.slice(page.indexOf("## The way of a ticket"), page.indexOf("## Words"));
  const files = [...ways.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = ""]) => path);
  const folders = ["", "server", "server/webhooks/deliveries"];
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))))).toEqual([]);
});

test("the table of contents names every page", () => {
  const named = targetsOf(read("docs/README.md")).map((target) => join("docs", target));
  expect(docs().filter((page) => page !== "docs/README.md" && !named.includes(page))).toEqual([]);
});

test("README has at most 250 lines", () => {
  expect(read("README.md").split("\n").length - 1).toBeLessThanOrEqual(250);
});

function docs(): string[] {
  return readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []));
}

/** The targets of links and pictures, except those on other hosts. */
function targetsOf(page: string): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
  return links.map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives the headings of a page; a repeated heading gets a number. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
