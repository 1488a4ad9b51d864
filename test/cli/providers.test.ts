import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../server/app/doctor/finding.ts";
import { binaryPath, run, runJson, serve } from "../support/binary.ts";
import { BrowserAtProvider } from "../support/browser-at-provider.ts";
import { IdentityProvider } from "../support/identity-provider.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { giveAway, runUnprivileged } from "../support/unprivileged.ts";

setDefaultTimeout(180_000);

const folder = temporaryFolder();
const data = join(folder, "data");
const secretFile = join(folder, "client-secret");
const at = ["--data", data];
const allow = ["--provider-allow", "127.0.0.0/8"];
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  writeFileSync(secretFile, `${provider.secret}\n`, { mode: 0o600 });
  await runJson(["init", "--org", "Example", "--admin-email", "admin@example.org", ...at]);
  const given = ["--name", "Company", "--issuer", provider.url, "--client-id", provider.clientId, ...allow];
  await runJson(["provider", "add", "--id", "company", ...given, "--secret-file", secretFile, ...at]);
  await runJson(["provider", "update", "company", "--new-members", "yes", ...at]);
});

afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true });
});

/** What doctor says of identity providers. */
async function finding(): Promise<Pick<Finding, "code" | "text"> | undefined> {
  const { stdout } = await run(["doctor", "--json", ...at]);
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };
  expect(stdout).not.toContain(provider.secret);
  return checks.find(({ check }) => check === "identity providers");
}

/** Where a sign-in leads, or what the person is told who wants to begin one. */
async function signIn(): Promise<string> {
  const server = await serve(data, allow);
  try {
    const browser = new BrowserAtProvider({ send: (path, init) => fetch(server.url + path, init) });
    // Nobody has set a public address, so the provider leads to that of this server.
    return await browser.signIn("company").catch((error) => (error as Error).message);
  } finally {
    await server.stop();
    expect(server.stderr()).not.toContain(provider.secret);
  }
}

test("a secret that was forgotten with secret.key is named at the sign-in, by doctor and in the list, until it is given again", async () => {
  expect(await finding()).toMatchObject({ code: "ok" });
  const { code, stderr } = await run(["subscriber", "forget-secrets", "--yes", ...at]);
  expect([code, stderr]).toEqual([0, ""]);

  expect(await finding()).toMatchObject({
    code: "provider_secret_lost",
    text: "nobody can sign in with company: the secret is lost with the former secret.key; run: intake provider update company --secret-file FILE",
  });
  expect(await signIn()).toContain("Company cannot be used: its secret is missing here.");
  const { items } = await runJson<{ items: { secret: string }[] }>(["provider", "list", ...at]);
  expect(items).toMatchObject([{ secret: "lost" }]);
  const tested = await run(["provider", "test", "company", ...allow, ...at]);
  expect(tested.stderr).toContain("its secret is lost with the former secret.key; give it again");

  await runJson(["provider", "update", "company", "--secret-file", secretFile, ...at]);
  expect(await finding()).toMatchObject({ code: "ok" });
  expect(await signIn()).toBe("/");
});

test("an operator sees who is linked where, and unlinks them", async () => {
  interface Listed {
    items: { id: string; name: string; providers: object[] }[];
  }
  const { items } = await runJson<Listed>(["member", "list", ...at]);
  const ada = items.find(({ name }) => name === "Ada");
  expect(ada?.providers).toEqual([{ id: "company", name: "Company" }]);
  const id = ada?.id ?? "";
  expect(await runJson(["member", "unlink", id, "company", ...at])).toEqual({ id, provider: "company", ended: 1 });
  expect((await run(["member", "unlink", id, "company", ...at])).stderr).toContain("this member is not linked");
});

test("a backup without secrets is restored with the same words", async () => {
  const [backups, restored] = [join(folder, "backups"), join(folder, "restored")];
  await runJson(["backup", "create", "--to", backups, "--without-secrets", ...at]);
  await runJson(["restore", backups, "--data", restored]);
  const refused = await run(["provider", "test", "company", ...allow, "--data", restored]);
  expect(refused.stderr).toContain("secret.key is missing");
  expect((await run(["subscriber", "forget-secrets", "--yes", "--data", restored])).code).toBe(0);
  const tested = await run(["provider", "test", "company", ...allow, "--data", restored]);
  expect(tested.stderr).toContain("its secret is lost with the former secret.key; give it again");
});

test("doctor says of the file of a secret that it is missing, that others may read it, and that this user may not", async () => {
  const path = join(folder, "mounted");
  await runJson(["provider", "update", "company", "--secret-path", path, ...at]);
  expect(await finding()).toMatchObject({
    code: "provider_secret_unreadable",
    text: expect.stringContaining(`the file of its secret cannot be read (ENOENT) (${path}); mend the file`),
  });
  writeFileSync(path, provider.secret, { mode: 0o644 });
  expect(await finding()).toMatchObject({ code: "provider_secret_mode" });
  // A warning alone: secrets that a container is given have that mode.
  expect((await run(["doctor", ...at])).code).toBe(0);
  chmodSync(path, 0o600);
  expect(await finding()).toMatchObject({ code: "ok" });

  // The tests run as root, whom no mode keeps out.
  const [binary, copy] = [join(folder, "intake"), join(folder, "copy")];
  cpSync(binaryPath, binary);
  cpSync(data, copy, { recursive: true });
  for (const file of [folder, copy, ...new Bun.Glob("**").scanSync({ cwd: copy, absolute: true })]) giveAway(file);
  const command = [binary, "provider", "test", "company", ...allow, "--data", copy];
  await expect(runUnprivileged(command, folder)).rejects.toThrow("the file of its secret cannot be read (EACCES)");
});
