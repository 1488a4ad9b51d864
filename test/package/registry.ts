import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../client/build.ts";

/** A registry that has only the packed client, for `npx`. */
export function serveRegistry() {
  const tarball = readFileSync(packed.file);
  const manifest = JSON.parse(readFileSync(join(import.meta.dir, "../../client/package.json"), "utf8"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: { "/client.tgz": new Response(Uint8Array.from(tarball)) },
    fetch({ url }) {
      const { pathname, origin } = new URL(url);
      if (decodeURIComponent(pathname) !== `/${manifest.name}`) return new Response(null, { status: 404 });
      const { name, version } = manifest;
      const published = { ...manifest, dist: { tarball: `${origin}/client.tgz`, integrity } };
      return Response.json({ name, "dist-tags": { latest: version }, versions: { [version]: published } });
    },
  });
}
