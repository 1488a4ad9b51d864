import { readFileSync } from "node:fs";
import { join } from "node:path";
import { precompressSmallest } from "../http/precompressed.ts";

interface BundledPage {
  /** The page compressed by gzip, as base64, because a bundle holds text only. */
  gzipBase64: string;
  /** Digests of the page's style and script, for its content security policy. */
  style: string;
  script: string;
  etag: string;
}

/** A macro: it runs while the server is bundled, and its result becomes part of the bundle. */
export function bundledPage(): BundledPage {
  const style = bundled("style.css");
  const script = bundled("main.ts");
  if (script.includes("</script")) throw new Error("the script would end before its end");
  const page = readFileSync(join(folder, "index.html"), "utf8")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
  const { bytes, etag } = precompressSmallest(page);
  return {
    gzipBase64: Buffer.from(bytes).toString("base64"),
    style: digestOf(style),
    script: digestOf(script),
    etag,
  };
}

const folder = join(import.meta.dir, "page");

/** Runs the bundler in another process: this code runs inside a bundler, which cannot wait for another one. */
function bundled(file: string): string {
  const command = [process.execPath, "build", join(folder, file), "--minify", "--target=browser"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

function digestOf(text: string): string {
  return `'sha256-${Bun.SHA256.hash(text, "base64")}'`;
}
