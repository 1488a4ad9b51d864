import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { databaseEnvironment } from "../../test/support/databases.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { examine } from "../app/doctor/examine-folder.ts";
import { examineOnDatabase } from "../app/doctor/examine-on-database.ts";
import { migrations } from "../store/migrations/index.ts";
import { openSealing, SecretKeyUnusable } from "./open-sealing.ts";

let installation: Installation;
let path: string;
beforeEach(async () => {
  installation = await install();
  path = `${installation.folder}/secret.key`;
});
afterEach(() => installation.remove());

const open = () => openSealing(installation.folder, installation.ctx.store);
const fingerprints = () => installation.ctx.store.all("select fingerprint from sealing");
const keyFiles = () => readdirSync(installation.folder).filter((name) => name.startsWith("secret.key"));
/** The contents of the key files; of a folder in the place of a key file, its name. */
const keys = () =>
  keyFiles().map((name) => {
    const file = `${installation.folder}/${name}`;
    return statSync(file).isFile() ? readFileSync(file, "latin1") : name;
  });
async function doctor() {
  const { folder, databaseUrl } = installation;
  const findings = await (databaseUrl === undefined
    ? examine(folder, "3.54.1", migrations)
    : examineOnDatabase(databaseUrl, folder));
  return findings.find(({ check }) => check === "secret key");
}

test("the doctor knows when all is well, and when others can read it", async () => {
  expect(await doctor()).toMatchObject({ ok: true, text: "nothing is sealed yet" });
  await open();
  expect(await doctor()).toMatchObject({ ok: true });
  chmodSync(path, 0o640);
  expect(await doctor()).toMatchObject({ ok: false, text: expect.stringContaining("chmod 600") });
});

test("the key is made once, for the owner's eyes alone, and is the same ever after", async () => {
  const first = await open();
  const key = readFileSync(path, "utf8");
  expect(key).toMatch(/^[0-9a-f]{64}\n$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = await open();
  expect(readFileSync(path, "utf8")).toBe(key);
  expect(again.open(first.seal("text", "place"), "place")).toBe("text");
  expect(await fingerprints()).toEqual([{ fingerprint: first.fingerprint }]);
  expect(keyFiles()).toEqual(["secret.key"]);
});

test("one that was put there before anything was sealed is taken", async () => {
  writeFileSync(path, `${"0f".repeat(32)}\n`);
  expect(await fingerprints()).toEqual([]);
  const { fingerprint } = await open();
  expect(await fingerprints()).toEqual([{ fingerprint }]);
  expect(readFileSync(path, "utf8")).toBe(`${"0f".repeat(32)}\n`);
});

describe("once something was sealed, it is refused at once, with the remedy, and nothing is made or changed", () => {
  const faults: [string, string, () => void][] = [
    ["a lost key", "is missing", () => rmSync(path)],
    ["another one", "is another key", () => writeFileSync(path, `${"0f".repeat(32)}\n`)],
    ["an empty file", "is damaged", () => writeFileSync(path, "")],
    ["half a key", "is damaged", () => writeFileSync(path, readFileSync(path, "utf8").slice(0, 32))],
    ["a key in capitals", "is damaged", () => writeFileSync(path, readFileSync(path, "utf8").toUpperCase())],
    [
      "a folder",
      "cannot be read (not a regular file)",
      () => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    ["bytes", "is damaged", () => writeFileSync(path, new Uint8Array(32).fill(200))],
  ];
  test.each(faults)("%s", async (_name, says, fault) => {
    const { fingerprint } = await open();
    fault();
    const left = keys();
    const refusal = await open().catch((error) => error);
    expect(refusal).toBeInstanceOf(SecretKeyUnusable);
    expect(refusal.message).toContain(says);
    expect(refusal.message).toContain("forget-secrets");
    expect(await doctor()).toEqual({
      ...{ check: "secret key", code: "secret_key_unusable", severity: "error", ok: false },
      ...{ text: refusal.message, remedy: expect.any(String) },
    });
    expect(keys()).toEqual(left);
    expect(await fingerprints()).toEqual([{ fingerprint }]);
  });
});

test("processes that come at once have the same one", async () => {
  const program = join(import.meta.dir, "../../test/webhooks/sealing-process.ts");
  const { folder } = installation;
  const env = { ...process.env, ...databaseEnvironment(folder) };
  const processes = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, program, folder], { env, stdin: "pipe", stdout: "pipe" }),
  );
  const outputs = processes.map(({ stdout }) => lines(stdout));
  const told = () => Promise.all(outputs.map(async (output) => (await output.next()).value));
  expect(await told()).toEqual(["ready", "ready", "ready"]);
  for (let n = 0; n < 20; n++) {
    rmSync(path, { force: true });
    await installation.ctx.store.write((tx) => tx.run("delete from sealing"));
    const at = Date.now() + 20;
    for (const { stdin } of processes) {
      stdin.write(`${at}\n`);
      stdin.flush();
    }
    const fingerprints = await told();
    const { fingerprint } = await open();
    expect(fingerprints).toEqual([fingerprint, fingerprint, fingerprint]);
  }
  expect(keyFiles()).toEqual(["secret.key"]);
  for (const { stdin } of processes) stdin.end();
  expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0]);
}, 180_000);

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    const all = text.split("\n");
    text = all.pop() ?? "";
    yield* all;
  }
  return undefined;
}
