import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import base from "./c-library.json";
import { type Entry, file } from "./entry.ts";
import { run } from "./run.ts";
import type { Target } from "./targets.ts";

/**
 * The C library of an image, from the Debian package that c-library.json pins by version and digest. apt fetches it for
 * either processor, with its own state in the cache, and verifies Debian's signature.
 */
export async function cLibrary({ linux }: Target, cache: string): Promise<Entry[]> {
  if (!linux) throw new Error("only Linux has an image");
  const { architecture, libraries } = linux;
  const path = join(cache, `libc6_${base.sha256[architecture]}.deb`);
  if (!existsSync(path)) await download(architecture, cache, path);
  const digest = Bun.SHA256.hash(readFileSync(path), "hex");
  if (digest !== base.sha256[architecture]) throw new Error(`${path} is not the package that c-library.json pins`);
  const folder = mkdtempSync(join(cache, "libc6-"));
  try {
    await run(["dpkg-deb", "--extract", path, folder]);
    const kept = [`lib/${libraries}`, "lib64", "lib/ld-linux-aarch64.so.1", "usr/share/doc/libc6/copyright"];
    return kept.flatMap((start) => entriesBelow(folder, start));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function download(architecture: string, cache: string, path: string) {
  const folder = mkdtempSync(join(cache, "apt-"));
  try {
    for (const name of ["state/lists/partial", "cache/archives/partial"])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "status"), "");
    const options = {
      "APT::Architecture": architecture,
      "APT::Architectures::": architecture,
      "Dir::State": join(folder, "state"),
      "Dir::State::status": join(folder, "status"),
      "Dir::Cache": join(folder, "cache"),
    };
    const apt = ["apt-get", "-qq", ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`])];
    await run([...apt, "update"]);
    await run([...apt, "download", `${base.package}=${base.version}`], { cwd: folder });
    const name = readdirSync(folder).find((one) => one.endsWith(".deb"));
    if (name === undefined) throw new Error(`apt brought no ${base.package} ${base.version}`);
    renameSync(join(folder, name), path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function entriesBelow(root: string, path: string): Entry[] {
  const full = join(root, path);
  const stat = lstatSync(full, { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.isSymbolicLink()) return [{ path, kind: "link", to: readlinkSync(full) }];
  if (stat.isDirectory()) return readdirSync(full).flatMap((name) => entriesBelow(root, `${path}/${name}`));
  return [file(path, readFileSync(full), stat.mode & 0o755)];
}
