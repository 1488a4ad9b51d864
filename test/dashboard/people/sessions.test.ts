import { expect, setDefaultTimeout, test } from "bun:test";
import { sessionOf } from "../../../server/accounts/session.ts";
import type { Context } from "../../../server/core/context.ts";
import { call, cookieOf } from "../../support/call.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { allRoutes } from "../../support/routes.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(60_000);
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
        "POST /internal/projects",
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
  },
  ["over loopback"],
  { rateLimits: false },
);
