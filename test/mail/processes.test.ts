import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { leaseMilliseconds } from "../../server/mail/claim-mail.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { type Installation, install } from "../support/installation.ts";
import { startMailServer, type TestMailServer } from "../support/mail-server.ts";
import { mailTo, newMailSender, setMailServer } from "../support/mails.ts";
import { until } from "../support/until.ts";

let installation: Installation;
let server: TestMailServer;
/** Called instead of the answer once the server has this address's mail. */
let hold: { address: string; held: () => void } | undefined;

beforeAll(async () => {
  installation = await install();
  server = await startMailServer({
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      stream.resume();
      stream.on("end", () => {
        server.accepted.push({ from: "", to, user: undefined, secure: false, source: "" });
        if (hold && to.includes(hold.address)) return hold.held();
        done();
      });
    },
  });
  await setMailServer(installation, server.port);
}, 180_000);
afterAll(async () => {
  await server.stop();
  await installation.remove();
});

async function start() {
  const program = join(import.meta.dir, "sender-process.ts");
  const child = Bun.spawn([process.execPath, program, installation.folder], {
    env: { ...process.env, ...databaseEnvironment(installation.folder) },
    stdin: "pipe",
    stdout: "pipe",
  });
  await child.stdout.getReader().read();
  return child;
}

const times = (address: string) => server.accepted.filter(({ to }) => to.includes(address)).length;

test("of two processes one sends each mail; a killed one repeats the mail that was accepted and not written down, and no other", async () => {
  const addresses = Array.from({ length: 16 }, (_, n) => `member-${n}@example.org`);
  const children = await Promise.all([start(), start()]);
  for (const address of addresses) await mailTo(installation, address);
  await until(() => (addresses.every((address) => times(address) === 1) ? true : undefined));

  const [killed, other] = children;
  other?.stdin.end();
  expect(await other?.exited).toBe(0);
  const held = Promise.withResolvers<void>();
  hold = { address: "held@example.org", held: held.resolve };
  await mailTo(installation, "held@example.org");
  await held.promise;
  killed?.kill("SIGKILL");
  await killed?.exited;
  hold = undefined;
  await mailTo(installation, "later@example.org");

  let now = Date.now();
  const settled: string[] = [];
  const sender = await newMailSender(installation, { now: () => now, settled: ({ state }) => settled.push(state) });
  await sender.start();
  await until(() => settled[0]);
  // The lease of the killed process is not over.
  expect([times("later@example.org"), times("held@example.org")]).toEqual([1, 1]);
  now += leaseMilliseconds + 1_000;
  await until(() => settled[1]);
  await sender.stop();
  expect(settled).toEqual(["sent", "sent"]);
  expect(times("held@example.org")).toBe(2);
  for (const address of [...addresses, "later@example.org"]) expect([address, times(address)]).toEqual([address, 1]);
  const rows = await installation.ctx.store.all<{ state: string; body: Uint8Array | null }>(
    "select state, body from mail",
  );
  expect(rows.filter(({ state, body }) => state !== "sent" || body !== null)).toEqual([]);
}, 180_000);
