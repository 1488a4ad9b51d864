import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../server/app/doctor/finding.ts";
import { binaryPath, type Finished, finished, run, runJson, serve } from "../support/binary.ts";
import { Authority } from "../support/certificates.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { type Installation, install } from "../support/installation.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../support/mail-server.ts";
import { mailTo } from "../support/mails.ts";

setDefaultTimeout(180_000);

const authority = new Authority();
const secret = "a password that nobody may see";
let installation: Installation;
let mails: TestMailServer;
let ca: string;

beforeAll(async () => {
  installation = await install();
  mails = await startMailServer({ certificate: authority.issue(["DNS:localhost"]), password: secret });
  ca = join(installation.folder, "authority.pem");
  mkdirSync(installation.folder, { recursive: true });
  writeFileSync(ca, authority.cert);
});
afterAll(async () => {
  await mails.stop();
  authority.remove();
  await installation.remove();
});

const env = () => ({ INTAKE_MAIL_CA: ca });
const intake = (...args: string[]) => run([...args, "--data", installation.folder], { env: env() });
const set = async (name: string, value: string) => expect((await intake("settings", "set", name, value)).code).toBe(0);

/** `intake mail password` reads stdin. */
function givePassword(text: string): Promise<Finished> {
  const child = Bun.spawn([binaryPath, "mail", "password", "--data", installation.folder], {
    env: { PATH: process.env["PATH"] ?? "", ...databaseEnvironment(installation.folder) },
    stdin: new TextEncoder().encode(text),
    stdout: "pipe",
    stderr: "pipe",
  });
  return finished(child as unknown as Parameters<typeof finished>[0]);
}

test("each step of a test mail says what worked, what did not, and what to do", async () => {
  expect(await intake("mail", "test")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("set smtp_host and mail_from"),
  });
  for (const bad of ["http://mail.example.org", "mail.example.org:25", "a b", "-x.example.org"]) {
    expect((await intake("settings", "set", "smtp_host", bad)).code).toBe(2);
  }
  expect((await intake("settings", "set", "mail_from", "Intake <intake@example.org>")).code).toBe(2);
  expect((await intake("settings", "set", "mail_name", "Intake\nBcc: eve@example.org")).code).toBe(2);
  await set("smtp_host", "LOCALHOST");
  await set("smtp_port", `${mails.port}`);
  await set("mail_from", "intake@example.org");
  await set("smtp_user", "intake");
  const missing = await intake("mail", "test");
  expect([missing.code, missing.stdout]).toEqual([
    1,
    "FAIL  smtp_user is set, and no password; run: intake mail password\n",
  ]);

  expect(await givePassword("")).toMatchObject({ code: 2 });
  expect(await givePassword("wrong-password\n")).toMatchObject({ code: 0, stdout: "password: set\n" });
  const wrong = await intake("mail", "test");
  expect(wrong.stdout).toContain(
    `ok    connected to localhost:${mails.port}, encrypted\nFAIL  the mail server refused the user or the password`,
  );
  expect(wrong.stdout).not.toContain("wrong-password");

  expect(await givePassword(secret)).toMatchObject({ code: 0 });
  const untrusted = await run(["mail", "test", "--data", installation.folder]);
  expect([untrusted.code, untrusted.stdout]).toEqual([
    1,
    expect.stringContaining("FAIL  the certificate of the mail server is not valid"),
  ]);
  const sent = await intake("mail", "test", "ada@example.org");
  expect([sent.code, sent.stdout]).toEqual([
    0,
    `ok    connected to localhost:${mails.port}, encrypted\nok    signed in as intake\nok    the mail server has accepted the mail\n`,
  ]);
  expect(mails.accepted).toMatchObject([{ to: ["ada@example.org"], user: "intake", secure: true }]);
  expect((await intake("mail", "test", "ada@example.org, eve@example.org")).code).toBe(2);
});

test("the password is shown nowhere, and another mail server never gets it", async () => {
  const listed = await intake("settings", "list", "--json");
  const audit = await intake("audit", "list", "--json");
  const bundle = await intake("support-bundle", "--list");
  for (const { stdout, stderr } of [listed, audit, bundle]) expect(stdout + stderr).not.toContain(secret);
  expect(audit.stdout).toContain("mail.password");
  const rows = await installation.ctx.store.all<{ sealed: Uint8Array }>("select sealed from smtp_password");
  expect(Buffer.from(rows[0]?.sealed ?? []).toString("latin1")).not.toContain(secret);
  await set("smtp_host", "127.0.0.1");
  await set("smtp_security", "none");
  const elsewhere = await intake("mail", "test");
  expect(elsewhere.stdout).toContain("FAIL  the stored password is for another mail server");
  await set("smtp_host", "localhost");
  await set("smtp_security", "starttls");
});

test("without encryption no other machine can be set, whichever of the two settings comes first", async () => {
  const refused =
    "smtp_security is none, and the mail server is not this machine; set smtp_security to starttls or tls; or, if everybody on the way may read mails, to none-anywhere";
  await set("smtp_host", "smtp.example.org");
  const security = await intake("settings", "set", "smtp_security", "none");
  expect([security.code, security.stderr]).toEqual([1, expect.stringContaining(refused)]);
  await set("smtp_security", "none-anywhere");
  await set("smtp_host", "localhost");
  await set("smtp_security", "none");
  for (const host of ["smtp.example.org", "192.0.2.1", "::2"]) {
    const { code, stderr } = await intake("settings", "set", "smtp_host", host);
    expect([host, code, stderr]).toEqual([host, 1, expect.stringContaining(refused)]);
  }
  await set("smtp_host", "127.0.0.2");
  await set("smtp_host", "localhost");
  await set("smtp_security", "starttls");
});

test("a server sends what waits, lists it, and doctor sees whether the mail server takes mails", async () => {
  expect(await mailTo(installation, "bob@example.org", { text: "It waits." })).toBe(true);
  const server = await serve(installation.folder, [], { env: env() });
  try {
    const [, mail] = await mails.has(2);
    expect(mail?.to).toEqual(["bob@example.org"]);
    expect(textOfMail(mail?.source ?? "")).toBe("It waits.\r\n");
    const findings = async (more: Record<string, string>) => {
      const { stdout } = await run(["doctor", "--json", "--data", installation.folder], { env: more });
      const { checks } = JSON.parse(stdout) as { checks: Finding[] };
      return checks.filter(({ check }) => check.startsWith("mail"));
    };
    expect(await findings(env())).toMatchObject([
      { check: "mail server", code: "ok", text: "localhost takes mails" },
      { check: "mails", code: "ok" },
    ]);
    expect(await findings({})).toMatchObject([{ code: "mail_unreachable", severity: "warning" }, { code: "ok" }]);
    await installation.ctx.store.write((tx) =>
      tx.run("update mail set state = 'failed', fault = 'refused', ended_at = $1", [Date.now()]),
    );
    expect((await findings(env()))[1]).toMatchObject({ code: "mails_failed" });
  } finally {
    await server.stop();
    expect(server.stderr()).not.toContain(secret);
  }
  const { items } = await runJson<{ items: object[] }>(["mail", "list", "--data", installation.folder]);
  expect(items).toMatchObject([
    {
      kind: "notice",
      to: "bob@example.org",
      subject: "A notice",
      state: "failed",
      problem: expect.stringContaining("refused the mail"),
    },
  ]);
});
