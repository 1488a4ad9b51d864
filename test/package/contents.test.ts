import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildClientIfChanged, buildClientInto, packed, withShortNames } from "../../client/build.ts";
import shortNames from "../../client/short-names.json";
import { sdkName, version } from "../../client/src/core/version.ts";
import { installJudges, judges } from "./install.ts";

setDefaultTimeout(180_000);
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
  const strange = /elysia|typebox|bun-types|"bun:|sourceMappingURL|from "\.[^"]*\.ts"/i;
  const here = join(source, "..");
  expect([...files].filter(([, text]) => strange.test(text) || text.includes(here)).map(([name]) => name)).toEqual([]);
});

test("internal names are short in the code, each in its own way, and none is left as it was written", () => {
  const names = Object.keys(shortNames);
  const used = new Set<string>();
  for (const [name, text] of files) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const found = text.match(/(?<![\w"/])_[a-z]\w*/g) ?? [];
    if (name.endsWith(".js")) expect([name, found]).toEqual([name, []]);
    for (const one of found) used.add(one);
  }
  expect([...used].sort()).toEqual(names.sort());
  expect(new Set(Object.values(shortNames)).size).toBe(names.length);
  expect(withShortNames("one._form ??= two?._form; f({ _form: form, _take(x) {} });")).toBe(
    `one.${shortNames._form} ??= two?.${shortNames._form}; f({ ${shortNames._form}: form, ${shortNames._take}(x) {} });`,
  );
  expect(() => withShortNames("f({ _form })")).toThrow("as a member");
  expect(() => withShortNames("one._strange")).toThrow("no short name");
});

test("no module of the library has an import outside the package, but for node: and react in their entries", () => {
  const outside = [...files].flatMap(([name, text]) =>
    /\/cli|\/(node|react)\.(js|d\.ts)$/.test(name) || !/\.(js|d\.ts)$/.test(name)
      ? []
      : [...text.matchAll(/^(?:import|export|const)\b.*(?:from |require\()"([^."][^"]*)"/gm)].map(
          ([, to]) => `${name} → ${to}`,
        ),
  );
  expect(outside).toEqual([]);
});

describe("package.json", () => {
  const manifest = () => JSON.parse(files.get("package/package.json") ?? "{}");

  test("names no dependency and no script; React, which one entry uses, only as what may be there", () => {
    const { peerDependenciesMeta, ...rest } = manifest();
    // For pnpm and Yarn that is enough. Of one among peerDependencies, npm would ask its registry at each installation.
    expect(peerDependenciesMeta).toEqual({ react: { optional: true } });
    expect(Object.keys(rest).filter((name) => /dependencies|scripts/i.test(name))).toEqual([]);
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

test("npm would publish it as it is: for everybody, with a statement of its origin, and nothing to correct", () => {
  // A dry run asks no registry; at this address there is none.
  const to = ["--registry", "http://127.0.0.1:9", "--fetch-retries", "0"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", "publish", "--dry-run", packed.file, ...to]);
  const said = `${stdout}${stderr}`;
  expect([exitCode, said]).toEqual([0, expect.stringContaining("with tag latest and public access (dry-run)")]);
  expect(said).not.toMatch(/corrected|npm error/);
  const manifest = JSON.parse(files.get("package/package.json") ?? "{}");
  expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
});

function judged(...command: string[]): number {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) process.stderr.write(`${stdout}${stderr}`);
  return exitCode;
}
