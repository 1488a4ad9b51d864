import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { version } from "./package.json";
import shortNames from "./short-names.json";

/**
 * `bun run build:client`: makes the package `@intake/client` as a folder and as the file that is published. The same
 * sources give the same bytes. There are no source maps, because the code is published as it was written, one module a
 * file, comments included; only internal names are shortened.
 */
const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

export const packed = { folder: join(dist, "client"), file: join(dist, `intake-client-${version}.tgz`) };

/** Says from which files the package in `dist` was made. */
const stamp = join(dist, "intake-client.made-from");

/** Builds the package, unless the one in `dist` was made from the same files: many tests want it. */
export function buildClientIfChanged() {
  const present = [stamp, packed.file, packed.folder].every((path) => existsSync(path));
  if (!present || readFileSync(stamp, "utf8") !== digestOfSources()) buildClient();
}

export function buildClient() {
  rmSync(stamp, { force: true });
  const digest = digestOfSources();
  buildClientInto(packed);
  writeFileSync(stamp, digest);
}

/** Builds the package where nobody looks for it who uses it. The place is on the file system of `dist`. */
export function buildClientInto(place: { folder: string; file: string }) {
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, "client-"));
  try {
    compile("tsconfig.json", join(folder, "esm"));
    compile("tsconfig.cjs.json", join(folder, "cjs"));
    // Marks the CommonJS files of the package: below the package's own `package.json` all other files are ESM.
    writeFileSync(join(folder, "cjs/package.json"), '{ "type": "commonjs", "sideEffects": false }\n');
    for (const name of ["package.json", "README.md"]) cpSync(join(import.meta.dir, name), join(folder, name));
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    chmodSync(join(folder, "esm/cli/main.js"), 0o755);
    chmodSync(folder, 0o755);
    const file = `${folder}.tgz`;
    run(process.execPath, "pm", "pack", "--cwd", folder, "--quiet", "--filename", file);
    renameSync(file, place.file);
    rmSync(place.folder, { recursive: true, force: true });
    renameSync(folder, place.folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A digest of all that a build reads; the lock file pins the compiler. */
function digestOfSources(): string {
  const hash = createHash("sha256");
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync(import.meta.dir)].sort();
  const beside = ["build.ts", "package.json", "short-names.json", "README.md", "tsconfig.json", "tsconfig.cjs.json"];
  const paths = [
    ...[...sources, ...beside].map((name) => join("client", name)),
    "LICENSE",
    "bun.lock",
    "tsconfig.json",
  ];
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

function compile(project: string, folder: string) {
  const tsc = join(root, "node_modules/.bin/tsc");
  run(tsc, "--project", join(import.meta.dir, project), "--noEmit", "false", "--outDir", folder);
  for (const name of new Bun.Glob("**/*.js").scanSync(folder)) {
    const path = join(folder, name);
    writeFileSync(path, withShortNames(readFileSync(path, "utf8")));
  }
  for (const name of new Bun.Glob("**/*.d.ts").scanSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith("cli")) rmSync(path);
    else writeFileSync(path, withSpecifiersOfJavaScript(readFileSync(path, "utf8")));
  }
}

/**
 * Shortens the internal names of the package, which begin with `_`: no minifier may rename members, because it does not know who else
 * reads them. All entries and both formats have the same names, as all versions should: a store of one may meet a client of another.
 */
export function withShortNames(code: string): string {
  return code.replace(/(\.?)(?<!\w)(_[a-z]\w*)\b(?=(\??[:(])?)/g, (_, dot: string, name: string, after?: string) => {
    const short = (shortNames as Record<string, string>)[name];
    if (!short) throw new Error(`client/short-names.json has no short name for ${name}`);
    // As the name of a variable it could meet another variable of one letter.
    if (!dot && !after) throw new Error(`${name} is not written as a member: write \`${name}: name\``);
    return dot + short;
  });
}

/** The compiler rewrites specifiers in code but not in declarations, and older compilers cannot resolve those. */
function withSpecifiersOfJavaScript(declarations: string): string {
  return declarations.replace(/((?:from|import\() ?"\.[^"]+)\.ts"/g, '$1.js"');
}

function run(...command: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
}

if (import.meta.main) {
  buildClient();
  for (const path of [packed.folder, packed.file]) process.stdout.write(`${path.slice(root.length + 1)}\n`);
}
