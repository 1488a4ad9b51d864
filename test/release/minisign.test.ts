import { afterAll, expect, test } from "bun:test";
import { scryptSync } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeSecretKey, publicKey, readSecretKey, signatureOf } from "../../release/minisign.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const content = new TextEncoder().encode("what is signed\n");

function minisign(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["minisign", ...args], { cwd: folder });
  return { exitCode, text: `${stdout}${stderr}` };
}

function verify(key: string, signed: Uint8Array, signature: string) {
  writeFileSync(join(folder, "signed"), signed);
  writeFileSync(join(folder, "signed.minisig"), signature);
  return minisign("-Vm", "signed", "-P", key);
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";

test("minisign accepts the signatures of a key made here, with their comment", () => {
  const { text, key } = makeSecretKey();
  const signature = signatureOf(content, readSecretKey(text), "intake 1.2.3");
  expect(verify(publicKey(key), content, signature)).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining("Trusted comment: intake 1.2.3"),
  });
  expect(verify(publicKey(key), new TextEncoder().encode("another\n"), signature).exitCode).not.toBe(0);
  expect(verify(publicKey(key), content, signature.replace("1.2.3", "1.2.4")).exitCode).not.toBe(0);
  expect(verify(publicKey(makeSecretKey().key), content, signature).exitCode).not.toBe(0);
});

test("the same content, key and comment give the same signature", () => {
  const { key } = makeSecretKey();
  expect(signatureOf(content, key, "a")).toBe(signatureOf(content, key, "a"));
});

test("a key of minisign is read, and its signatures fit its public key", () => {
  expect(minisign("-G", "-W", "-p", "plain.pub", "-s", "plain.key").exitCode).toBe(0);
  const key = readSecretKey(readFileSync(join(folder, "plain.key"), "utf8"));
  const known = lastLine(readFileSync(join(folder, "plain.pub"), "utf8"));
  expect(publicKey(key)).toBe(known);
  expect(verify(known, content, signatureOf(content, key, "a")).exitCode).toBe(0);
});

test("a key with a password needs it", () => {
  const { text, key } = makeSecretKey();
  const sealed = Buffer.from(lastLine(text), "base64");
  // libsodium makes N = 1024, r = 8 and p = 1 of these limits; those that minisign writes take 1 GiB and seconds.
  sealed.write("Sc", 2);
  sealed.fill(7, 6, 38);
  sealed.writeBigUInt64LE(32_768n, 38);
  sealed.writeBigUInt64LE(16_777_216n, 46);
  new Bun.CryptoHasher("blake2b256").update("Ed").update(sealed.subarray(54, 126)).digest().copy(sealed, 126);
  const stream = scryptSync("pass", sealed.subarray(6, 38), 104, { N: 1024, r: 8, p: 1 });
  for (let i = 0; i < 104; i++) sealed[54 + i] = (sealed[54 + i] ?? 0) ^ (stream[i] ?? 0);
  const file = `untrusted comment: minisign encrypted secret key\n${sealed.toString("base64")}\n`;
  expect(() => readSecretKey(file)).toThrow("the key has a password");
  expect(() => readSecretKey(file, "pasS")).toThrow("the password of the key is wrong");
  expect(publicKey(readSecretKey(file, "pass"))).toBe(publicKey(key));
});

test("a text that is no key is refused without repeating it", () => {
  for (const text of ["", "secret", makeSecretKey().text.replace(/.{60}\n$/, `${"A".repeat(59)}=\n`)]) {
    expect(() => readSecretKey(text)).toThrow(
      /^the key is (no secret key of minisign|damaged)|^the password of the key/,
    );
  }
});
