import { expect, setDefaultTimeout, test } from "bun:test";
import { sessionOf, startSessionStep } from "../../../server/accounts/session.ts";
import type { Context } from "../../../server/core/context.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { call, cookieOf } from "../../support/call.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { allRoutes } from "../../support/routes.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

const email = "admin@example.org";
const password = "correct horse battery";
const absent = "0198c0de-0000-7000-8000-00000000dead";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

interface SessionItem {
  id: string;
  current: boolean;
}

describeTargets(
  "sessions",
  (target) => {
    const enter = async (secret = password) =>
      cookieOf(
        await call(target(), "POST", "/internal/session", {
          body: { email, password: secret },
          headers: { "user-agent": firefox },
        }),
      );
    const ask = (cookie: string, method: string, path: string, body?: unknown) =>
      call(target(), method, path, { cookie, body });
    const alive = async (cookie: string) => (await ask(cookie, "GET", "/internal/me")).status === 200;

    test("are listed with browser, system and network, and end one by one or all but this one", async () => {
      const [first, second, third] = [await enter(), await enter(), await enter()];
      const { body } = await ask(first, "GET", "/internal/sessions");
      const items = body["items"] as SessionItem[];
      expect(items.length).toBe(3);
      expect(items[0]).toMatchObject({ browser: "Firefox", system: "Linux", network: "127.0.0.0/24" });
      expect(items.filter(({ current }) => current).length).toBe(1);
      expect(JSON.stringify(body)).not.toContain(Bun.SHA256.hash(first.split("=")[1] ?? "", "hex"));

      const own = items.find(({ current }) => current)?.id;
      const secondList = (await ask(second, "GET", "/internal/sessions")).body["items"] as SessionItem[];
      const secondId = secondList.find(({ current }) => current)?.id;
      expect((await ask(first, "DELETE", `/internal/sessions/${secondId}`)).body).toEqual({ ended: 1 });
      expect([await alive(first), await alive(second), await alive(third)]).toEqual([true, false, true]);
      expect((await ask(first, "DELETE", `/internal/sessions/${secondId}`)).status).toBe(404);
      expect((await ask(first, "DELETE", "/internal/sessions/others")).body).toEqual({ ended: 1 });
      expect([await alive(first), await alive(third)]).toEqual([true, false]);
      await ask(first, "DELETE", `/internal/sessions/${own}`);
      expect(await alive(first)).toBe(false);
    });

    test("of others cannot be seen or ended", async () => {
      const cookie = await enter();
      const items = (await ask(cookie, "GET", "/internal/sessions")).body["items"] as SessionItem[];
      const stranger = await signIn(target(), "admin");
      expect((await ask(stranger.cookie, "DELETE", `/internal/sessions/${items[0]?.id}`)).status).toBe(404);
      expect(await alive(cookie)).toBe(true);
    });

    test("a revoked one holds on the very next request, and its open stream is closed", async () => {
      const [watching, ending] = [await enter(), await enter()];
      const stream = await target().send("/internal/live", { headers: { cookie: watching } });
      const reader = stream.body?.getReader();
      const first = await reader?.read();
      expect(first?.done).toBe(false);
      await ask(ending, "DELETE", "/internal/sessions/others");
      expect(await alive(watching)).toBe(false);
      const closed = await until(async () => ((await reader?.read())?.done ? true : undefined));
      expect(closed).toBe(true);
    });

    test("a new password ends the others and takes the present one", async () => {
      const [own, other] = [await enter(), await enter()];
      const change = (current: string, next: string) =>
        ask(own, "POST", "/internal/me/password", { current, password: next });
      expect((await change("wrong horse battery", "tractor lemon seven")).body).toMatchObject({
        error: "wrong_password",
        message: "The password is wrong.",
      });
      expect((await change(password, "short")).status).toBe(400);
      expect((await change(password, email)).status).toBe(400);
      expect((await change(password, "tractor lemon seven")).status).toBe(200);
      expect([await alive(own), await alive(other)]).toEqual([true, false]);
      expect(await enter()).toBe("");
      await ask(own, "POST", "/internal/me/password", { current: "tractor lemon seven", password });
      expect(await enter()).not.toBe("");
    });

    test("what gives rights away asks for the password again after an hour", async () => {
      const cookie = await enter();
      const invite = () =>
        ask(cookie, "POST", "/internal/members", {
          email: `${crypto.randomUUID()}@example.org`,
          name: "N",
          role: "member",
        });
      expect((await invite()).status).toBe(200);
      await target().installation.ctx.store.write(function* (tx) {
        yield* tx.run("update session set password_at = $1", [Date.now() - 61 * 60_000]);
      });
      expect((await invite()).body).toMatchObject({ error: "password_required" });
      expect((await ask(cookie, "GET", "/internal/members")).status).toBe(200);
      expect((await ask(cookie, "POST", "/internal/session/password", { password: "no" })).status).toBe(401);
      expect((await ask(cookie, "POST", "/internal/session/password", { password })).status).toBe(200);
      expect((await invite()).status).toBe(200);
    });

    test("so does every other change that is for admins only, except what does no harm", async () => {
      const { id, cookie } = await signIn(target(), "admin");
      await target().installation.ctx.store.write(function* (tx) {
        yield* tx.run("update session set password_at = $2 where member_id = $1", [id, Date.now() - 61 * 60_000]);
      });
      const passed: string[] = [];
      for (const { method, path, hooks } of allRoutes()) {
        const roles = (hooks as { detail?: { tags?: string[] } }).detail?.tags;
        if (!path.startsWith("/internal/") || method === "GET" || !roles?.includes("admin")) continue;
        const { status, body } = await call(target(), method, path.replaceAll(/:\w+/g, absent), { cookie });
        if (status !== 403 || body["error"] !== "password_required") passed.push(`${method} ${path}`);
      }
      expect(passed.sort()).toEqual([
        "DELETE /internal/subscribers/:id/replay",
        "PATCH /internal/organisation",
        "PATCH /internal/projects/:id",
        "POST /internal/backups",
        "POST /internal/notices/:id/dismiss",
        "POST /internal/people/find",
        "POST /internal/projects",
        "POST /internal/providers/:id/test",
        "POST /internal/settings/:name/preview",
        "POST /internal/subscribers/:id/deliveries/:delivery/replay",
        "POST /internal/subscribers/:id/probe",
        "POST /internal/subscribers/:id/replay",
        "POST /internal/subscribers/:id/test",
      ]);
    });

    test("one's own name is one's own to change", async () => {
      const { cookie, id } = await signIn(target(), "member");
      expect((await ask(cookie, "PATCH", "/internal/me", { name: " " })).status).toBe(400);
      expect((await ask(cookie, "PATCH", "/internal/me", { name: "Renamed" })).body).toEqual({ id, name: "Renamed" });
      expect((await ask(cookie, "GET", "/internal/me")).body).toMatchObject({ name: "Renamed" });
    });

    test("end 14 days after the last request and 90 days after the sign-in", async () => {
      const { ctx } = target().installation;
      const { cookie } = await signIn(target(), "member");
      const request = new Request("http://localhost/internal/me", { headers: { cookie } });
      const day = 86_400_000;
      const start = ctx.now();
      const at = (days: number): Omit<Context, "actor"> => ({ ...ctx, now: () => start + days * day });
      const seen = async (days: number) =>
        sessionOf(at(days), request).then(
          () => true,
          () => false,
        );
      expect(await seen(14.1)).toBe(false);
      const seenAt = async () =>
        (await ctx.store.one<{ seen_at: number }>("select max(seen_at) as seen_at from session"))?.seen_at;
      for (const days of [13.5, 27, 40, 53, 66, 79]) {
        await until(async () => ((await seen(days)) && (await seenAt()) === start + days * day ? true : undefined));
      }
      expect([await seen(89.9), await seen(90.1)]).toEqual([true, false]);
      await ctx.store.write(function* (tx) {
        yield* tx.run("update session set seen_at = $1", [start]);
      });
      expect(await seen(14.1)).toBe(false);
    });

    /** Whether the session counts at a time that is so many hours from now. */
    async function countsAfter(
      hours: number,
      cookie: string,
      headers: Record<string, string> = {},
      path = "/internal/me",
    ) {
      const { ctx } = target().installation;
      const request = new Request(`http://localhost${path}`, { headers: { cookie, ...headers } });
      const now = ctx.now() + hours * 3_600_000;
      return sessionOf({ ...ctx, now: () => now }, request).then(
        () => true,
        () => false,
      );
    }
    /** As {@link countsAfter}, without a use. */
    const lastsFor = (hours: number, cookie: string) => countsAfter(hours, cookie, { "x-intake-unattended": "1" });
    const set = (name: string, value: string) => setSetting({ ctx: target().installation.ctx, input: { name, value } });
    const seenAtOf = async (memberId: string) => {
      const rows = await target().installation.ctx.store.all<{ seen_at: number }>(
        "select seen_at from session where member_id = $1",
        [memberId],
      );
      return rows[0]?.seen_at ?? 0;
    };

    test("end as the settings say, those that have begun too", async () => {
      const { cookie } = await signIn(target(), "member");
      await set("session_idle_hours", "2");
      expect([await lastsFor(1.9, cookie), await lastsFor(2.1, cookie)]).toEqual([true, false]);
      await set("session_idle_hours", "8760");
      expect(await lastsFor(24 * 89, cookie)).toBe(true);
      await set("session_days", "1");
      expect([await lastsFor(23.9, cookie), await lastsFor(24.1, cookie)]).toEqual([true, false]);
      const { cookie: short } = await signIn(target(), "member");
      await set("session_days", "300");
      const { cookie: long } = await signIn(target(), "member");
      expect([await lastsFor(24.1, short), await lastsFor(24 * 299, long)]).toEqual([false, true]);
      for (const name of ["session_days", "session_idle_hours"]) await set(name, "");
    });

    test("are not used by a page that is only open", async () => {
      const { id, cookie } = await signIn(target(), "member");
      const start = await seenAtOf(id);
      const unattended = { "x-intake-unattended": "1" };
      expect(await countsAfter(1, cookie, unattended)).toBe(true);
      expect(await countsAfter(1, cookie, {}, "/internal/live?since=a-1")).toBe(true);
      expect(await countsAfter(2, cookie)).toBe(true);
      // A session notes one use at a time, so a use that was noted first would have kept the later one out.
      const used = await until(async () => ((await seenAtOf(id)) > start ? await seenAtOf(id) : undefined));
      expect(Math.round((used - start) / 3_600_000)).toBe(2);
    });

    test("that were used while the clock was ahead end once it is right, and nothing is deleted meanwhile", async () => {
      const { ctx } = target().installation;
      const { id, cookie } = await signIn(target(), "member");
      expect(await countsAfter(0.5, cookie)).toBe(true);
      await until(async () => ((await seenAtOf(id)) > Date.now() + 60_000 ? true : undefined));
      // Half an hour may be the difference of two machines: the session goes on, and its last use is put right.
      expect(await countsAfter(0, cookie)).toBe(true);
      await until(async () => ((await seenAtOf(id)) <= Date.now() ? true : undefined));

      const { id: later } = await signIn(target(), "member");
      await ctx.store.write((tx) =>
        tx.run("update session set seen_at = seen_at + 86400000 where member_id = $1", [id]),
      );
      expect(await countsAfter(0, cookie)).toBe(false);
      expect(await countsAfter(24, cookie)).toBe(true);
      const now = ctx.now() + 1_000 * 86_400_000;
      const visit = { userAgent: null, network: undefined };
      await ctx.store.write((tx) =>
        startSessionStep(
          tx,
          { id: ctx.newId(), secret: crypto.randomUUID() },
          { memberId: later, visit, now, cutoff: () => Number.NEGATIVE_INFINITY, method: "password" },
        ),
      );
      const left = await ctx.store.one<{ count: number }>(
        "select cast(count(*) as integer) as count from session where member_id in ($1, $2)",
        [id, later],
      );
      expect(left?.count).toBe(3);
    });

    test("one that is not used any more closes its open stream", async () => {
      const { id, cookie } = await signIn(target(), "member");
      const stream = await target().send("/internal/live", { headers: { cookie } });
      const reader = stream.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      await target().installation.ctx.store.write((tx) =>
        tx.run("update session set seen_at = seen_at - 1210000000 where member_id = $1", [id]),
      );
      const closed = await until(async () => ((await reader?.read())?.done ? true : undefined));
      expect(closed).toBe(true);
    });

    test("of a member are seen and ended by admins, which the audit log says; nobody else's end with them", async () => {
      const [boss, one, other] = [
        await signIn(target(), "admin"),
        await signIn(target(), "member"),
        await signIn(target(), "member"),
      ];
      const path = `/internal/members/${one.id}/sessions`;
      const items = async () => (await ask(boss.cookie, "GET", path)).body["items"] as SessionItem[];
      const [shown] = await items();
      expect(shown).toMatchObject({ current: false, method: "password", network: null });
      expect((await ask(boss.cookie, "DELETE", `/internal/members/${other.id}/sessions/${shown?.id}`)).status).toBe(
        404,
      );
      expect(await alive(one.cookie)).toBe(true);
      expect((await ask(boss.cookie, "DELETE", `${path}/${shown?.id}`)).body).toEqual({ ended: 1 });
      expect([await alive(one.cookie), await alive(other.cookie)]).toEqual([false, true]);
      expect((await ask(boss.cookie, "DELETE", `/internal/members/${other.id}/sessions`)).body).toEqual({ ended: 1 });
      expect([await alive(other.cookie), await alive(boss.cookie)]).toEqual([false, true]);
      expect((await ask(boss.cookie, "GET", `/internal/members/${absent}/sessions`)).status).toBe(404);
      const acts = await target().installation.ctx.store.all(
        "select actor_id, object, after from audit where action = 'session.revoke' and actor_id = $1 order by id",
        [boss.id],
      );
      expect(acts).toEqual([
        { actor_id: boss.id, object: `member ${one.id}`, after: '{"ended":1}' },
        { actor_id: boss.id, object: `member ${other.id}`, after: '{"ended":1}' },
      ]);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
