import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { inviteMember } from "../../../server/accounts/invite-member.ts";
import { resetFactors } from "../../../server/accounts/reset-factors.ts";
import { readSealing } from "../../../server/core/open-sealing.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { listAudit } from "../../../server/organisation/list-audit.ts";
import { BrowserAtHome, enrolApp, forgetUsedCodes, joined, presentCode, withPassword } from "../../support/factors.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { allRoutes } from "../../support/routes.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

const unreadable = "000000";
const hourAgo = () => Date.now() - 61 * 60_000;

describeTargets(
  "second factor",
  (target) => {
    const store = () => target().installation.ctx.store;
    const actsOn = async (id: string) => {
      const { items } = await listAudit({
        ctx: target().installation.ctx,
        input: { limit: 200, object: `member ${id}` } as never,
      });
      return items.filter(({ object }) => object === `member ${id}`).map(({ action }) => action);
    };
    const passHour = (id: string) =>
      store().write((tx) => tx.run("update session set password_at = $2 where member_id = $1", [id, hourAgo()]));

    /** A member with an app, and a browser that is signed in. */
    async function enrolled(role: "admin" | "member" = "member") {
      const person = await joined(target(), role);
      const { browser } = await withPassword(target(), person);
      const app = await enrolApp(browser);
      await forgetUsedCodes(target(), person.id);
      return { person, browser, ...app };
    }

    test("a password alone signs in no more, and the code of the app does, once", async () => {
      const { person, secret } = await enrolled();
      const { browser, id, second } = await withPassword(target(), person);
      expect({ id, second }).toEqual({ id: null, second: { code: "app", passkey: false } });
      expect([...browser.cookies.keys()]).toEqual(["__Host-intake-second"]);
      expect(await browser.me()).toBeUndefined();

      const other = (await withPassword(target(), person)).browser;
      const code = presentCode(secret);
      expect(
        (await browser.call("POST", "/internal/session/code", { code: ` ${code.slice(0, 3)} ${code.slice(3)}` }))
          .status,
      ).toBe(200);
      expect((await browser.me())?.["id"]).toBe(person.id);
      // Somebody who has seen the code cannot use it too.
      const again = await other.call("POST", "/internal/session/code", { code });
      expect([again.status, again.body["error"]]).toEqual([401, "wrong_factor"]);
      expect(await other.me()).toBeUndefined();
      expect(await actsOn(person.id)).toContain("member.add_factor");
    });

    test("one sign-in of several that are finished at once with one code holds", async () => {
      const { person, secret } = await enrolled();
      const browsers = await Promise.all([1, 2, 3, 4].map(async () => (await withPassword(target(), person)).browser));
      const code = presentCode(secret);
      const answers = await Promise.all(
        browsers.map((browser) => browser.call("POST", "/internal/session/code", { code })),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    });

    test("a sign-in whose second factor is awaited can call nothing, and starts a session only once", async () => {
      const { person, secret, recoveryCodes } = await enrolled();
      const { browser } = await withPassword(target(), person);
      const half = browser.cookies.get("__Host-intake-second") ?? "";
      const closed = allRoutes().filter(
        ({ path, hooks }) =>
          path.startsWith("/internal/") &&
          path !== "/internal/*" &&
          (hooks as { detail?: { tags?: string[] } }).detail?.tags?.[0] !== "anyone",
      );
      expect(closed.length).toBeGreaterThan(80);
      for (const { method, path } of closed) {
        browser.cookies.clear();
        // Neither in its own cookie nor in that of a session.
        browser.cookies.set("__Host-intake-second", half).set("__Host-intake", half);
        const { status } = await browser.call(
          method,
          path.replaceAll(/:\w+/g, person.id),
          method === "GET" ? undefined : {},
        );
        expect([method, path, status]).toEqual([method, path, 401]);
      }
      expect((await browser.call("POST", "/internal/session/code", { code: presentCode(secret) })).status).toBe(200);
      // The cookie of a finished sign-in is worth nothing, not even with another code that is right.
      const thief = new BrowserAtHome(target());
      thief.cookies.set("__Host-intake-second", half);
      const late = await thief.call("POST", "/internal/session/code", { code: recoveryCodes[0] });
      expect([late.status, late.body["error"]]).toEqual([401, "not_signed_in"]);
    });

    test("a session that the browser had before is another one after it, and ended", async () => {
      const { person, secret } = await enrolled();
      const { browser } = await withPassword(target(), person);
      const victim = (await withPassword(target(), await joined(target()))).browser.cookies.get("__Host-intake") ?? "";
      browser.cookies.set("__Host-intake", victim);
      await browser.ask("POST", "/internal/session/code", { code: presentCode(secret) });
      expect(browser.cookies.get("__Host-intake")).not.toBe(victim);
      const former = new BrowserAtHome(target());
      former.cookies.set("__Host-intake", victim);
      expect(await former.me()).toBeUndefined();
    });

    test("a wrong, a used and a foreign code get one answer; after five failures the account waits at every sign-in", async () => {
      const { person, recoveryCodes } = await enrolled();
      const { recoveryCodes: foreign } = await enrolled();
      const { browser } = await withPassword(target(), person);
      await browser.ask("POST", "/internal/session/code", { code: recoveryCodes[0] });
      const answers = [];
      for (const code of [unreadable, recoveryCodes[0], foreign[0], "", "x".repeat(80)]) {
        const next = (await withPassword(target(), person)).browser;
        answers.push(await next.call("POST", "/internal/session/code", { code }));
      }
      const wrong = { status: 401, body: { error: "wrong_factor", message: "The code is wrong, or was used before." } };
      expect(answers).toEqual([wrong, wrong, wrong, wrong, wrong]);
      // A new sign-in begins no new count: the right code has to wait too.
      const { browser: next } = await withPassword(target(), person);
      const waits = await next.call("POST", "/internal/session/code", { code: recoveryCodes[1] });
      expect([waits.status, waits.body["error"]]).toEqual([429, "rate_limit_exceeded"]);
    });

    test("each recovery code signs in once, written as people write it; new ones void the rest", async () => {
      const { person, browser, recoveryCodes } = await enrolled();
      expect(recoveryCodes.length).toBe(10);
      const [first = "", second = "", third = ""] = recoveryCodes;
      const enter = async (code: string) => {
        const next = (await withPassword(target(), person)).browser;
        return (await next.call("POST", "/internal/session/code", { code })).status;
      };
      expect([await enter(first), await enter(first), await enter(second.toUpperCase().replaceAll("-", " "))]).toEqual([
        200, 401, 200,
      ]);
      const stored = JSON.stringify(await store().all("select * from recovery_code"));
      expect(stored).not.toContain(third);
      expect(stored).not.toContain(third.replaceAll("-", ""));
      expect(await browser.ask("GET", "/internal/me/factors")).toEqual({
        password: true,
        app: "yes",
        passkeys: [],
        recoveryCodes: 8,
      });
      const renewed = await browser.ask<{ recoveryCodes: string[] }>("POST", "/internal/me/recovery-codes", {});
      expect([await enter(third), await enter(renewed.recoveryCodes[0] ?? "")]).toEqual([401, 200]);
      expect(await actsOn(person.id)).toContain("member.renew_recovery_codes");
    });

    test("the secret of an app is stored sealed, and is another after a second begin", async () => {
      const { person, browser, secret } = await enrolled();
      const row = await store().one<{ secret: Uint8Array }>("select secret from totp where member_id = $1", [
        person.id,
      ]);
      expect(Buffer.from(row?.secret ?? []).toString("latin1")).not.toContain(secret);
      const begun = await browser.ask<{ secret: string; sealed: string }>("POST", "/internal/me/app/secret", {});
      expect(begun.secret).not.toBe(secret);
      const twice = await browser.call("POST", "/internal/me/app", {
        sealed: begun.sealed,
        code: presentCode(begun.secret),
      });
      expect([twice.status, twice.body["error"]]).toEqual([409, "conflict"]);
    });

    test("an app whose secret is lost is set up again after a recovery code, and then counts", async () => {
      const { person, recoveryCodes } = await enrolled();
      await store().write((tx) =>
        tx.run("update totp set secret = $2 where member_id = $1", [person.id, new Uint8Array()]),
      );
      const { browser, second } = await withPassword(target(), person);
      expect(second).toEqual({ code: "recovery", passkey: false });
      await browser.ask("POST", "/internal/session/code", { code: recoveryCodes[0] });
      expect(await browser.ask("GET", "/internal/me/factors")).toMatchObject({ app: "lost", recoveryCodes: 9 });
      const again = await enrolApp(browser);
      expect(again.recoveryCodes).toEqual([]);
      await forgetUsedCodes(target(), person.id);
      const next = await withPassword(target(), person);
      expect(next.second).toEqual({ code: "app", passkey: false });
      await next.browser.ask("POST", "/internal/session/code", { code: presentCode(again.secret) });
    });

    test("an enrolment ends only in the session that began it, with a code of its secret", async () => {
      const [one, two] = await Promise.all([joined(target()), joined(target())]);
      const [first, second] = [
        (await withPassword(target(), one)).browser,
        (await withPassword(target(), two)).browser,
      ];
      const { secret, sealed } = await first.ask<{ secret: string; sealed: string }>(
        "POST",
        "/internal/me/app/secret",
        {},
      );
      const code = presentCode(secret);
      expect((await second.call("POST", "/internal/me/app", { sealed, code })).status).toBe(409);
      expect(
        (await first.call("POST", "/internal/me/app", { sealed: `${sealed.slice(0, -4)}AAAA`, code })).status,
      ).toBe(409);
      const other = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
      expect((await first.call("POST", "/internal/me/app", { sealed, code: other })).body["error"]).toBe(
        "wrong_factor",
      );
      expect((await first.call("POST", "/internal/me/app", { sealed, code })).status).toBe(200);
      // The code that enrolled the app has been used with that.
      const { browser } = await withPassword(target(), one);
      expect((await browser.call("POST", "/internal/session/code", { code })).status).toBe(401);
    });

    test("what could do harm asks for both after an hour, and does not tell which was wrong", async () => {
      const { person, browser, secret, recoveryCodes } = await enrolled();
      await passHour(person.id);
      const harm = () => browser.call("DELETE", "/internal/me/app");
      expect((await harm()).body["error"]).toBe("password_required");
      const confirm = (body: object) => browser.call("POST", "/internal/session/password", body);
      expect((await confirm({ password: person.password })).body["error"]).toBe("invalid_input");
      const both = { error: "wrong_password", message: "The password or the code is wrong." };
      expect((await confirm({ password: "wrong horse battery", code: presentCode(secret) })).body).toEqual(both);
      expect((await confirm({ password: person.password, code: unreadable })).body).toEqual(both);
      expect((await harm()).body["error"]).toBe("password_required");
      // A code that came with a wrong password was not used up by it.
      expect((await confirm({ password: person.password, code: presentCode(secret) })).status).toBe(200);
      expect((await confirm({ password: person.password, code: presentCode(secret) })).body).toEqual(both);
      expect((await confirm({ password: person.password, code: recoveryCodes[3] })).status).toBe(200);
      expect((await harm()).status).toBe(200);
      expect(await actsOn(person.id)).toContain("member.remove_factor");
      // Without a second factor the recovery codes are gone, and the password signs in alone.
      expect(await store().all("select hash from recovery_code where member_id = $1", [person.id])).toEqual([]);
      expect((await withPassword(target(), person)).id).toBeString();
    });

    test("changing the password asks for the second factor too after an hour", async () => {
      const { person, browser } = await enrolled();
      await passHour(person.id);
      const body = { current: person.password, password: "another horse battery" };
      expect((await browser.call("POST", "/internal/me/password", body)).body["error"]).toBe("password_required");
    });

    test("a changed password ends a sign-in that waits for its second factor", async () => {
      const { person, browser, secret } = await enrolled();
      const waiting = (await withPassword(target(), person)).browser;
      const body = { current: person.password, password: "another horse battery" };
      await browser.ask("POST", "/internal/me/password", body);
      const late = await waiting.call("POST", "/internal/session/code", { code: presentCode(secret) });
      expect([late.status, late.body["error"]]).toEqual([401, "not_signed_in"]);
      expect(await waiting.me()).toBeUndefined();
    });

    test("a link for a new password does not take the place of the second factor", async () => {
      const { person, secret } = await enrolled();
      const { ctx } = target().installation;
      const { inviteUrl } = await inviteMember({ ctx, input: { id: person.id, reset: true } });
      const browser = new BrowserAtHome(target());
      const body = { secret: inviteUrl.split("#")[1], password: "another horse battery" };
      expect(await browser.ask("POST", "/internal/invitations/accept", body)).toEqual({ id: null });
      expect(await browser.me()).toBeUndefined();
      const { browser: next, second } = await withPassword(target(), { ...person, password: body.password });
      expect(second).toEqual({ code: "app", passkey: false });
      expect((await next.call("POST", "/internal/session/code", { code: presentCode(secret) })).status).toBe(200);
    });

    test("an admin takes lost factors away: every session ends, and the password signs in alone", async () => {
      const { person, browser } = await enrolled();
      const admin = (await withPassword(target(), await joined(target(), "admin"))).browser;
      const listed = await admin.ask<{ items: { id: string; factors: object }[] }>("GET", "/internal/members");
      expect(listed.items.find(({ id }) => id === person.id)?.factors).toEqual({ app: true, passkeys: 0 });
      await admin.ask("POST", `/internal/members/${person.id}/reset-factors`, {});
      expect(await browser.me()).toBeUndefined();
      expect((await withPassword(target(), person)).id).toBeString();
      expect(await actsOn(person.id)).toContain("member.reset_factors");
      const own = String((await admin.me())?.["id"]);
      expect((await admin.call("POST", `/internal/members/${own}/reset-factors`, {})).status).toBe(409);
    });

    test("a member who is deactivated and comes back has none of the former factors", async () => {
      const { person, recoveryCodes } = await enrolled();
      const waiting = (await withPassword(target(), person)).browser;
      const admin = (await withPassword(target(), await joined(target(), "admin"))).browser;
      await admin.ask("DELETE", `/internal/members/${person.id}`);
      expect((await waiting.call("POST", "/internal/session/code", { code: recoveryCodes[0] })).status).toBe(401);
      for (const table of ["totp", "recovery_code", "passkey"]) {
        expect(await store().all(`select member_id from ${table} where member_id = $1`, [person.id])).toEqual([]);
      }
    });

    describe("required for admins", () => {
      const require = (value: "on" | "off") =>
        setSetting({ ctx: target().installation.ctx, input: { name: "admin_second_factor", value } });

      test("an admin without one can enrol one and nothing else, from the next call on; members are left alone", async () => {
        const [person, other] = [await joined(target(), "admin"), await joined(target())];
        const { browser } = await withPassword(target(), person);
        const { browser: member } = await withPassword(target(), other);
        expect((await browser.call("GET", "/internal/members")).status).toBe(200);
        await require("on");
        try {
          const walked = allRoutes().filter(
            ({ path, hooks }) =>
              path.startsWith("/internal/") &&
              path !== "/internal/*" &&
              (hooks as { detail?: { tags?: string[] } }).detail?.tags?.[0] !== "anyone",
          );
          const open = [];
          for (const { method, path } of walked) {
            if (method === "DELETE" && path === "/internal/session") continue;
            const address = path.replaceAll(/:\w+/g, person.id);
            const { status, body } = await browser.call(method, address, method === "GET" ? undefined : {});
            if (status !== 403 || body["error"] !== "factor_required") open.push(`${method} ${path}`);
          }
          expect(open.sort()).toEqual([
            "GET /internal/me",
            "GET /internal/me/factors",
            "POST /internal/me/app",
            "POST /internal/me/app/secret",
            "POST /internal/me/passkeys",
            "POST /internal/me/passkeys/challenge",
            "POST /internal/session/password",
          ]);
          const page = await browser.request("/");
          const boot = JSON.parse(/id="boot">(.*?)<\/script>/s.exec(await page.text())?.[1] ?? "{}");
          expect(boot).toMatchObject({ mustEnrol: true, projects: [] });
          expect((await member.call("GET", "/internal/members/names")).status).toBe(200);

          await enrolApp(browser);
          expect((await browser.call("GET", "/internal/members")).status).toBe(200);
          const last = await browser.call("DELETE", "/internal/me/app");
          expect([last.status, last.body["error"]]).toEqual([409, "conflict"]);
        } finally {
          await require("off");
        }
      });

      test("an open page of an admin without one hears nothing more; those of others stay", async () => {
        const open = async (role: "admin" | "member", begun?: "provider") => {
          const { browser, id } = await withPassword(target(), await joined(target(), role));
          if (begun) await store().write((tx) => tx.run("update session set method = $2 where id = $1", [id, begun]));
          const reader = (await browser.request("/internal/live")).body?.getReader();
          expect((await reader?.read())?.done).toBe(false);
          return reader;
        };
        const [lacking, atProvider, member] = [
          await open("admin"),
          await open("admin", "provider"),
          await open("member"),
        ];
        await require("on");
        try {
          await until(async () => (await lacking?.read())?.done || undefined);
          for (const other of [atProvider, member]) {
            expect((await other?.read())?.done).toBe(false);
            await other?.cancel();
          }
        } finally {
          await require("off");
        }
      });

      test("a session that began at a provider is the provider's business", async () => {
        const person = await joined(target(), "admin");
        const { browser, id } = await withPassword(target(), person);
        await store().write((tx) => tx.run("update session set method = 'provider' where id = $1", [id]));
        await require("on");
        try {
          expect((await browser.call("GET", "/internal/members")).status).toBe(200);
          const { browser: second } = await withPassword(target(), person);
          expect((await second.call("GET", "/internal/members")).body["error"]).toBe("factor_required");
        } finally {
          await require("off");
        }
      });
    });

    test("mails tell the person of each change", async () => {
      const { ctx, folder } = target().installation;
      for (const [name, value] of [
        ["smtp_host", "127.0.0.1"],
        ["mail_from", "intake@example.org"],
      ] as const) {
        await setSetting({ ctx, input: { name, value } });
      }
      try {
        const { person, browser } = await enrolled();
        await browser.ask("POST", "/internal/me/recovery-codes", {});
        await browser.ask("DELETE", "/internal/me/app");
        const tools = { sealing: readSealing(`${folder}/secret.key`, undefined) };
        await resetFactors({ ctx, tools, input: { id: person.id } });
        const mails = await store().all("select id from mail where recipient = $1", [person.email]);
        expect(mails.length).toBe(4);
      } finally {
        for (const name of ["smtp_host", "mail_from"]) await setSetting({ ctx, input: { name, value: "" } });
      }
    });
  },
  ["in process", "compiled binary"],
  { rateLimits: false },
);
