import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { precompressSmallest } from "../http/precompressed.ts";
import { type Metafile, pageScripts } from "./page-scripts.ts";

export interface Asset {
  /** File name with the digest of its contents, so that a browser may keep it for ever. */
  name: string;
  type: string;
  /** Compressed by gzip, in base64, because a bundle carries text only. */
  gzipBase64: string;
  etag: string;
}

export interface BundledAssets {
  script: string;
  style: string;
  /** The style sheet that only the setup page needs. */
  setupStyle: string;
  icon: string;
  assets: Asset[];
  /** The scripts of each page besides the first one, by its path. */
  pageScripts: Record<string, string[]>;
}

/** A macro: it runs while the server is bundled, and what it returns stands in the bundle. */
export function bundledAssets(): BundledAssets {
  const out = mkdtempSync(join(tmpdir(), "intake-dashboard-"));
  try {
    const metafile = join(out, "metafile.json");
    bundle(out, "main.tsx", "--splitting", "--format=esm", `--metafile=${metafile}`);
    bundle(out, "style/main.css");
    bundle(out, "style/setup.css");
    bundle(out, "icon.svg", "--loader=.svg:file");
    const assets = readdirSync(out)
      .filter((name) => extname(name) in types && !/icon-.*\.js$/.test(name))
      .sort()
      .map((name) => assetOf(out, name));
    return {
      assets,
      script: entry(assets, /^entry-main-.*\.js$/),
      style: entry(assets, /^entry-main-.*\.css$/),
      setupStyle: entry(assets, /^entry-setup-.*\.css$/),
      icon: entry(assets, /\.svg$/),
      pageScripts: pageScripts(JSON.parse(readFileSync(metafile, "utf8")) as Metafile),
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const page = join(import.meta.dir, "page");
const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Runs the bundler in another process: this code runs inside a bundler, and one cannot wait for another. */
function bundle(out: string, file: string, ...options: string[]) {
  // The kind stands in the name, because a chunk may have the name of the entry.
  const names = ["entry", "chunk", "asset"].map((kind) => `--${kind}-naming=${kind}-[name]-[hash].[ext]`);
  const command = [process.execPath, "build", join(page, file), "--minify", "--target=browser", `--outdir=${out}`];
  const env = { ...process.env, NODE_ENV: "production" };
  const { exitCode, stderr } = Bun.spawnSync([...command, ...names, ...options], { cwd: page, env });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

function assetOf(out: string, name: string): Asset {
  const { bytes, etag } = precompressSmallest(readFileSync(join(out, name), "utf8"));
  return { name, type: types[extname(name)] ?? "", gzipBase64: Buffer.from(bytes).toString("base64"), etag };
}

function entry(assets: readonly Asset[], shape: RegExp): string {
  const found = assets.find(({ name }) => shape.test(name));
  if (!found) throw new Error(`the page has no ${shape}`);
  return found.name;
}
