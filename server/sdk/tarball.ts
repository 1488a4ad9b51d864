import { join } from "node:path";
import { embeddedFiles } from "bun";
import { version } from "../../client/package.json";

/** The package `@intake/client` of this version, as npm installs it from an address. */
export const sdkFilename = `intake-client-${version}.tgz`;

/**
 * The file stays in the binary until somebody asks for it. A server that runs from its sources has what
 * `bun run build:client` has left in `dist`; undefined when nobody has built it.
 */
export async function sdkTarball(): Promise<Blob | undefined> {
  const embedded = embeddedFiles.find((file) => isTarball((file as File).name));
  if (embedded) return embedded;
  const built = Bun.file(join(import.meta.dir, "../../dist", sdkFilename));
  return (await built.exists()) ? built : undefined;
}

/** Whether this is the package, in whose name the bundler has put a digest before the extension. */
function isTarball(name: string): boolean {
  return name.startsWith(sdkFilename.replace(/\.tgz$/, "-")) && name.endsWith(".tgz");
}
