/**
 * `node bundle-with-all.mjs FOLDER`: bundles and minifies each `*.entry.js` of a project with every bundler, all in one
 * process. Prints an object with the text of each bundle, by bundler and file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import webpack from "webpack";

const folder = process.argv[2];
const target = "es2022";

const bundlers = {
  async esbuild(input) {
    const { outputFiles } = await esbuild({
      entryPoints: [input],
      bundle: true,
      minify: true,
      format: "esm",
      target,
      tsconfigRaw: {},
      logLevel: "silent",
      write: false,
    });
    return outputFiles[0].text;
  },

  async rollup(input) {
    const bundle = await rollup({
      input,
      plugins: [nodeResolve({ browser: true }), terser({ ecma: 2022, module: true })],
    });
    const { output } = await bundle.generate({ format: "es" });
    return output[0].code;
  },

  async vite(input) {
    const { output } = await vite({
      root: folder,
      configFile: false,
      logLevel: "silent",
      // As of an app, not of a library, which Vite would not minify wholly.
      build: {
        write: false,
        target,
        modulePreload: false,
        rolldownOptions: { input, preserveEntrySignatures: "strict" },
      },
    });
    return output[0].code;
  },

  webpack(input) {
    const path = join(folder, "webpack");
    const filename = "bundle.js";
    return new Promise((resolve, reject) => {
      webpack(
        {
          mode: "production",
          entry: input,
          context: folder,
          experiments: { outputModule: true },
          output: { path, filename, module: true, library: { type: "module" }, environment: { module: true } },
          performance: false,
        },
        (error, stats) => {
          if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString()));
          else resolve(readFileSync(join(path, filename), "utf8"));
        },
      );
    });
  },
};

const entries = readdirSync(folder).filter((name) => name.endsWith(".entry.js"));
const bundles = {};
for (const [bundler, bundle] of Object.entries(bundlers)) {
  bundles[bundler] = {};
  for (const entry of entries) bundles[bundler][entry] = await bundle(join(folder, entry));
}
process.stdout.write(JSON.stringify(bundles));
