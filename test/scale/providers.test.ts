import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { BrowserAtProvider } from "../support/browser-at-provider.ts";
import { IdentityProvider } from "../support/identity-provider.ts";
import { databaseWithSchema } from "../support/postgres-schema.ts";
import { somebody } from "../support/providers.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";

setDefaultTimeout(180_000);

/** Two processes on one database, each with a folder of its own, as on two machines behind one address. */
let folder: string;
let one: RunningBinary;
let other: RunningBinary;
let provider: IdentityProvider;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  const [database, storage, started] = await Promise.all([
    databaseWithSchema(),
    S3Server.start(),
    IdentityProvider.start(),
  ]);
  provider = started;
  folder = mkdtempSync(join(tmpdir(), "intake-providers-"));
  const env = {
    ...s3Environment,
    INTAKE_DATABASE_URL: database.url,
    INTAKE_FILES: storage.newPlace("providers"),
    INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
    INTAKE_PUBLIC_URL: "http://intake.test",
    INTAKE_PROVIDER_ALLOW: "127.0.0.0/8",
  };
  const at = (name: string) => ["--data", join(folder, name)];
  const secret = join(folder, "client-secret");
  writeFileSync(secret, `${provider.secret}\n`);
  await runJson(["init", "--org", "Example", "--admin-email", "admin@example.org", ...at("init")], { env });
  const added = await runJson<{ redirectUri: string }>(
    [
      ...["provider", "add", "--id", "company", "--name", "Company", "--issuer", provider.url],
      ...["--client-id", provider.clientId, "--secret-file", secret, "--new-members", "yes", ...at("init")],
    ],
    { env },
  );
  expect(added.redirectUri).toBe("http://intake.test/sign-in/callback/company");
  [one, other] = await Promise.all([
    serve(join(folder, "one"), [], { env }),
    serve(join(folder, "other"), [], { env }),
  ]);
  ending.push(
    () => Promise.all([one.stop(), other.stop()]),
    () => Promise.all([storage.stop(), provider.stop()]),
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
  return { at, browser: new BrowserAtProvider({ send }) };
}

test("a sign-in that began at one process ends at another, once, and its session holds at both until the provider ends it", async () => {
  provider.who = somebody();
  const { at, browser } = browserAt(one);
  const back = await browser.atProvider(await browser.begin("company", "/runs"));
  const cookie = browser.cookies.get("__Host-intake-sign-in") ?? "";
  at.process = other;
  expect(await browser.comeBack(back)).toBe("/runs");
  for (const process of [one, other]) {
    at.process = process;
    expect((await browser.me())?.["email"]).toBe(provider.who["email"]);
  }

  // Neither process takes the answer again.
  provider.manners = { careless: true };
  for (const process of [one, other]) {
    const thief = browserAt(process).browser;
    thief.cookies.set("__Host-intake-sign-in", cookie);
    expect(await thief.comeBack(back)).toStartWith("/sign-in?failed=");
  }

  const now = Math.floor(Date.now() / 1_000);
  const token = await provider.token({
    ...{ iss: provider.url, aud: "intake", iat: now, exp: now + 120, jti: crypto.randomUUID() },
    ...{ sub: provider.who.sub, events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
  });
  const tell = async ({ url }: RunningBinary) => {
    const body = new URLSearchParams({ logout_token: token });
    return (await fetch(`${url}/sign-in/logout/company`, { method: "POST", body })).status;
  };
  expect([await tell(one), await tell(other)]).toEqual([200, 400]);
  for (const process of [one, other]) {
    at.process = process;
    expect(await browser.me()).toBeUndefined();
  }
});
