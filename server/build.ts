import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { buildClientIfChanged, packed } from "../client/build.ts";

/**
 * `bun run build [--all | --sql-times]`: the binary of this machine, or of every platform, or one for development that
 * knows INTAKE_SQL_TIMES. The same sources give the same bytes,
 * as long as the file's name is the same, so each is built as `intake` in a folder of its own and then named.
 */
const targets = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "darwin-arm64": "bun-darwin-arm64",
  "windows-x64": "bun-windows-x64",
} as const;

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

// Bun reads it while it bundles: without it, libraries would be built for development.
process.env.NODE_ENV = "production";

interface How {
  target?: Bun.Build.CompileTarget;
  /** Bun for that target; without it Bun fetches it. */
  executablePath?: string;
  /** The commit that `intake version` names. */
  commit?: string;
  kind?: "release" | "sql-times";
}

/** Compiles the server into one file. The package of the SDK, which is embedded, has to be built before. */
export async function buildBinary(
  outfile: string,
  { target, executablePath, commit = "", kind = "release" }: How = {},
) {
  const result = await Bun.build({
    entrypoints: [
      ...["main.ts", "store/checkpoint-worker.ts", "backup/ship-worker.ts", "envelope/envelope-worker.ts"].map((file) =>
        join(root, "server", file),
      ),
      // Embedded as it is, for whoever installs the SDK from the server.
      packed.file,
    ],
    root,
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target ? { target } : {}),
      ...(executablePath ? { executablePath } : {}),
    },
    bytecode: true,
    // What is loaded later stays on the disk until then.
    splitting: true,
    format: "esm",
    // Identifiers stay: Elysia reads the source of its handlers.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: "linked",
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.INTAKE_BUILD": JSON.stringify(kind),
      "process.env.INTAKE_COMMIT": JSON.stringify(commit),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  // Every entry gets a map, the SDK's file too, which has no code.
  rmSync(join(dirname(outfile), basename(packed.file).replace(/\.tgz$/, ".js.map")), { force: true });
}

function say(outfile: string) {
  process.stdout.write(`${outfile.slice(root.length + 1)}  ${(statSync(outfile).size / 1e6).toFixed(1)} MB\n`);
}

async function main() {
  mkdirSync(dist, { recursive: true });
  buildClientIfChanged();
  if (process.argv.includes("--all")) {
    for (const [name, target] of Object.entries(targets)) {
      const extension = name.startsWith("windows") ? ".exe" : "";
      const folder = join(dist, name);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await buildBinary(join(folder, `intake${extension}`), { target: target as Bun.Build.CompileTarget });
      const outfile = join(dist, `intake-${name}${extension}`);
      renameSync(join(folder, `intake${extension}`), outfile);
      rmSync(folder, { recursive: true });
      say(outfile);
    }
    return;
  }
  const timed = process.argv.includes("--sql-times");
  const name = timed ? "intake-sql-times" : "intake";
  // The file that is there may be started at any moment, so it is replaced in one step.
  const folder = mkdtempSync(join(dist, "building-"));
  await buildBinary(join(folder, name), { kind: timed ? "sql-times" : "release" });
  for (const file of readdirSync(folder)) renameSync(join(folder, file), join(dist, file));
  rmSync(folder, { recursive: true });
  say(join(dist, name));
}

if (import.meta.main) await main();
