import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { addMember } from "../../../server/accounts/add-member.ts";
import { ForgottenPasswords } from "../../../server/accounts/forgotten-passwords.ts";
import { SignInThrottle } from "../../../server/accounts/sign-in-throttle.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { call, cookieOf } from "../../support/call.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../../support/mail-server.ts";
import { sealingOf, setMailServer } from "../../support/mails.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.stop());

const publicUrl = "https://intake.example.org";
const password = "tractor lemon seven";

describeTargets(
  "links by mail",
  (target) => {
    const set = (name: string, value: string) => setSetting({ ctx: target().installation.ctx, input: { name, value } });
    const forgotten = (email: string, headers = {}) =>
      call(target(), "POST", "/internal/forgotten-password", { body: { email }, headers });
    const mailsTo = (address: string) => server.accepted.filter(({ to }) => to.includes(address));
    const rows = async () => (await target().installation.ctx.store.all("select id from mail")).length;

    async function mailTo(address: string) {
      const mail = await until(() => mailsTo(address).at(-1));
      const text = textOfMail(mail.source);
      const [, secret = ""] = new RegExp(`^${publicUrl}/(?:invite|reset)#(\\w{43})\r?$`, "m").exec(text) ?? [];
      return { text, secret, source: mail.source };
    }

    async function joined(role: "admin" | "member" = "member") {
      const email = `${crypto.randomUUID()}@example.org`;
      const { ctx } = target().installation;
      const { inviteUrl } = await addMember({ ctx, input: { email, name: "Ada", role } });
      const body = { secret: new URL(inviteUrl).hash.slice(1), password };
      expect((await call(target(), "POST", "/internal/invitations/accept", { body })).status).toBe(200);
      return email;
    }

    test("without a mail server, or without a public address, nothing is mailed and the link is shown as ever", async () => {
      const { cookie } = await signIn(target(), "admin");
      const invite = async () => {
        const body = { email: `${crypto.randomUUID()}@example.org`, name: "Ada", role: "member" };
        return (await call(target(), "POST", "/internal/members", { cookie, body })).body;
      };
      expect(await invite()).toMatchObject({ mailed: false, inviteUrl: expect.stringContaining("/invite#") });
      await setMailServer(target().installation, server.port);
      expect(await invite()).toMatchObject({ mailed: false });
      expect((await forgotten("nobody@example.org")).body).toEqual({});
      const { installation } = target();
      const asking = new ForgottenPasswords({ sealing: await sealingOf(installation) }, new SignInThrottle());
      await asking.ask(installation.ctx, { email: "admin@example.org", address: "192.0.2.1" });
      await asking.flush();
      await set("public_url", publicUrl);
      await set("smtp_host", "");
      expect(await invite()).toMatchObject({ mailed: false });
      await setMailServer(target().installation, server.port);
      expect(await rows()).toBe(0);
    });

    test("an invitation is mailed with the link that is shown, and works once", async () => {
      const { cookie } = await signIn(target(), "admin");
      const body = { email: "new@example.org", name: "New\r\nBcc: eve@example.org", role: "member" };
      const made = await call(target(), "POST", "/internal/members", { cookie, body });
      expect(made.body).toMatchObject({ mailed: true });
      const { text, secret, source } = await mailTo("new@example.org");
      expect(`${publicUrl}/invite#${secret}`).toBe(made.body["inviteUrl"] as string);
      expect(text).toContain("admin invites you to Example on Intake.");
      expect(source.split("\r\n\r\n", 1)[0]).not.toContain("Bcc");
      const stored = await target().installation.ctx.store.all("select * from mail");
      expect(JSON.stringify(stored)).not.toContain(secret);
      const accept = () =>
        call(target(), "POST", "/internal/invitations/accept", { body: { secret, password, name: "New" } });
      expect((await accept()).status).toBe(200);
      expect((await accept()).status).toBe(404);
    });

    test("a reset by an admin is mailed too", async () => {
      const email = await joined();
      const { cookie } = await signIn(target(), "admin");
      const { store } = target().installation.ctx;
      const row = await store.one<{ id: string }>("select id from member where email = $1", [email]);
      const { body } = await call(target(), "POST", `/internal/members/${row?.id}/reset`, { cookie, body: {} });
      expect(body).toMatchObject({ mailed: true });
      const { text, secret } = await mailTo(email);
      expect(text).toContain("admin has reset your password for Example on Intake");
      expect(body["inviteUrl"]).toBe(`${publicUrl}/reset#${secret}`);
    });

    test("who has forgotten a password is mailed a link of the public address; the old one works until it is used", async () => {
      const email = await joined();
      const enter = (word: string) => call(target(), "POST", "/internal/session", { body: { email, password: word } });
      const asked = await forgotten(` ${email.toUpperCase()} `, {
        host: "evil.example.org",
        "x-forwarded-host": "evil.example.org",
      });
      expect([asked.status, asked.body]).toEqual([200, {}]);
      const { secret, source } = await mailTo(email);
      expect(source).not.toContain("evil");
      expect((await enter(password)).status).toBe(200);
      const body = { secret, password: "another long password" };
      const chosen = await call(target(), "POST", "/internal/invitations/accept", { body });
      expect(cookieOf(chosen)).toContain("__Host-intake=");
      expect((await call(target(), "POST", "/internal/invitations/accept", { body })).status).toBe(404);
      expect((await enter(password)).status).toBe(401);
      expect((await enter("another long password")).status).toBe(200);
    });

    test("strangers, those who have not joined and removed members are answered alike, and mailed nothing", async () => {
      const { ctx } = target().installation;
      const input = { email: "invited@example.org", name: "Invited", role: "member" } as const;
      const { inviteUrl } = await addMember({ ctx, input });
      const before = await rows();
      const known = await forgotten(await joined());
      for (const email of ["nobody@example.org", "invited@example.org", "not an address"]) {
        const { status, body } = await forgotten(email);
        expect([status, body]).toEqual([known.status, known.body]);
      }
      await until(async () => (await rows()) === before + 1 || undefined);
      const body = { secret: new URL(inviteUrl).hash.slice(1), password };
      expect((await call(target(), "POST", "/internal/invitations/accept", { body })).status).toBe(200);
    });

    test("while people sign in with a provider only, a mail is no way round it", async () => {
      const email = await joined("admin");
      const { installation } = target();
      const { store } = installation.ctx;
      const asking = new ForgottenPasswords({ sealing: await sealingOf(installation) }, new SignInThrottle());
      const ask = async (address: string) => {
        await asking.ask(installation.ctx, { email, address });
        await asking.flush();
        return (await store.all("select id from mail where recipient = $1", [email])).length;
      };
      await store.write(function* (tx) {
        yield* tx.run(
          `insert into provider (id, name, issuer, client_id, client_auth, new_members, session_days, sign_out, state, created_at)
           values ('honest', 'Honest', 'https://id.example.org', 'intake', 'none', 'no', 1, 'intake', 'enabled', 0)`,
        );
        yield* tx.run(
          `insert into identity (issuer, subject, member_id, created_at)
           select 'https://id.example.org', 'ada', id, 0 from member where email = $1`,
          [email],
        );
      });
      await set("password_sign_in", "off");
      expect(await ask("a")).toBe(0);
      await set("password_sign_in", "");
      expect(await ask("b")).toBe(1);
    });

    test("asking again soon mails nothing, and leaves the link that was mailed as it is; a day has five", async () => {
      const email = await joined();
      const { installation } = target();
      let now = Date.now();
      const ctx = { ...installation.ctx, now: () => now };
      const asking = new ForgottenPasswords({ sealing: await sealingOf(installation) }, new SignInThrottle());
      const links = () =>
        ctx.store.all<{ hash: string }>(
          "select hash from invitation i join member m on m.id = i.member_id where m.email = $1",
          [email],
        );
      const mails = async () =>
        (await ctx.store.all("select id from mail where recipient = $1 and kind = 'reset'", [email])).length;
      const ask = async (address: string) => {
        await asking.ask(ctx, { email, address });
        await asking.flush();
      };
      await ask("a");
      const [first] = await links();
      await ask("b");
      expect(await links()).toEqual([{ hash: first?.hash ?? "" }]);
      expect(await mails()).toBe(1);
      for (let n = 0; n < 8; n++) {
        now += 11 * 60_000;
        await ask(`c${n}`);
      }
      expect(await mails()).toBe(5);
    });

    test("one address that asks again and again has to wait, whether the account exists or not", async () => {
      const throttle = new SignInThrottle();
      const asking = new ForgottenPasswords({ sealing: await sealingOf(target().installation) }, throttle);
      for (const email of ["admin@example.org", "nobody@example.org"]) {
        for (let n = 0; n < 5; n++) await asking.ask(target().installation.ctx, { email, address: "a" });
        expect(asking.ask(target().installation.ctx, { email, address: "a" })).rejects.toThrow("Too many tries");
      }
      await asking.flush();
      // Asking for links delays no sign-in.
      expect(() => throttle.begin({ account: "admin@example.org", from: "a", group: "strangers" })).not.toThrow();
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
