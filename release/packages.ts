import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Target } from "./targets.ts";

interface Made {
  version: string;
  seconds: number;
  target: Target;
  /** Path of the binary. */
  binary: string;
  /** Files of the archive that packages have too. */
  man: ReadonlyMap<string, string>;
  completions: { bash: string; zsh: string; fish: string };
  licences: string;
  changelog: string;
}

type Packager = "deb" | "rpm";

/** What `nfpm` is given, with every file that the package gets written below `folder`. */
export function packageConfig(packager: Packager, root: string, folder: string, made: Made) {
  const { version, seconds, target, binary, man, completions, licences, changelog } = made;
  const mtime = new Date(seconds * 1000).toISOString();
  const contents: object[] = [];
  const add = (dst: string, content: string | Uint8Array, more: { type?: string; mode?: number } = {}) => {
    const src = join(folder, "files", dst);
    mkdirSync(dirname(src), { recursive: true });
    writeFileSync(src, content);
    utimesSync(src, seconds, seconds);
    contents.push(entry(src, dst, mtime, more));
  };
  contents.push(entry(binary, "/usr/bin/intake", mtime, { mode: 0o755 }));
  add("/usr/lib/systemd/system/intake.service", unit(root));
  add("/etc/intake/environment", readFileSync(join(root, "release/package/environment")), {
    type: "config|noreplace",
    mode: 0o600,
  });
  for (const [name, page] of man) add(`/usr/share/man/man1/${name}.gz`, packed(page));
  add("/usr/share/bash-completion/completions/intake", completions.bash);
  add(`/usr/share/zsh/${packager === "deb" ? "vendor-completions" : "site-functions"}/_intake`, completions.zsh);
  add("/usr/share/fish/vendor_completions.d/intake.fish", completions.fish);
  add("/usr/share/doc/intake/copyright", licences);
  add("/usr/share/doc/intake/CHANGELOG.md.gz", packed(changelog));
  for (const name of ["Caddyfile", "nginx.conf"]) {
    add(`/usr/share/doc/intake/examples/${name}`, readFileSync(join(root, "server/deploy", name)));
  }
  const script = (name: string) => join(root, "release/package", name);
  return {
    name: "intake",
    arch: target.linux?.architecture,
    platform: "linux",
    version,
    release: "1",
    version_schema: "semver",
    mtime,
    umask: 0o022,
    section: "web",
    priority: "optional",
    maintainer: "Intake maintainers <maintainers@intake.invalid>",
    description:
      "Takes in tickets from CI jobs and reports from apps\nOne binary with a dashboard, an SQLite database and webhooks.",
    license: "MIT",
    depends: packager === "deb" ? ["libc6 (>= 2.17)", "passwd"] : ["glibc >= 2.17", "shadow-utils"],
    contents,
    scripts: { postinstall: script("postinst"), preremove: script("prerm"), postremove: script("postrm") },
    // Go's gzip and a fixed name of the host: the same bytes on every machine.
    deb: { compression: "gzip" },
    rpm: { compression: "gzip", buildhost: "intake" },
  };
}

/** The unit of server/deploy, with the place where packages put the binary. */
function unit(root: string): string {
  const text = readFileSync(join(root, "server/deploy/intake.service"), "utf8");
  const moved = text.replace("ExecStart=/usr/local/bin/intake ", "ExecStart=/usr/bin/intake ");
  if (moved === text) throw new Error("server/deploy/intake.service starts another binary than /usr/local/bin/intake");
  return moved.replace(
    "README.md beside this file installs it step by step.",
    "The package installed it; see man intake.",
  );
}

function entry(src: string, dst: string, mtime: string, { type, mode = 0o644 }: { type?: string; mode?: number }) {
  return { src, dst, ...(type ? { type } : {}), file_info: { mode, owner: "root", group: "root", mtime } };
}

function packed(text: string): Uint8Array {
  return gzipSync(text, { level: 9 });
}
