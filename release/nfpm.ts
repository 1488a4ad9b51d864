import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

/** Pinned, so that the same sources make the same packages. */
const version = "v2.43.4";

/** Go compresses the packages, so its version decides their bytes too; Go fetches this one where it is another. */
const go = "go1.26.8";

/** Path of nfpm, built once by Go, which verifies every module by the checksum database. */
export async function nfpm(cache: string): Promise<string> {
  const folder = join(cache, `nfpm-${version}-${go}`);
  const path = join(folder, "nfpm");
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    await run(["go", "install", "-trimpath", `github.com/goreleaser/nfpm/v2/cmd/nfpm@${version}`], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: "", GOTOOLCHAIN: go, CGO_ENABLED: "0" },
    });
  }
  return path;
}
