import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../../test/support/mail-server.ts";
import { mailTo, newMailSender, sealingOf, setMailServer } from "../../test/support/mails.ts";
import { openStore } from "../../test/support/open-store.ts";
import { until } from "../../test/support/until.ts";
import { setSetting } from "../core/settings.ts";
import { leaseMilliseconds } from "./claim-mail.ts";
import type { MailSender } from "./mail-sender.ts";
import { newMail, queueMail } from "./new-mail.ts";
import type { SettledMail } from "./settle-mail.ts";

let installation: Installation;
let server: TestMailServer;
const stopping: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  installation = await install();
  server = await startMailServer();
  await setMailServer(installation, server.port);
});
afterEach(async () => {
  await Promise.all(stopping.splice(0).map((one) => one.stop()));
  await server.stop();
  await installation.remove();
});

async function sender(tools: Parameters<typeof newMailSender>[1] = {}): Promise<MailSender> {
  const made = await newMailSender(installation, tools);
  stopping.push(made);
  await made.start();
  return made;
}

async function rows() {
  const found = await installation.ctx.store.all<{
    recipient: string;
    state: string;
    fault: string | null;
    attempts: number;
    body: number | null;
  }>("select recipient, state, fault, attempts, length(body) as body from mail order by id");
  return found.map((row) => ({ ...row }));
}

test("a mail is sent once it is committed, and its text is kept no longer", async () => {
  expect(
    await mailTo(installation, "ada@example.org", { subject: "Disk\r\nBcc: eve@example.org", text: "It fills." }),
  ).toBe(true);
  const { ctx } = installation;
  const mail = newMail(ctx, await sealingOf(installation), {
    kind: "notice",
    to: "b@example.org",
    subject: "No",
    text: "No",
    lasts: 1e6,
  });
  const undone = ctx.store.write(function* (tx) {
    yield* queueMail(tx, mail);
    throw new Error("undone");
  });
  expect(undone).rejects.toThrow("undone");
  expect(JSON.stringify(await ctx.store.all("select * from mail"))).not.toContain("It fills");
  const settled: SettledMail[] = [];
  await sender({ settled: (one) => settled.push(one) });
  await until(() => settled[0]);
  expect(server.accepted).toHaveLength(1);
  expect(server.accepted[0]).toMatchObject({ to: ["ada@example.org"], from: "intake@example.org" });
  expect(server.accepted[0]?.source).toContain("Subject: Disk Bcc: eve@example.org\r\n");
  expect(textOfMail(server.accepted[0]?.source ?? "")).toBe("It fills.\r\n");
  expect(await rows()).toEqual([{ recipient: "ada@example.org", state: "sent", fault: null, attempts: 1, body: null }]);
});

test("nothing is stored without a mail server, or for what is not one address", async () => {
  for (const to of ["", "ada", "a@b@c", "a@b.org, c@d.org", "<a@b.org>", "a@b.org\r\nX: y", "a@-"]) {
    expect(await mailTo(installation, to)).toBe(false);
  }
  await setSetting({ ctx: installation.ctx, input: { name: "mail_from", value: "" } });
  expect(await mailTo(installation, "ada@example.org")).toBe(false);
  expect(await rows()).toEqual([]);
});

test("two processes at one store send each mail once", async () => {
  const stores = [await openStore(installation.folder), await openStore(installation.folder)];
  const to = Array.from({ length: 20 }, (_, n) => `member-${n}@example.org`);
  for (const address of to) await mailTo(installation, address);
  const settled: SettledMail[] = [];
  for (const store of stores) await sender({ store, settled: (one) => settled.push(one) });
  await until(() => (settled.length === to.length ? true : undefined));
  await Promise.all(stopping.splice(0).map((one) => one.stop()));
  for (const store of stores) await store.close();
  expect(server.accepted.flatMap((mail) => mail.to).toSorted()).toEqual(to.toSorted());
  expect(new Set((await rows()).map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(new Set(["sent 1"]));
});

test("a mail that is refused for now is tried again, one that is refused for good is given up and says why", async () => {
  let busy = true;
  const picky = await startMailServer({
    onRcptTo({ address }, _session, done) {
      if (address.startsWith("nobody")) return done(Object.assign(new Error("no such user"), { responseCode: 550 }));
      done(busy ? Object.assign(new Error("greylisted"), { responseCode: 451 }) : null);
    },
  });
  stopping.push(picky);
  await setMailServer(installation, picky.port);
  await mailTo(installation, "nobody@example.org");
  await mailTo(installation, "later@example.org");
  let now = Date.now();
  const settled: SettledMail[] = [];
  await sender({ now: () => now, settled: (one) => settled.push(one) });
  await until(() => settled[1]);
  expect(await rows()).toMatchObject([
    { state: "failed", fault: "recipient_refused", body: null },
    { state: "waiting", fault: "busy", attempts: 1 },
  ]);
  busy = false;
  now += 61_000;
  await picky.has(1);
  await until(() => settled[2]);
  expect(await rows()).toMatchObject([{ state: "failed" }, { state: "sent", fault: null, attempts: 2, body: null }]);
});

test("while the server is away no mail but one is tried; afterwards all are sent but those of no more use", async () => {
  await server.stop();
  for (const [n, lasts] of [86_400_000, 60_000, 86_400_000].entries()) {
    await mailTo(installation, `member-${n}@example.org`, { lasts });
  }
  let now = Date.now();
  const settled: SettledMail[] = [];
  const told = (one: SettledMail) => settled.push(one);
  await sender({ now: () => now, settled: told });
  await until(() => settled[0]);
  expect(settled[0]).toMatchObject({ state: "waiting", fault: "unreachable" });
  now += 3_600_000;
  await until(() => settled[1]);
  expect(settled[1]).toMatchObject({ state: "expired" });
  expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 0, state: "expired", body: null }, { attempts: 0 }]);
  server = await startMailServer();
  // New settings are tried at once, not after the pause.
  await setMailServer(installation, server.port);
  await server.has(2);
  await until(() => settled[3]);
  expect(server.accepted.flatMap(({ to }) => to).toSorted()).toEqual(["member-0@example.org", "member-2@example.org"]);
});

