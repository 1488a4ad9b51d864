import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeSecretKey, publicKey } from "./minisign.ts";

/**
 * `bun release/key.ts FILE`: makes the key that releases are signed with. The secret key goes to FILE, which has to be
 * outside the repository; the public key to release/minisign.pub, which is committed.
 */
const root = join(import.meta.dir, "..");
const [path] = process.argv.slice(2);
if (path === undefined || join(process.cwd(), path).startsWith(`${root}/`) || path.startsWith(`${root}/`)) {
  process.stderr.write("bun release/key.ts FILE: a file outside the repository for the secret key\n");
  process.exit(2);
}
const { text, key } = makeSecretKey();
writeFileSync(path, text, { mode: 0o600, flag: "wx" });
const file = `untrusted comment: public key of the releases of Intake\n${publicKey(key)}\n`;
writeFileSync(join(import.meta.dir, "minisign.pub"), file, { flag: "wx" });
process.stdout.write(file);
