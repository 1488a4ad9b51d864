import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildClientIfChanged, buildClientInto, packed } from "../../client/build.ts";
import { sdkName, version } from "../../client/src/core/version.ts";
import { installJudges, judges } from "./install.ts";

setDefaultTimeout(60_000);
installJudges();
const source = join(import.meta.dir, "../../client");
let files = new Map<string, string>();

beforeAll(async () => {
  buildClientIfChanged();
  files = await unpacked();
});

async function unpacked(): Promise<Map<string, string>> {
  const all = await new Bun.Archive(await Bun.file(packed.file).bytes()).files();
  return new Map(await Promise.all([...all].map(async ([name, file]) => [name, await file.text()] as const)));
}

test("every source is in it as ESM and as CommonJS, each with its types, and nothing else", () => {
  const names = [...new Bun.Glob("**/*.ts").scanSync(join(source, "src"))].filter((name) => !name.endsWith(".test.ts"));
  const library = names.filter((name) => !name.startsWith("cli")).map((name) => name.replace(/\.ts$/, ""));
  const command = names.filter((name) => name.startsWith("cli")).map((name) => name.replace(/\.ts$/, ""));
  expect([...files.keys()].sort()).toEqual(
    [
      ...["package.json", "README.md", "LICENSE", "cjs/package.json"],
      ...library.flatMap((name) => ["esm", "cjs"].flatMap((kind) => [`${kind}/${name}.js`, `${kind}/${name}.d.ts`])),
      ...command.map((name) => `esm/${name}.js`),
    ]
      .map((name) => `package/${name}`)
      .sort(),
  );
});

test("the same sources give the same bytes", async () => {
  const again = { folder: `${packed.folder}-again`, file: `${packed.file}-again` };
  buildClientInto(again);
  expect(Buffer.compare(await Bun.file(again.file).bytes(), await Bun.file(packed.file).bytes())).toBe(0);
  for (const path of [again.folder, again.file]) rmSync(path, { recursive: true });
});

test("nothing of the server's libraries, of this machine or of TypeScript's sources is named in it", () => {
  const strange = /elysia|typebox|bun-types|bun:|sourceMappingURL|from "\.[^"]*\.ts"/i;
  const here = join(source, "..");
  expect([...files].filter(([, text]) => strange.test(text) || text.includes(here)).map(([name]) => name)).toEqual([]);
});

test("no module of the library has an import outside the package, but for node: in the entry for Node", () => {
  const outside = [...files].flatMap(([name, text]) =>
    /\/cli|node\.(js|d\.ts)$/.test(name) || !/\.(js|d\.ts)$/.test(name)
      ? []
      : [...text.matchAll(/^(?:import|export|const)\b.*(?:from |require\()"([^."][^"]*)"/gm)].map(
          ([, to]) => `${name} → ${to}`,
        ),
  );
  expect(outside).toEqual([]);
});

describe("package.json", () => {
  const manifest = () => JSON.parse(files.get("package/package.json") ?? "{}");

  test("names no dependency of any kind and no script", () => {
    expect(Object.keys(manifest()).filter((name) => /dependencies|scripts/i.test(name))).toEqual([]);
  });

  test("has the name and version that the client tells the server", () => {
    expect(manifest()).toMatchObject({ name: sdkName, version });
  });

  test("leads to files that are there", () => {
    const { exports, main, types, bin } = manifest();
    const paths = JSON.stringify([exports, main, types, bin]).match(/(?<=")(\.\/)?(esm|cjs)\/[^"]+/g) ?? [];
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !files.has(join("package", path)))).toEqual([]);
  });

  test("has the licence of the project", () => {
    expect(files.get("package/LICENSE")).toBe(readFileSync(join(source, "../LICENSE"), "utf8"));
  });
});

describe("judged by", () => {
  // TypeScript 4 and Node 10 resolve packages without `exports`: they find the main entry only.
  test("attw: types and code agree for ESM, CommonJS and bundlers", () => {
    expect(judged("node", judges.attw, packed.file, "--profile", "node16", "--no-definitely-typed")).toBe(0);
  });

  test("publint, strict", () => {
    expect(judged("node", judges.publint, packed.file, "--strict")).toBe(0);
  });
});

function judged(...command: string[]): number {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) process.stderr.write(`${stdout}${stderr}`);
  return exitCode;
}
