import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "./package.json";

/**
 * `bun run build:client`: makes the package `@intake/client` as a folder and as the file that is published. The same
 * sources give the same bytes. There are no source maps, because the code is published as it was written, one module a
 * file, comments included.
 */
const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

export const packed = { folder: join(dist, "client"), file: join(dist, `intake-client-${version}.tgz`) };

export function buildClient() {
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
    renameSync(file, packed.file);
    rmSync(packed.folder, { recursive: true, force: true });
    renameSync(folder, packed.folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compile(project: string, folder: string) {
  const tsc = join(root, "node_modules/.bin/tsc");
  run(tsc, "--project", join(import.meta.dir, project), "--noEmit", "false", "--outDir", folder);
  for (const name of new Bun.Glob("**/*.d.ts").scanSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith("cli")) rmSync(path);
    else writeFileSync(path, withSpecifiersOfJavaScript(readFileSync(path, "utf8")));
  }
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
