import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { BrowserAtHome, enrolApp, type PasskeyOptions, presentCode } from "../support/factors.ts";
import { SoftPasskey } from "../support/passkey.ts";
import { databaseWithSchema } from "../support/postgres-schema.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";

setDefaultTimeout(180_000);

/** Two processes on one database, each with a folder of its own, as on two machines behind one address. */
const origin = "https://intake.example.org";
let folder: string;
let one: RunningBinary;
let other: RunningBinary;
let admin: { email: string; password: string };
let env: Record<string, string>;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  const [database, storage] = await Promise.all([databaseWithSchema(), S3Server.start()]);
  folder = mkdtempSync(join(tmpdir(), "intake-passkeys-"));
  env = {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: storage.newPlace("passkeys"),
    INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
    INTAKE_PUBLIC_URL: origin,
  };
  const email = "admin@example.org";
  const made = await runJson<{ admin: { password: string } }>(
    ["init", "--org", "Example", "--admin-email", email, "--data", join(folder, "init")],
    { env },
  );
  admin = { email, password: made.admin.password };
  [one, other] = await Promise.all([
    serve(join(folder, "one"), ["--rate-limits", "off"], { env }),
    serve(join(folder, "other"), ["--rate-limits", "off"], { env }),
  ]);
  ending.push(
    () => Promise.all([one.stop(), other.stop()]),
    () => storage.stop(),
    () => database.drop(),
  );
}, 180_000);

afterAll(async () => {
  for (const end of ending) await end();
  rmSync(folder, { recursive: true });
}, 180_000);

/** A browser whose requests go to whichever process is named. */
function browserAt(first: RunningBinary) {
  const at = { process: first };
  const send = (path: string, init?: RequestInit) => fetch(at.process.url + path, init);
  return { at, browser: new BrowserAtHome({ send }, origin) };
}

test("what begins at one process ends at another, once over both: enrolment, passkeys and codes", async () => {
  const { at, browser } = browserAt(one);
  const ask = <Answer>(process: RunningBinary, path: string, body: object) => {
    at.process = process;
    return browser.ask<Answer>("POST", path, body);
  };
  await ask(one, "/internal/session", admin);
  const passkey = new SoftPasskey();
  const options = await ask<Parameters<SoftPasskey["create"]>[0]>(other, "/internal/me/passkeys/challenge", {});
  const enrolled = await ask<{ recoveryCodes: string[] }>(one, "/internal/me/passkeys", {
    name: "Laptop",
    made: passkey.create(options, origin),
  });
  at.process = other;
  const { secret } = await enrolApp(browser);

  // Both processes are given one answer of the passkey at the same moment.
  const visitor = browserAt(one);
  const asked = await visitor.browser.ask<PasskeyOptions>("POST", "/internal/session/passkey/challenge", {
    second: false,
  });
  const cookie = visitor.browser.cookies.get("__Host-intake-passkey") ?? "";
  const given = passkey.get(asked, origin);
  const race = (path: string, name: string, value: string, body: object) =>
    Promise.all(
      [one, other, one, other].map(async (process) => {
        const { browser: racer } = browserAt(process);
        racer.cookies.set(name, value);
        return (await racer.call("POST", path, body)).status;
      }),
    );
  const once = [200, 401, 401, 401];
  expect(
    (await race("/internal/session/passkey", "__Host-intake-passkey", cookie, { second: false, given })).sort(),
  ).toEqual(once);

  // So it is with a recovery code, and with the end of one sign-in by different codes.
  const half = async () => {
    const begun = browserAt(other).browser;
    await begun.ask("POST", "/internal/session", admin);
    return begun.cookies.get("__Host-intake-second") ?? "";
  };
  const [code, next] = enrolled.recoveryCodes;
  const halves = await Promise.all([half(), half()]);
  const enter = async (process: RunningBinary, value: string, body: object) => {
    const { browser: racer } = browserAt(process);
    racer.cookies.set("__Host-intake-second", value);
    return (await racer.call("POST", "/internal/session/code", body)).status;
  };
  const byOneCode = await Promise.all([enter(one, halves[0], { code }), enter(other, halves[1], { code })]);
  expect(byOneCode.sort()).toEqual([200, 401]);
  const third = await half();
  expect(await enter(one, third, { code: next })).toBe(200);
  expect(await enter(other, third, { code: enrolled.recoveryCodes[2] })).toBe(401);
  expect(secret).not.toBe("");

  // Failures count over both.
  const guessed = await half();
  const statuses = [];
  for (let guess = 0; guess < 7; guess++)
    statuses.push(await enter(guess % 2 ? one : other, guessed, { code: "000000" }));
  expect(statuses).toContain(429);
  expect(presentCode(secret)).toHaveLength(6);

  // What the command line takes away is gone at both, with every session.
  const me = await browser.me();
  await runJson(["member", "reset-factors", String(me?.["id"]), "--data", join(folder, "init")], { env });
  for (const process of [one, other]) {
    at.process = process;
    expect(await browser.me()).toBeUndefined();
    const { browser: again } = browserAt(process);
    expect(await again.ask("POST", "/internal/session", admin)).toMatchObject({ second: null });
  }
});
