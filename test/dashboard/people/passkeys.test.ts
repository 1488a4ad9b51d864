import { expect, setDefaultTimeout, test } from "bun:test";
import { readSealing } from "../../../server/core/open-sealing.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { newChallenge } from "../../../server/factors/passkey-challenge.ts";
import { listAudit } from "../../../server/organisation/list-audit.ts";
import {
  BrowserAtHome,
  enrolApp,
  enrolPasskey,
  joined,
  localOrigin,
  type PasskeyOptions,
  withPassword,
} from "../../support/factors.ts";
import { SoftPasskey } from "../../support/passkey.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { describeTargets } from "../../support/targets.ts";

setDefaultTimeout(180_000);
quickPasswords();

type Creation = Parameters<SoftPasskey["create"]>[0];

describeTargets(
  "passkeys",
  (target) => {
    const store = () => target().installation.ctx.store;
    const begin = (browser: BrowserAtHome, second = false) =>
      browser.ask<PasskeyOptions & { allowCredentials: { id: string }[]; userVerification: string }>(
        "POST",
        "/internal/session/passkey/challenge",
        { second },
      );
    const enter = (browser: BrowserAtHome, given: object, second = false) =>
      browser.call("POST", "/internal/session/passkey", { second, given });
    const passHour = (id: string) =>
      store().write((tx) =>
        tx.run("update session set password_at = $2 where member_id = $1", [id, Date.now() - 61 * 60_000]),
      );

    /** A member with a passkey, and the browser in which it was enrolled. */
    async function enrolled() {
      const person = await joined(target());
      const { browser } = await withPassword(target(), person);
      return { person, browser, ...(await enrolPasskey(browser)) };
    }

    const refused = { status: 401, body: { error: "wrong_factor" } };

    test("signs in without a name or password, and is told which challenge, host and person it is about", async () => {
      const { person, passkey, recoveryCodes } = await enrolled();
      expect(recoveryCodes?.length).toBe(10);
      const browser = new BrowserAtHome(target());
      const options = await begin(browser);
      expect(options).toMatchObject({ rpId: "localhost", allowCredentials: [], userVerification: "required" });
      expect((await enter(browser, passkey.get(options, localOrigin))).status).toBe(200);
      expect((await browser.me())?.["id"]).toBe(person.id);
      const { items } = await listAudit({ ctx: target().installation.ctx, input: { limit: 50 } });
      expect(
        items.find(({ action, object }) => action === "session.create" && object === `member ${person.id}`)?.to,
      ).toEqual({
        passkey: "Laptop",
      });
    });

    test("an answer that was recorded counts in no browser again", async () => {
      const { passkey } = await enrolled();
      const browser = new BrowserAtHome(target());
      const options = await begin(browser);
      const cookie = browser.cookies.get("__Host-intake-passkey") ?? "";
      const given = passkey.get(options, localOrigin);
      expect((await enter(browser, given)).status).toBe(200);
      for (const replay of [browser, new BrowserAtHome(target())]) {
        replay.cookies.delete("__Host-intake");
        replay.cookies.set("__Host-intake-passkey", cookie);
        expect(await enter(replay, given)).toMatchObject(refused);
        expect(await replay.me()).toBeUndefined();
      }
    });

    test("of two that finish at once with one answer, one is let in", async () => {
      const { passkey } = await enrolled();
      const browser = new BrowserAtHome(target());
      const given = passkey.get(await begin(browser), localOrigin);
      const answers = await Promise.all([1, 2, 3].map(() => enter(browser, given)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    });

    test("an answer for another origin, host, challenge or act, or without a finger or PIN, is refused", async () => {
      const { passkey } = await enrolled();
      const wrongs = [
        { origin: "http://localhost:4000" },
        { origin: "https://intake.example.net" },
        { rpId: "example.org" },
        { challenge: Buffer.alloc(32, 7).toString("base64url") },
        { type: "webauthn.create" as const },
        { verified: false },
      ];
      for (const wrong of wrongs) {
        const browser = new BrowserAtHome(target());
        expect([wrong, await enter(browser, passkey.get(await begin(browser), localOrigin, wrong))]).toMatchObject([
          wrong,
          refused,
        ]);
      }
    });

    test("an answer that was changed, or is of a key that is not known, gets the same refusal", async () => {
      const { passkey, person } = await enrolled();
      const other = (await enrolled()).passkey;
      const changes: ((given: ReturnType<SoftPasskey["get"]>) => object)[] = [
        (given) => ({ ...given, signature: `${given.signature.slice(0, -4)}AAAA` }),
        (given) => ({ ...given, id: other.id }),
        (given) => ({ ...given, id: new SoftPasskey().id }),
        (given) => ({ ...given, userHandle: other.userHandle }),
        ({ userHandle: _, ...given }) => given,
        (given) => ({ ...given, authenticatorData: "" }),
        (given) => ({ ...given, clientDataJSON: Buffer.from("{}").toString("base64url") }),
      ];
      const messages = new Set();
      for (const change of changes) {
        const browser = new BrowserAtHome(target());
        const answer = await enter(browser, change(passkey.get(await begin(browser), localOrigin)));
        expect([String(change), answer]).toMatchObject([String(change), refused]);
        messages.add(answer.body["message"]);
      }
      expect(messages.size).toBe(1);
      expect(person.id).toBeString();
    });

    test("a challenge is of one browser, one purpose and five minutes", async () => {
      const { passkey, person, browser: session } = await enrolled();
      const [asker, other] = [new BrowserAtHome(target()), new BrowserAtHome(target())];
      const given = passkey.get(await begin(asker), localOrigin);
      await begin(other);
      // Another browser has another challenge, or none.
      expect(await enter(other, given)).toMatchObject(refused);
      other.cookies.clear();
      expect(await enter(other, given)).toMatchObject(refused);
      // One for confirming, or for a sign-in that has begun with a password, is none for signing in.
      const confirming = await session.ask<PasskeyOptions>("POST", "/internal/session/confirm/challenge", {});
      asker.cookies.set("__Host-intake-passkey", session.cookies.get("__Host-intake-passkey") ?? "");
      expect(await enter(asker, passkey.get(confirming, localOrigin))).toMatchObject(refused);
      const half = (await withPassword(target(), person)).browser;
      const second = passkey.get(await begin(half, true), localOrigin);
      expect(await enter(half, second, false)).toMatchObject(refused);
      expect(await half.me()).toBeUndefined();
      // After five minutes it is over.
      const sealing = readSealing(`${target().installation.folder}/secret.key`, undefined);
      const party = { id: "localhost", origin: localOrigin };
      const enterAfter = async (milliseconds: number) => {
        const now = Date.now() - milliseconds;
        const { challenge, cookie } = newChallenge(sealing, { purpose: "sign-in", party, of: "", now });
        asker.cookies.set("__Host-intake-passkey", cookie);
        return enter(asker, passkey.get({ challenge, rpId: party.id }, localOrigin));
      };
      expect(await enterAfter(5 * 60_000)).toMatchObject(refused);
      expect((await enterAfter(4 * 60_000)).status).toBe(200);
    });

    test("is the second factor after a password, for its owner only, also without a finger or PIN", async () => {
      const { passkey, person } = await enrolled();
      const stranger = await enrolled();
      const { browser, second } = await withPassword(target(), person);
      expect(second).toEqual({ code: "recovery", passkey: true });
      const options = await begin(browser, true);
      expect(options.allowCredentials.map(({ id }) => id)).toEqual([passkey.id]);
      expect(await enter(browser, stranger.passkey.get(options, localOrigin), true)).toMatchObject(refused);
      // Without the password that came before it there is no second step.
      const nobody = new BrowserAtHome(target());
      nobody.cookies.set("__Host-intake-passkey", browser.cookies.get("__Host-intake-passkey") ?? "");
      expect((await enter(nobody, passkey.get(options, localOrigin), true)).body["error"]).toBe("not_signed_in");
      expect((await enter(browser, passkey.get(options, localOrigin, { verified: false }), true)).status).toBe(200);
      expect((await browser.me())?.["id"]).toBe(person.id);
    });

    test("one sign-in's challenge does not finish another sign-in", async () => {
      const { passkey, person } = await enrolled();
      const [one, two] = [
        (await withPassword(target(), person)).browser,
        (await withPassword(target(), person)).browser,
      ];
      const given = passkey.get(await begin(one, true), localOrigin);
      two.cookies.set("__Host-intake-passkey", one.cookies.get("__Host-intake-passkey") ?? "");
      expect(await enter(two, given, true)).toMatchObject(refused);
    });

    test("whose count goes back is a copy: it is refused, and the audit log says so", async () => {
      const { passkey, person } = await enrolled();
      const use = async (counter: number) => {
        passkey.counter = counter;
        const browser = new BrowserAtHome(target());
        return (await enter(browser, passkey.get(await begin(browser), localOrigin))).status;
      };
      expect([await use(5), await use(6), await use(6), await use(3), await use(0), await use(7)]).toEqual([
        200, 200, 401, 401, 401, 200,
      ]);
      const { items } = await listAudit({ ctx: target().installation.ctx, input: { limit: 50 } });
      const told = items.filter(
        ({ action, object }) => action === "session.refuse" && object === `member ${person.id}`,
      );
      expect(told.length).toBe(3);
      expect(JSON.stringify(told[0]?.to)).toContain("there is a copy");
    });

    test("proves again who somebody is who has no password, and cannot be removed as the last way in", async () => {
      const { passkey, person, browser, id } = await enrolled();
      await store().write((tx) => tx.run("update member set password_hash = null where id = $1", [person.id]));
      await passHour(person.id);
      expect((await browser.call("DELETE", `/internal/me/passkeys/${id}`)).body["error"]).toBe("password_required");
      const options = await browser.ask<PasskeyOptions>("POST", "/internal/session/confirm/challenge", {});
      const given = passkey.get(options, localOrigin);
      // The same challenge in a session of the same person elsewhere.
      const elsewhere = new BrowserAtHome(target());
      expect((await enter(elsewhere, passkey.get(await begin(elsewhere), localOrigin))).status).toBe(200);
      const confirm = (where: BrowserAtHome, body: object) =>
        where.call("POST", "/internal/session/confirm/passkey", body);
      elsewhere.cookies.set("__Host-intake-passkey", browser.cookies.get("__Host-intake-passkey") ?? "");
      expect(await confirm(elsewhere, given)).toMatchObject(refused);
      expect(await confirm(browser, passkey.get(options, localOrigin, { verified: false }))).toMatchObject(refused);
      expect((await confirm(browser, given)).status).toBe(200);
      expect(await confirm(browser, given)).toMatchObject(refused);
      const last = await browser.call("DELETE", `/internal/me/passkeys/${id}`);
      expect([last.status, last.body["error"]]).toEqual([409, "conflict"]);
      // With that a first password is chosen, without a present one.
      expect((await browser.call("POST", "/internal/me/password", { password: person.password })).status).toBe(200);
      expect((await browser.call("DELETE", `/internal/me/passkeys/${id}`)).status).toBe(200);
      expect((await withPassword(target(), person)).id).toBeString();
    });

    test("of somebody else proves nothing in this session, and can be neither named nor removed", async () => {
      const [mine, other] = [await enrolled(), await enrolled()];
      const options = await mine.browser.ask<PasskeyOptions>("POST", "/internal/session/confirm/challenge", {});
      expect(
        await mine.browser.call("POST", "/internal/session/confirm/passkey", other.passkey.get(options, localOrigin)),
      ).toMatchObject(refused);
      expect((await mine.browser.call("PATCH", `/internal/me/passkeys/${other.id}`, { name: "Mine" })).status).toBe(
        404,
      );
      expect((await mine.browser.call("DELETE", `/internal/me/passkeys/${other.id}`)).status).toBe(404);
      expect(await mine.browser.ask("PATCH", `/internal/me/passkeys/${mine.id}`, { name: "Phone" })).toMatchObject({
        name: "Phone",
      });
      const own = await other.browser.ask<{ passkeys: { name: string }[] }>("GET", "/internal/me/factors");
      expect(own.passkeys.map(({ name }) => name)).toEqual(["Laptop"]);
      const removed = await mine.browser.call("DELETE", `/internal/me/passkeys/${mine.id}`);
      expect(removed.status).toBe(200);
      const gone = new BrowserAtHome(target());
      expect(await enter(gone, mine.passkey.get(await begin(gone), localOrigin))).toMatchObject(refused);
    });

    test("is enrolled with a finger or PIN, by the session that asked, at this origin, once, and by one person", async () => {
      const [one, two] = [await joined(target()), await joined(target())];
      const [browser, other] = [
        (await withPassword(target(), one)).browser,
        (await withPassword(target(), two)).browser,
      ];
      const ask = (at: BrowserAtHome) => at.ask<Creation>("POST", "/internal/me/passkeys/challenge", {});
      const enrol = (at: BrowserAtHome, made: object) =>
        at.call("POST", "/internal/me/passkeys", { name: "Key", made });
      for (const wrong of [
        { verified: false },
        { origin: "https://intake.example.net" },
        { rpId: "example.net" },
        { challenge: "AAAA" },
        { type: "webauthn.get" as const },
      ]) {
        const made = new SoftPasskey().create(await ask(browser), localOrigin, wrong);
        expect([wrong, await enrol(browser, made)]).toMatchObject([wrong, refused]);
      }
      const passkey = new SoftPasskey();
      const made = passkey.create(await ask(browser), localOrigin);
      other.cookies.set("__Host-intake-passkey", browser.cookies.get("__Host-intake-passkey") ?? "");
      expect(await enrol(other, made)).toMatchObject(refused);
      expect((await enrol(browser, made)).status).toBe(200);
      expect(await enrol(browser, made)).toMatchObject(refused);
      // Somebody else cannot take the key over by enrolling it too.
      const taken = passkey.create(await ask(other), localOrigin);
      expect((await enrol(other, taken)).status).toBe(409);
      const excluded = (await ask(browser)) as Creation & { excludeCredentials: { id: string }[] };
      expect(excluded.excludeCredentials.map(({ id }) => id)).toEqual([passkey.id]);
    });

    test("of a person who was deactivated signs nobody in", async () => {
      const { passkey, person } = await enrolled();
      await store().write((tx) => tx.run("update member set removed_at = 1 where id = $1", [person.id]));
      const browser = new BrowserAtHome(target());
      expect(await enter(browser, passkey.get(await begin(browser), localOrigin))).toMatchObject(refused);
    });

    test("need an origin that the operator has named, with https and a host name, or this machine", async () => {
      const { ctx } = target().installation;
      const begun = async (origin: string) => {
        const { status, body } = await new BrowserAtHome(target(), origin).call(
          "POST",
          "/internal/session/passkey/challenge",
          {
            second: false,
          },
        );
        return status === 200 ? body["rpId"] : body["error"];
      };
      // Nobody has said that people come under this name, so a stranger may have made it up.
      expect(await begun("https://intake.example.net")).toBe("conflict");
      expect(await begun("http://intake.localhost:3000")).toBe("intake.localhost");
      try {
        for (const [publicUrl, expected] of [
          ["http://intake.example.org", "conflict"],
          ["https://192.0.2.7", "conflict"],
          ["https://[2001:db8::1]", "conflict"],
          ["https://intake.example.org", "intake.example.org"],
        ] as const) {
          await setSetting({ ctx, input: { name: "public_url", value: publicUrl } });
          expect([publicUrl, await begun("https://intake.example.net")]).toEqual([publicUrl, expected]);
        }
        // A key of the former name is not taken under the new one.
        const browser = new BrowserAtHome(target(), "https://intake.example.org");
        const options = await begin(browser);
        const { passkey } = { passkey: new SoftPasskey() };
        expect(await enter(browser, passkey.get(options, localOrigin))).toMatchObject(refused);
      } finally {
        await setSetting({ ctx, input: { name: "public_url", value: "" } });
      }
    });

    test("with an app beside it, either finishes the sign-in; twenty are the most", async () => {
      const { person, browser, recoveryCodes } = await enrolled();
      const app = await enrolApp(browser);
      // The recovery codes came with the first factor.
      expect([recoveryCodes?.length, app.recoveryCodes]).toEqual([10, []]);
      expect((await withPassword(target(), person)).second).toEqual({ code: "app", passkey: true });
      for (let count = 1; count < 20; count++) await enrolPasskey(browser);
      await expect(enrolPasskey(browser)).rejects.toThrow("409");
    });
  },
  ["in process", "compiled binary"],
  { rateLimits: false },
);

describeTargets(
  "passkeys behind one address",
  (target) => {
    test("are asked for sixty times a minute, each time counted once", async () => {
      const ask = () =>
        new BrowserAtHome(target()).call("POST", "/internal/session/passkey/challenge", { second: false });
      for (let asked = 1; asked <= 60; asked++) expect([asked, (await ask()).status]).toEqual([asked, 200]);
      expect(await ask()).toMatchObject({ status: 429, body: { error: "rate_limit_exceeded" } });
    });
  },
  ["over loopback"],
);
