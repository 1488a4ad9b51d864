import { afterAll, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { file } from "../../release/entry.ts";
import { makeSecretKey, publicKey, signatureOf } from "../../release/minisign.ts";
import { tar } from "../../release/tar.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** install.sh against folders that hold a small release, good and tampered with. */
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const template = readFileSync(join(import.meta.dir, "../../release/install.sh"), "utf8");
const { key } = makeSecretKey();
const name = `intake-1.2.3-linux-${process.arch}`;
const program = "#!/bin/sh\necho intake 1.2.3\n";
const archiveOf = (text: string) => gzipSync(tar([file(`${name}/intake`, text, 0o755)], 0));

let files: string;
let to: string;
let n = 0;
beforeEach(() => {
  n += 1;
  files = join(folder, `files-${n}`);
  to = join(folder, `bin-${n}`);
  mkdirSync(files);
  const archive = archiveOf(program);
  writeFileSync(join(files, `${name}.tar.gz`), archive);
  sign(`${Bun.SHA256.hash(archive, "hex")}  ${name}.tar.gz\n`);
});

function sign(sums: string, by = key) {
  writeFileSync(join(files, "SHA256SUMS"), sums);
  writeFileSync(join(files, "SHA256SUMS.minisig"), signatureOf(Buffer.from(sums), by, "intake 1.2.3"));
}

/** Runs install.sh with minisign on the PATH or with OpenSSL alone. */
function install(verifier: "minisign" | "openssl", more: string[] = ["--from", files]) {
  const fields: Record<string, string> = {
    VERSION: "1.2.3",
    URL: "https://localhost:1/none",
    PUBLIC_KEY: publicKey(key),
  };
  const script = join(folder, "install.sh");
  writeFileSync(
    script,
    template.replace(/@(VERSION|URL|PUBLIC_KEY)@/g, (_, field: string) => fields[field] ?? ""),
  );
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", script, "--to", to, ...more], {
    env: { PATH: pathWithout(verifier === "minisign" ? "openssl" : "minisign"), HOME: folder, TMPDIR: folder },
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** A folder with links to the programs of the PATH but one. */
function pathWithout(left: string): string {
  const links = join(folder, `without-${left}`);
  if (existsSync(links)) return links;
  mkdirSync(links);
  const wanted =
    "sh id uname mktemp rm cp mkdir chmod mv tar gzip awk sed head tail cat sha256sum curl minisign openssl";
  for (const one of wanted.split(" ").filter((one) => one !== left)) {
    const path = Bun.which(one);
    if (path) Bun.spawnSync(["ln", "-s", path, join(links, one)]);
  }
  return links;
}

function expectNothingInstalled() {
  expect(existsSync(to) ? readdirSync(to) : []).toEqual([]);
}

const verifiers = ["minisign", "openssl"] as const;

test.each(verifiers)("installs what was signed, over an older one (%s)", (verifier) => {
  mkdirSync(to);
  writeFileSync(join(to, "intake"), "old");
  chmodSync(join(to, "intake"), 0o700);
  expect(install(verifier)).toEqual({
    exitCode: 0,
    stdout: `installed intake 1.2.3 as ${join(to, "intake")}\n`,
    stderr: expect.any(String),
  });
  expect(readFileSync(join(to, "intake"), "utf8")).toBe(program);
  expect(readdirSync(to)).toEqual(["intake"]);
});

test.each(verifiers)("installs nothing when the archive is another than was signed (%s)", (verifier) => {
  writeFileSync(join(files, `${name}.tar.gz`), archiveOf("#!/bin/sh\necho evil\n"));
  expect(install(verifier)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was installed") });
  expectNothingInstalled();
});

test.each(verifiers)("installs nothing when SHA256SUMS was changed after it was signed (%s)", (verifier) => {
  const archive = archiveOf("#!/bin/sh\necho evil\n");
  writeFileSync(join(files, `${name}.tar.gz`), archive);
  writeFileSync(join(files, "SHA256SUMS"), `${Bun.SHA256.hash(archive, "hex")}  ${name}.tar.gz\n`);
  expect(install(verifier)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was installed") });
  expectNothingInstalled();
});

test.each(verifiers)("installs nothing that another key signed (%s)", (verifier) => {
  sign(readFileSync(join(files, "SHA256SUMS"), "utf8"), makeSecretKey().key);
  expect(install(verifier)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was installed") });
  expectNothingInstalled();
});

test.each(verifiers)("installs nothing when the signed list is of another version (%s)", (verifier) => {
  sign(readFileSync(join(files, "SHA256SUMS"), "utf8").replace("1.2.3", "1.2.2"));
  expect(install(verifier)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("does not name") });
  expectNothingInstalled();
});

test("installs nothing when a file is missing or the address is not https", () => {
  rmSync(join(files, "SHA256SUMS.minisig"));
  expect(install("minisign").exitCode).toBe(1);
  expect(install("minisign", ["--from", "http://127.0.0.1:1"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("only https://"),
  });
  expect(install("minisign", ["--nonsense", "x"]).exitCode).toBe(1);
  expectNothingInstalled();
});

test("leaves no temporary folder behind", () => {
  install("minisign");
  expect(readdirSync(folder).filter((one) => one.startsWith("tmp."))).toEqual([]);
});