test("a mail that fails again and again is given up after twelve attempts", async () => {
  const refusing = await startMailServer({
    onMailFrom: (_from, _session, done) => done(Object.assign(new Error("not now"), { responseCode: 450 })),
  });
  stopping.push(refusing);
  await setMailServer(installation, refusing.port);
  await mailTo(installation, "ada@example.org", { lasts: 1e10 });
  let now = Date.now();
  const settled: SettledMail[] = [];
  await sender({
    now: () => now,
    settled: (one) => {
      settled.push(one);
      now += 9 * 3_600_000;
    },
  });
  await until(() => settled.find(({ state }) => state === "failed"));
  expect(settled).toHaveLength(12);
  expect(await rows()).toMatchObject([{ state: "failed", fault: "busy", attempts: 12, body: null }]);
});

test("a server that hangs does not hold up a stop, and the mail waits for the next start", async () => {
  const hanging = Promise.withResolvers<void>();
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: () => hanging.resolve(), data() {} } });
  await setMailServer(installation, silent.port);
  await mailTo(installation, "ada@example.org");
  const stuck = await sender();
  await hanging.promise;
  const began = performance.now();
  await stuck.stop();
  // Without the stop, the server's greeting would be waited for: ten seconds.
  expect(performance.now() - began).toBeLessThan(8_000);
  silent.stop(true);
  expect(await rows()).toMatchObject([{ state: "waiting", fault: "abandoned" }]);
  await setMailServer(installation, server.port);
  await sender();
  expect(await server.has(1)).toHaveLength(1);
});

test("what a killed process was sending is sent when its lease is over, or at once by a process that is alone", async () => {
  const { store } = installation.ctx;
  await mailTo(installation, "ada@example.org");
  await store.write((tx) =>
    tx.run("update mail set lease = 'of a dead process', next_at = $1, attempts = 1", [Date.now() + leaseMilliseconds]),
  );
  let now = Date.now();
  let looks = 0;
  const patient = await sender({
    now: () => {
      looks++;
      return now;
    },
  });
  await until(() => (looks > 5 ? true : undefined));
  expect(server.accepted).toEqual([]);
  now += leaseMilliseconds + 1;
  await server.has(1);
  await patient.stop();
  await mailTo(installation, "bob@example.org");
  await store.write((tx) =>
    tx.run("update mail set lease = 'of a dead process', next_at = $1 where state = 'waiting'", [
      Date.now() + leaseMilliseconds,
    ]),
  );
  await sender({ alone: true });
  expect((await server.has(2))[1]?.to).toEqual(["bob@example.org"]);
});

test("with another secret.key a mail is given up, and nothing is sent of it", async () => {
  await mailTo(installation, "ada@example.org");
  await installation.ctx.store.write((tx) => tx.run("update mail set body = $1", [new Uint8Array(60)]));
  const settled: SettledMail[] = [];
  await sender({ settled: (one) => settled.push(one) });
  await until(() => settled[0]);
  expect(settled[0]).toMatchObject({ state: "failed", fault: "body_unreadable" });
  expect(server.accepted).toEqual([]);
});

test("more than 2,000 mails do not wait at the same time", async () => {
  const { ctx } = installation;
  const sealing = await sealingOf(installation);
  const stored = await ctx.store.write(function* (tx) {
    let queued = 0;
    for (let n = 0; n < 2_001; n++) {
      const mail = newMail(ctx, sealing, {
        kind: "notice",
        to: "ada@example.org",
        subject: "S",
        text: "T",
        lasts: 1e6,
      });
      if (yield* queueMail(tx, mail)) queued++;
    }
    return queued;
  });
  expect(stored).toBe(2_000);
});
