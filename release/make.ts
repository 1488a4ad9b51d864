import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildClient, packed } from "../client/build.ts";
import { version } from "../package.json";
import { buildBinary } from "../server/build.ts";
import { commands } from "../server/cli/commands.ts";
import { bashCompletion } from "../server/cli/completion/bash.ts";
import { fishCompletion } from "../server/cli/completion/fish.ts";
import { zshCompletion } from "../server/cli/completion/zsh.ts";
import { manPages } from "../server/cli/man-pages.ts";
import { cLibrary } from "./c-library.ts";
import { components } from "./components.ts";
import { type Entry, file } from "./entry.ts";
import { imageLayout, type Platform } from "./image.ts";
import { licencesText } from "./licences.ts";
import { signAdHoc } from "./mach-o.ts";
import { nfpm } from "./nfpm.ts";
import { releaseNotes } from "./notes.ts";
import { packageConfig } from "./packages.ts";
import { run } from "./run.ts";
import { sbom } from "./sbom.ts";
import { tar } from "./tar.ts";
import { archiveName, isWindows, type Target, targets } from "./targets.ts";
import { zip } from "./zip.ts";

/**
 * Makes all files of a release but those that need the key, from the checkout that this file is in:
 * `bun release/make.ts OUT CACHE COMMIT SECONDS TAGGED`. `bun run release` calls it in a checkout of the commit.
 */
const [out = "", cache = "", commit = "", secondsGiven = "", tagged = ""] = process.argv.slice(2);
const seconds = Number(secondsGiven);
const root = join(import.meta.dir, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

// The package of the SDK keeps the rights of its files.
process.umask(0o022);
const { direct, all } = components(root);
const licences = licencesText(root, all);
const man = manPages(commands);
const completions = { bash: bashCompletion(commands), zsh: zshCompletion(commands), fish: fishCompletion(commands) };
const changelog = read("CHANGELOG.md");

const scratch = mkdtempSync(join(tmpdir(), "intake-release-"));
try {
  writeFileSync(join(out, `intake-${version}.cdx.json`), sbom({ version, commit, seconds }, direct, all));
  writeFileSync(join(out, "THIRD-PARTY-LICENSES.txt"), licences);
  writeFileSync(join(out, "RELEASE-NOTES.md"), releaseNotes(changelog, tagged === "tagged" ? version : "Unreleased"));
  buildClient();
  cpSync(packed.file, join(out, `intake-client-${version}.tgz`));
  const runtimes = await installRuntimes();
  const platforms: Platform[] = [];
  for (const target of targets) {
    const binary = join(scratch, target.name, isWindows(target) ? "intake.exe" : "intake");
    mkdirSync(join(scratch, target.name));
    await buildBinary(binary, { target: target.bun, executablePath: join(runtimes, target.runtime), commit });
    if (target.name === "darwin-x64") writeFileSync(binary, signAdHoc(readFileSync(binary), "intake"));
    const bytes = readFileSync(binary);
    writeFileSync(join(out, archiveName(version, target)), archive(target, bytes));
    if (!target.linux) continue;
    platforms.push({ target, binary: bytes, libraries: await cLibrary(target, cache), licences });
    await makePackages(target, binary);
  }
  writeFileSync(join(out, `intake-${version}-oci.tar`), imageLayout({ version, commit, seconds }, platforms));
} finally {
  rmSync(scratch, { recursive: true });
}

/** Bun for every platform, by the digests of `runtimes/bun.lock`. */
async function installRuntimes(): Promise<string> {
  const folder = join(root, "release/runtimes");
  await run([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--os=*", "--cpu=*"], {
    cwd: folder,
  });
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const [name, wanted] of Object.entries(dependencies)) {
    if (wanted !== Bun.version)
      throw new Error(`${name} is ${wanted} and this is Bun ${Bun.version}: they have to be one`);
  }
  return join(folder, "node_modules");
}

function archive(target: Target, binary: Uint8Array): Uint8Array {
  const folder = `intake-${version}-${target.name}`;
  const entries: Entry[] = [
    file(`${folder}/intake${isWindows(target) ? ".exe" : ""}`, binary, 0o755),
    file(`${folder}/LICENSE`, read("LICENSE")),
    file(`${folder}/THIRD-PARTY-LICENSES.txt`, licences),
    ...(isWindows(target)
      ? []
      : [
          file(`${folder}/completions/intake.bash`, completions.bash),
          file(`${folder}/completions/_intake`, completions.zsh),
          file(`${folder}/completions/intake.fish`, completions.fish),
          ...[...man].map(([name, page]) => file(`${folder}/man/${name}`, page)),
        ]),
  ];
  return isWindows(target) ? zip(entries, seconds) : gzipSync(tar(entries, seconds), { level: 9 });
}

async function makePackages(target: Target, binary: string) {
  utimesSync(binary, seconds, seconds);
  for (const packager of ["deb", "rpm"] as const) {
    const folder = join(scratch, `${packager}-${target.name}`);
    const made = { version, seconds, target, binary, man, completions, licences, changelog };
    const config = join(folder, "nfpm.json");
    const text = JSON.stringify(packageConfig(packager, root, folder, made));
    writeFileSync(config, text);
    const path = join(out, `intake-${version}-${target.name}.${packager}`);
    await run([await nfpm(cache), "package", "--config", config, "--packager", packager, "--target", path], {
      cwd: folder,
      env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds), TZ: "UTC" },
    });
    if (!existsSync(path)) throw new Error(`nfpm made no ${path}`);
  }
}
