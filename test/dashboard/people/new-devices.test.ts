import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { addMember } from "../../../server/accounts/add-member.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { call, cookieOf } from "../../support/call.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../../support/mail-server.ts";
import { setMailServer } from "../../support/mails.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.stop());

const password = "tractor lemon seven";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const chrome = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36";
const invented = "<script>alert(1)</script>\u202e";

interface Listed {
  items: { id: string; current: boolean; method: string | null }[];
  newDevices: { id: string; device: string; network: string | null; at: string }[];
}

describeTargets(
  "a sign-in with a browser or from a network that was not seen before",
  (target) => {
    const store = () => target().installation.ctx.store;

    /** A member who has joined with Firefox. */
    async function joined() {
      const email = `${crypto.randomUUID()}@example.org`;
      const { ctx } = target().installation;
      const { id, inviteUrl } = await addMember({ ctx, input: { email, name: "Ada", role: "member" } });
      const body = { secret: new URL(inviteUrl).hash.slice(1), password };
      const answer = await call(target(), "POST", "/internal/invitations/accept", {
        body,
        headers: { "user-agent": firefox },
      });
      return { id, email, cookie: cookieOf(answer) };
    }

    async function enter(email: string, agent: string) {
      const body = { email, password };
      const answer = await call(target(), "POST", "/internal/session", { body, headers: { "user-agent": agent } });
      expect(answer.status).toBe(200);
      return cookieOf(answer);
    }
    const listed = async (cookie: string) =>
      (await call(target(), "GET", "/internal/sessions", { cookie })).body as unknown as Listed;
    const mailsTo = (address: string) => server.accepted.filter(({ to }) => to.includes(address));
    /** Waits until every sign-in was looked at. */
    const lookedAt = () =>
      until(async () =>
        (await store().all("select 1 from new_device where mail = 'waiting' limit 1")).length === 0 ? true : undefined,
      );

    test("is told on the pages of the person's other sessions, until one of those calls it known", async () => {
      const { email, cookie } = await joined();
      expect((await listed(cookie)).newDevices).toEqual([]);
      await enter(email, firefox);
      expect((await listed(cookie)).newDevices).toEqual([]);

      const other = await enter(email, chrome);
      const { newDevices, items } = await listed(cookie);
      expect(newDevices).toMatchObject([{ device: "Chrome on Windows", network: "127.0.0.0/24" }]);
      expect(items[0]?.method).toBe("password");
      const rail = await call(target(), "GET", "/internal/rail", { cookie });
      expect(rail.body["newDevices"]).toMatchObject({ count: 1, latest: { device: "Chrome on Windows" } });

      // The session itself neither sees that nor can hide it, and neither can another person.
      const id = newDevices[0]?.id;
      const known = (cookie: string) => call(target(), "POST", `/internal/sessions/${id}/known`, { cookie, body: {} });
      expect((await listed(other)).newDevices).toEqual([]);
      expect((await known(other)).status).toBe(409);
      expect((await known((await joined()).cookie)).status).toBe(404);
      expect((await listed(cookie)).newDevices).toHaveLength(1);
      expect((await known(cookie)).status).toBe(200);
      expect((await listed(cookie)).newDevices).toEqual([]);
    });

    test("stays told after its session was ended", async () => {
      const { email, cookie } = await joined();
      const other = await enter(email, chrome);
      await call(target(), "DELETE", "/internal/session", { cookie: other });
      expect((await listed(cookie)).newDevices).toHaveLength(1);
    });

    test("may be the network alone", async () => {
      const { id, email, cookie } = await joined();
      await store().write((tx) =>
        tx.run("update known_network set network = '192.0.2.0/24' where member_id = $1", [id]),
      );
      await enter(email, firefox);
      await enter(email, firefox);
      expect((await listed(cookie)).newDevices).toMatchObject([{ device: "Firefox on Linux" }]);
    });

    test("text that a browser makes up is not repeated", async () => {
      const { email, cookie } = await joined();
      await enter(email, invented.replace("\u202e", ""));
      expect((await listed(cookie)).newDevices).toMatchObject([{ device: "An unknown browser" }]);
    });

    test("without a mail server nothing is mailed, later neither", async () => {
      const { email } = await joined();
      await enter(email, chrome);
      await lookedAt();
      await setMailServer(target().installation, server.port);
      await enter((await joined()).email, firefox);
      await lookedAt();
      expect(await store().all("select id from mail where recipient = $1", [email])).toEqual([]);
    });

    test("is mailed once, with a link of the public address and nothing that the browser said", async () => {
      await setMailServer(target().installation, server.port);
      await setSetting({
        ctx: target().installation.ctx,
        input: { name: "public_url", value: "https://intake.example.org" },
      });
      const { id, email } = await joined();
      await enter(email, chrome);
      const mail = await until(() => mailsTo(email)[0]);
      const text = textOfMail(mail.source).replaceAll(/\s+/g, " ");
      expect(text).toContain("Chrome on Windows, from the network 127.0.0.0/24, with the password");
      expect(text).toContain("https://intake.example.org/settings/sessions");

      // The same again within an hour, as if it had been forgotten meanwhile.
      const forget = () =>
        store().write((tx) =>
          tx.run("delete from known_device where member_id = $1 and device = 'Chrome on Windows'", [id]),
        );
      await forget();
      await enter(email, chrome);
      await lookedAt();
      const states = () =>
        store().all<{ mail: string }>("select mail from new_device where member_id = $1 order by at, session_id", [id]);
      expect(await states()).toEqual([{ mail: "told" }, { mail: "quiet" }]);

      await store().write((tx) => tx.run("update new_device set at = at - 3601000 where member_id = $1", [id]));
      await forget();
      await enter(email, chrome);
      await lookedAt();
      expect((await states()).map(({ mail }) => mail)).toEqual(["told", "quiet", "told"]);
    });

    test("is mailed ten times a day at most, and kept fifty times", async () => {
      await setMailServer(target().installation, server.port);
      const { id, email } = await joined();
      for (let i = 0; i < 55; i++) {
        await store().write((tx) => tx.run("delete from known_network where member_id = $1", [id]));
        // Each as if from another network than the one before.
        await store().write((tx) =>
          tx.run("update new_device set network = $2 where member_id = $1 and network = '127.0.0.0/24'", [
            id,
            `203.0.${i}.0/24`,
          ]),
        );
        await enter(email, firefox);
        if (i < 12) await lookedAt();
      }
      const told = await store().all("select 1 from new_device where member_id = $1 and mail = 'told'", [id]);
      const kept = await store().all("select 1 from new_device where member_id = $1", [id]);
      expect(kept.length).toBe(50);
      expect((await store().all("select 1 from mail where recipient = $1", [email])).length).toBe(10);
      expect(told.length).toBeLessThanOrEqual(10);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
