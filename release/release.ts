import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Chosen, choose } from "./choose.ts";
import { formula } from "./formula.ts";
import { publicKey, type SecretKey, signatureOf } from "./minisign.ts";
import { releaseKey, withoutKey } from "./release-key.ts";
import { run } from "./run.ts";

const usage = `bun run release [TAG or COMMIT] --url URL [--out DIR] [--unsigned]

Makes every file of a release in dist/release from a tag such as v1.2.3, or from the commit given (HEAD). The same
commit and key give the same bytes.

  --url URL    https address below which the files will be; install.sh and the formula name it
  --out DIR    folder of the files, emptied first (dist/release)
  --unsigned   without a key: no signature and no install.sh

The key is the secret key of minisign: INTAKE_RELEASE_KEY_FILE names its file, or INTAKE_RELEASE_KEY is its text.
INTAKE_RELEASE_KEY_PASSWORD is its password, if it has one. Sources and tools that build never get to see them.`;

const root = join(import.meta.dir, "..");

async function main(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: "string" },
      out: { type: "string", default: join(root, "dist/release") },
      unsigned: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return process.stdout.write(`${usage}\n`);
  const [ref = "HEAD", ...more] = positionals;
  if (more.length > 0) throw new Error("give one tag or commit");
  const url = httpsUrl(values.url);
  const key = values.unsigned ? undefined : releaseKey(process.env);
  const chosen = await choose(root, ref);
  if (key) requireKnownKey(chosen, key);
  const out = resolve(values.out);
  emptyFolder(out);
  await make(chosen, out);
  finish(out, chosen, url, key);
  process.stdout.write(readFileSync(join(out, "SHA256SUMS"), "utf8"));
}

/** An address that can stand in a script and in a formula as it is. */
function httpsUrl(given: string | undefined): string {
  if (given === undefined) throw new Error("--url is missing: the address below which the files will be");
  if (!/^https:\/\/[\w.:-]+(\/[\w.~+-]+)*$/.test(given))
    throw new Error("--url must be a plain https address without a / at its end");
  return given;
}

/** A key that the sources name by `release/minisign.pub` is the only one that a release of them is signed with. */
function requireKnownKey({ publicKeyFile }: Chosen, key: SecretKey) {
  if (publicKeyFile !== undefined && publicKeyFile.trim().split("\n").at(-1) !== publicKey(key)) {
    throw new Error("the key is another than the one of release/minisign.pub");
  }
}

/** Only a folder that a release made before, or an empty one, is emptied. */
function emptyFolder(out: string) {
  const present = existsSync(out) ? readdirSync(out) : [];
  if (present.length > 0 && !present.includes("RELEASE-NOTES.md")) throw new Error(`${out} has other files in it`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/** Builds in a checkout of the commit alone: what is not committed is in no release. */
async function make({ commit, seconds, tagged }: Chosen, out: string) {
  const cache = join(root, "dist/release-cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "intake-checkout-"));
  const env = withoutKey(process.env);
  try {
    const archive = join(folder, "sources.tar");
    await run(["git", "-C", root, "-c", "tar.umask=0022", "archive", "--format=tar", `--output=${archive}`, commit]);
    await run(["tar", "-xf", archive, "-C", folder]);
    rmSync(archive);
    const bun = process.execPath;
    await run([bun, "install", "--frozen-lockfile", "--ignore-scripts"], { cwd: folder, env });
    const given = [out, cache, commit, String(seconds), tagged ? "tagged" : "untagged"];
    await run([bun, "release/make.ts", ...given], { cwd: folder, env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What needs the digests of the files, or the key. */
function finish(out: string, { version, commit, seconds, template }: Chosen, url: string, key: SecretKey | undefined) {
  const digest = (name: string) => Bun.SHA256.hash(readFileSync(join(out, name)), "hex");
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(out, name), text, { mode });
  const made = readdirSync(out);
  write("intake.rb", formula(version, url, new Map(made.map((name) => [name, digest(name)]))));
  if (key) {
    const fields: Record<string, string> = { VERSION: version, URL: url, PUBLIC_KEY: publicKey(key) };
    write(
      "install.sh",
      template.replace(/@(VERSION|URL|PUBLIC_KEY)@/g, (_, name: string) => fields[name] ?? ""),
      0o755,
    );
  }
  const sums = readdirSync(out)
    .sort()
    .map((name) => `${digest(name)}  ${name}\n`)
    .join("");
  write("SHA256SUMS", sums);
  if (key) {
    const comment = `intake ${version} commit ${commit} time ${seconds}`;
    write("SHA256SUMS.minisig", signatureOf(Buffer.from(sums), key, comment));
    write("minisign.pub", `untrusted comment: public key of the releases of Intake\n${publicKey(key)}\n`);
  }
}

// Rights of files are part of the bytes: they are the same for everyone who builds.
process.umask(0o022);
await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
});
