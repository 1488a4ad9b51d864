/** The platforms of a release. `runtime` is the npm package with Bun for it, pinned in `runtimes/bun.lock`. */
export interface Target {
  name: string;
  bun: Bun.Build.CompileTarget;
  runtime: string;
  /** What packages and images for Linux call its processor. */
  linux?: { architecture: "amd64" | "arm64"; libraries: string };
}

export const targets: readonly Target[] = [
  {
    name: "linux-x64",
    bun: "bun-linux-x64",
    runtime: "@oven/bun-linux-x64/bin/bun",
    linux: { architecture: "amd64", libraries: "x86_64-linux-gnu" },
  },
  {
    name: "linux-arm64",
    bun: "bun-linux-arm64",
    runtime: "@oven/bun-linux-aarch64/bin/bun",
    linux: { architecture: "arm64", libraries: "aarch64-linux-gnu" },
  },
  { name: "darwin-x64", bun: "bun-darwin-x64", runtime: "@oven/bun-darwin-x64/bin/bun" },
  { name: "darwin-arm64", bun: "bun-darwin-arm64", runtime: "@oven/bun-darwin-aarch64/bin/bun" },
  { name: "windows-x64", bun: "bun-windows-x64", runtime: "@oven/bun-windows-x64/bin/bun.exe" },
];

export const isWindows = ({ name }: Target) => name.startsWith("windows");

/** The archive of a binary: what Windows opens by itself there, and a tarball elsewhere. */
export function archiveName(version: string, target: Target): string {
  return `intake-${version}-${target.name}.${isWindows(target) ? "zip" : "tar.gz"}`;
}
