import { expect, setDefaultTimeout, test } from "bun:test";
import type { MemberView } from "../../../server/accounts/list-members.ts";
import { setRole } from "../../../server/accounts/set-role.ts";
import { call, cookieOf } from "../../support/call.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets, type Target } from "../../support/targets.ts";

setDefaultTimeout(180_000);
quickPasswords();

const password = "tractor lemon seven";

describeTargets(
  "members",
  (target) => {
    async function admin() {
      const { cookie } = await signIn(target(), "admin");
      return (method: string, path: string, body?: unknown) => call(target(), method, path, { cookie, body });
    }

    async function invited(ask: Awaited<ReturnType<typeof admin>>, role = "member") {
      const email = `${crypto.randomUUID()}@example.org`;
      const { status, body } = await ask("POST", "/internal/members", { email, name: "Invited", role });
      expect(status).toBe(200);
      const { id, inviteUrl } = body as { id: string; inviteUrl: string };
      return { id, email, inviteUrl, secret: new URL(inviteUrl).hash.slice(1) };
    }

    const accept = (body: unknown) => call(target(), "POST", "/internal/invitations/accept", { body });
    const enter = (email: string, password: string) =>
      call(target(), "POST", "/internal/session", { body: { email, password } });

    test("an invitation is a link that works once and signs in", async () => {
      const ask = await admin();
      const { id, email, inviteUrl, secret } = await invited(ask);
      expect(inviteUrl).toMatch(/\/invite#\w{43}$/);
      const shown = await call(target(), "POST", "/internal/invitations/show", { body: { secret } });
      expect(shown.body).toEqual({ kind: "invite", name: "Invited", email, role: "member", organisation: "Example" });
      expect(await memberOf(ask, id)).toMatchObject({ state: "waiting", link: { kind: "invite" }, seenAt: null });

      const joined = await accept({ secret, name: "Joined", password });
      const me = await call(target(), "GET", "/internal/me", { cookie: cookieOf(joined) });
      expect(me.body).toMatchObject({ id, name: "Joined", email, role: "member" });
      expect(await memberOf(ask, id)).toMatchObject({ name: "Joined", state: "active", link: null });
      expect((await accept({ secret, password })).status).toBe(404);
      expect((await call(target(), "POST", "/internal/invitations/show", { body: { secret } })).status).toBe(404);
      expect((await enter(email, password)).status).toBe(200);
    });

    test("of several who accept one link at once, one does", async () => {
      const { secret } = await invited(await admin());
      const tries = await Promise.all(Array.from({ length: 4 }, () => accept({ secret, password })));
      expect(tries.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    });

    test("passwords that guessers try, too short ones and the e-mail address are refused; the link stays", async () => {
      const { secret, email } = await invited(await admin());
      for (const bad of ["elevenchars", "password1234", "123456789012", "aaaaaaaaaaaa", email, "", "x".repeat(1_001)]) {
        expect([bad, (await accept({ secret, password: bad })).status]).toEqual([bad, 400]);
      }
      expect((await accept({ secret, password: "ééééééüüüüü!" })).status).toBe(200);
    });

    test("an expired link is no link", async () => {
      const { id, secret } = await invited(await admin());
      await target().installation.ctx.store.write(function* (tx) {
        yield* tx.run("update invitation set expires_at = 1 where member_id = $1", [id]);
      });
      expect((await accept({ secret, password })).status).toBe(404);
      expect((await call(target(), "POST", "/internal/invitations/show", { body: { secret } })).status).toBe(404);
    });

    test("a new link voids the one before, and a revoked one takes the person off the list", async () => {
      const ask = await admin();
      const { id, secret } = await invited(ask);
      const again = await ask("POST", `/internal/members/${id}/invite`, {});
      expect((await accept({ secret, password })).status).toBe(404);
      expect((await ask("DELETE", `/internal/members/${id}/invite`)).status).toBe(200);
      const second = new URL(String(again.body["inviteUrl"])).hash.slice(1);
      expect((await accept({ secret: second, password })).status).toBe(404);
      expect(await memberOf(ask, id)).toBeUndefined();
    });

    test("a reset voids the password and the sessions at once; its link lasts 30 minutes", async () => {
      const ask = await admin();
      const { id, email, secret } = await invited(ask);
      const cookie = cookieOf(await accept({ secret, password }));
      const { body } = await ask("POST", `/internal/members/${id}/reset`, {});
      expect(body["inviteUrl"]).toMatch(/\/reset#\w{43}$/);
      expect(Date.parse(String(body["until"])) - Date.now()).toBeWithin(29 * 60_000, 30 * 60_000 + 1);
      expect((await call(target(), "GET", "/internal/me", { cookie })).status).toBe(401);
      expect((await enter(email, password)).status).toBe(401);
      const reset = new URL(String(body["inviteUrl"])).hash.slice(1);
      expect((await accept({ secret: reset, password: "another tractor 8" })).status).toBe(200);
      expect((await enter(email, "another tractor 8")).status).toBe(200);
    });

    test("a change of role holds at once, and ends the sessions of the former one", async () => {
      const ask = await admin();
      const { id, cookie } = await signIn(target(), "admin");
      expect((await ask("PATCH", `/internal/members/${id}`, { role: "admin" })).status).toBe(200);
      expect((await call(target(), "GET", "/internal/members", { cookie })).status).toBe(200);
      await ask("PATCH", `/internal/members/${id}`, { role: "member" });
      expect((await call(target(), "GET", "/internal/members", { cookie })).status).toBe(401);
    });

    test("a deactivated member is out at once, stays on the list, and comes back by a link", async () => {
      const ask = await admin();
      const { id, email, secret } = await invited(ask);
      const cookie = cookieOf(await accept({ secret, password }));
      expect((await ask("DELETE", `/internal/members/${id}`)).status).toBe(200);
      expect((await call(target(), "GET", "/internal/me", { cookie })).status).toBe(401);
      expect((await enter(email, password)).status).toBe(401);
      expect(await memberOf(ask, id)).toMatchObject({ state: "deactivated" });
      const { body: names } = await call(target(), "GET", "/internal/members/names", {
        cookie: (await signIn(target(), "member")).cookie,
      });
      expect(JSON.stringify(names)).not.toContain(id);
      const back = await ask("POST", `/internal/members/${id}/restore`, {});
      expect((await enter(email, password)).status).toBe(401);
      const link = new URL(String(back.body["inviteUrl"])).hash.slice(1);
      expect((await accept({ secret: link, password })).status).toBe(200);
      expect(await memberOf(ask, id)).toMatchObject({ state: "active" });
    });

    test("one address is one person, and the agent is nobody's account", async () => {
      const ask = await admin();
      const { email } = await invited(ask);
      const again = { email: email.toUpperCase(), name: "Again", role: "member" };
      expect((await ask("POST", "/internal/members", again)).status).toBe(409);
      const { id } = target().installation.made.agent;
      expect((await ask("PATCH", `/internal/members/${id}`, { role: "admin" })).status).toBe(409);
      expect((await ask("POST", `/internal/members/${id}/reset`, {})).status).toBe(409);
      expect((await ask("DELETE", `/internal/members/${id}`)).status).toBe(409);
    });

    test("everybody may pick a name, and learns no more than that", async () => {
      const { cookie } = await signIn(target(), "member");
      const { body } = await call(target(), "GET", "/internal/members/names", { cookie });
      const items = body["items"] as Record<string, unknown>[];
      expect(items).toContainEqual({ id: target().installation.made.agent.id, name: "Agent", role: "agent" });
      for (const item of items) expect(Object.keys(item).sort()).toEqual(["id", "name", "role"]);
    });
  },
  ["over loopback"],
);

describeTargets(
  "the last admin",
  (target) => {
    test("of two admins who demote each other at the same time, one stays", async () => {
      const first = await entered(target());
      const second = await secondAdmin(target(), first);
      const { store } = target().installation.ctx;
      const hashOf = "select password_hash as hash from member where id = $1";
      const password = (await store.one<{ hash: string }>(hashOf, [first.id]))?.hash ?? "";
      const [one, two] = await Promise.all([
        call(target(), "PATCH", `/internal/members/${second.id}`, { cookie: first.cookie, body: { role: "member" } }),
        call(target(), "DELETE", `/internal/members/${first.id}`, { cookie: second.cookie }),
      ]);
      const admins = await store.all(
        "select id from member where role = 'admin' and removed_at is null and password_hash is not null",
      );
      // Whoever was second is out; the next test needs the first one.
      await store.write((tx) => tx.run("update member set password_hash = $2 where id = $1", [first.id, password]));
      expect([admins.length, [one.status, two.status].filter((status) => status === 200).length]).toEqual([1, 1]);
    });

    test("stays, also while another one is only invited", async () => {
      const { ctx, made } = target().installation;
      await ctx.store.write(function* (tx) {
        yield* tx.run("update member set role = 'admin', removed_at = null where id = $1", [made.admin.id]);
        yield* tx.run("update member set role = 'member' where id <> $1 and role = 'admin'", [made.admin.id]);
      });
      const { cookie, id } = await entered(target());
      const invited = { email: "invited@example.org", name: "Invited", role: "admin" };
      expect((await call(target(), "POST", "/internal/members", { cookie, body: invited })).status).toBe(200);
      for (const [method, body] of [
        ["PATCH", { role: "member" }],
        ["DELETE", undefined],
      ] as const) {
        const refused = await call(target(), method, `/internal/members/${id}`, { cookie, body });
        expect(refused).toMatchObject({
          status: 409,
          body: { message: "This is the only admin. Make someone else admin first." },
        });
      }
      expect((await call(target(), "POST", `/internal/members/${id}/reset`, { cookie, body: {} })).status).toBe(409);
      await expect(setRole({ ctx, input: { id, role: "member" } })).rejects.toThrow("only admin");
    });
  },
  ["over loopback"],
);

async function memberOf(
  ask: (method: string, path: string) => Promise<{ body: Record<string, unknown> }>,
  id: string,
): Promise<MemberView | undefined> {
  const { body } = await ask("GET", "/internal/members");
  return (body["items"] as MemberView[]).find((member) => member.id === id);
}

/** The admin of the installation, who has a password. */
async function entered(target: Target): Promise<{ id: string; cookie: string }> {
  const body = { email: "admin@example.org", password: "correct horse battery" };
  const answer = await call(target, "POST", "/internal/session", { body });
  return { id: target.installation.made.admin.id, cookie: cookieOf(answer) };
}

async function secondAdmin(target: Target, { cookie }: { cookie: string }): Promise<{ id: string; cookie: string }> {
  const body = { email: "second@example.org", name: "Second", role: "admin" };
  const { body: made } = await call(target, "POST", "/internal/members", { cookie, body });
  const { id, inviteUrl } = made as { id: string; inviteUrl: string };
  const secret = new URL(inviteUrl).hash.slice(1);
  const joined = await call(target, "POST", "/internal/invitations/accept", { body: { secret, password } });
  return { id, cookie: cookieOf(joined) };
}
