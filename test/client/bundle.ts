import { join } from "node:path";
import { build } from "esbuild";
import { packedClient } from "./packed-client.ts";

/** Bundles a script and the packed client into one module, with the same bytes for every runtime. */
export async function bundle(script: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dir, script)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    // React is bundled as pages ship it.
    define: { "process.env.NODE_ENV": '"production"' },
    nodePaths: [await packedClient()],
    // The project's own tsconfig would resolve the package to the client's sources.
    tsconfigRaw: {},
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`${script} gave no bundle`);
  return output.contents;
}
