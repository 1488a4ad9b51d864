import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, runJson } from "../../support/binary.ts";
import { Authority, type Certificate } from "../../support/certificates.ts";
import { password, ScratchPostgres } from "../../support/postgres.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { giveAway } from "../../support/unprivileged.ts";

const folder = temporaryFolder();
const [authority, unknown] = [new Authority(), new Authority()];
let server: ScratchPostgres;

beforeAll(async () => {
  server = await ScratchPostgres.start({ fsync: "off" });
  writeFileSync(join(folder, "authority.pem"), authority.cert);
  writeFileSync(join(folder, "unknown.pem"), unknown.cert);
}, 180_000);

afterAll(async () => {
  await server.remove();
  for (const each of [authority, unknown]) each.remove();
  rmSync(folder, { recursive: true });
});

/** The server shows this certificate from now on. */
async function show({ key, cert }: Certificate) {
  const paths = { ssl_key_file: join(server.folder, "key.pem"), ssl_cert_file: join(server.folder, "cert.pem") };
  for (const [path, text] of [
    [paths.ssl_key_file, key],
    [paths.ssl_cert_file, cert],
  ] as const) {
    writeFileSync(path, text, { mode: 0o600 });
    giveAway(path);
  }
  await server.set({ ...paths, ssl: "on" });
}

const environment = (parameters: string) => ({ INTAKE_DATABASE_URL: `${server.url("postgres")}?${parameters}` });
const trusting = (name: string) => `sslmode=verify-full&sslrootcert=${join(folder, name)}`;

/** Every command, and the server, ends with 1 and this line alone. */
async function expectRefusal(parameters: string, line: string) {
  for (const words of [
    ["serve", "--port", "0", "--metrics", "off"],
    ["project", "list"],
    ["migrate", "up"],
  ]) {
    const { code, stdout, stderr } = await run([...words, "--data", join(folder, "data")], {
      env: environment(parameters),
    });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `intake: ${line}; look at INTAKE_DATABASE_URL and at the database's own log\n`,
    ]);
    expect(stderr).not.toContain(password);
  }
}

const notTrusted =
  "the database's certificate is from an authority that is not trusted here; name that authority's with sslrootcert";

test("a server without TLS is refused where the URL asks for it", async () => {
  await expectRefusal("sslmode=require", "the database offers no TLS, which sslmode asks for");
});

test("a certificate is accepted for its own name by its own authority alone", async () => {
  await show(authority.issue(["IP:127.0.0.1"]));
  const status = await runJson<{ current: number }>(["migrate", "status", "--data", join(folder, "data")], {
    env: environment(trusting("authority.pem")),
  });
  expect(status.current).toBe(0);
  await expectRefusal(trusting("unknown.pem"), notTrusted);
  await expectRefusal("sslmode=verify-full", notTrusted);
});

test("a certificate of another host is refused", async () => {
  await show(authority.issue(["DNS:db.example.org"]));
  await expectRefusal(
    trusting("authority.pem"),
    "the database's certificate is for another host than the one that was asked",
  );
});

test("a certificate that has ended is refused", async () => {
  await show(authority.issue(["IP:127.0.0.1"], { until: new Date(Date.now() - 60_000) }));
  await expectRefusal(trusting("authority.pem"), "the database's certificate has ended");
});
