import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { UnsecuredJWT } from "jose";
import { makeSignInLink } from "../../../server/accounts/sign-in-link.ts";
import { setSetting } from "../../../server/core/settings.ts";
import { BrowserAtProvider } from "../../support/browser-at-provider.ts";
import { IdentityProvider } from "../../support/identity-provider.ts";
import { add, member, somebody, update } from "../../support/providers.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { describeTargets } from "../../support/targets.ts";

setDefaultTimeout(180_000);
quickPasswords();

const told = "http://schemas.openid.net/event/backchannel-logout";
const admin = { email: "admin@example.org", password: "correct horse battery" };

describeTargets(
  "sessions that began at a provider",
  (target) => {
    let provider: IdentityProvider;
    let other: IdentityProvider;

    beforeAll(async () => {
      [provider, other] = await Promise.all([IdentityProvider.start(), IdentityProvider.start()]);
      await add(target(), provider, "honest", { newMembers: "yes", sessionDays: 3, signOut: "provider" });
      await add(target(), other, "other", { newMembers: "yes" });
    });
    afterAll(() => Promise.all([provider.stop(), other.stop()]));

    async function signedIn(who = somebody(), sid = "session-at-the-provider") {
      provider.who = who;
      provider.manners = { claims: { sid } };
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      return { browser, who };
    }

    const seconds = () => Math.floor(Date.now() / 1_000);
    const logoutClaims = (claims: Record<string, unknown>) => {
      const all = { iss: provider.url, aud: "intake", iat: seconds(), exp: seconds() + 120, jti: crypto.randomUUID() };
      const entries = Object.entries({ ...all, events: { [told]: {} }, ...claims });
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    };
    const tell = async (token: string, id = "honest", headers: Record<string, string> = {}) => {
      const response = await target().send(`/sign-in/logout/${id}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
      return { status: response.status, cache: response.headers.get("cache-control") };
    };

    test("end after the days of the provider", async () => {
      provider.who = somebody();
      const browser = new BrowserAtProvider(target());
      const back = await browser.atProvider(await browser.begin("honest"));
      const response = await browser.request(back.pathname + back.search);
      expect(response.headers.getSetCookie().join()).toContain(`Max-Age=${3 * 86_400};`);
      const me = await browser.me();
      const row = await target().installation.ctx.store.one<{ expires_at: number; created_at: number }>(
        "select expires_at, created_at from session where member_id = $1",
        [String(me?.["id"])],
      );
      expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(3 * 86_400_000);
    });

    test("signing out leads to the provider where it is set so, and the session is gone in any case", async () => {
      const { browser } = await signedIn();
      const { body } = await browser.call("DELETE", "/internal/session");
      const url = new URL(String(body["url"]));
      expect(url.origin + url.pathname).toBe(`${provider.url}/end`);
      expect(url.searchParams.get("client_id")).toBe("intake");
      expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${target().url}/sign-in`);
      expect(url.searchParams.get("id_token_hint")?.split(".")).toHaveLength(3);
      expect(await browser.me()).toBeUndefined();

      const stays = new BrowserAtProvider(target());
      other.who = somebody();
      await stays.signIn("other");
      expect((await stays.call("DELETE", "/internal/session")).body).toMatchObject({ url: null });
    });

    test("end when the provider says so: the session that it names, or all of a person", async () => {
      const who = somebody();
      const [one, two, stranger] = [await signedIn(who, "one"), await signedIn(who, "two"), await signedIn()];
      expect(await tell(await provider.token(logoutClaims({ sub: who.sub, sid: "one" })))).toEqual({
        status: 200,
        cache: "no-store",
      });
      expect(await one.browser.me()).toBeUndefined();
      expect(await two.browser.me()).toBeDefined();
      expect((await tell(await provider.token(logoutClaims({ sub: who.sub })))).status).toBe(200);
      expect(await two.browser.me()).toBeUndefined();
      expect(await stranger.browser.me()).toBeDefined();
    });

    test("of somebody who lost every group are over once the provider says that they ended, and no other begins", async () => {
      await update(target(), "honest", { memberGroups: ["staff"] });
      const { browser, who } = await signedIn(somebody({ groups: ["staff"] }));
      provider.who = { ...who, groups: [] };
      expect(await browser.me()).toBeDefined();
      expect((await tell(await provider.token(logoutClaims({ sub: who.sub })))).status).toBe(200);
      expect(await browser.me()).toBeUndefined();
      expect(await browser.signIn("honest")).toBe("/sign-in?failed=no_group&with=honest");
      await update(target(), "honest", { memberGroups: [] });
    });

    test("do not end a second time by the same token", async () => {
      const { browser, who } = await signedIn();
      const token = await provider.token(logoutClaims({ sub: who.sub }));
      expect((await tell(token)).status).toBe(200);
      expect(await browser.me()).toBeUndefined();
      const again = await signedIn(who);
      expect((await tell(token)).status).toBe(400);
      expect(await again.browser.me()).toBeDefined();
    });

    test("do not end by what no provider has signed for this purpose", async () => {
      const { browser, who } = await signedIn();
      const { sub } = who;
      const wrong: [string, string][] = [
        ["nothing", ""],
        ["no token", "x.y.z"],
        ["alg none", new UnsecuredJWT(logoutClaims({ sub })).encode()],
        ["another key", await other.token(logoutClaims({ sub }), { kid: provider.kid })],
        ["another issuer", await provider.token(logoutClaims({ sub, iss: other.url }))],
        ["another audience", await provider.token(logoutClaims({ sub, aud: "another" }))],
        ["an id token", await provider.token(logoutClaims({ sub, events: undefined, nonce: "n" }))],
        ["a nonce", await provider.token(logoutClaims({ sub, nonce: "n" }))],
        ["another event", await provider.token(logoutClaims({ sub, events: { other: {} } }))],
        ["no jti", await provider.token(logoutClaims({ sub, jti: undefined }))],
        ["no iat", await provider.token(logoutClaims({ sub, iat: undefined }))],
        ["an old one", await provider.token(logoutClaims({ sub, iat: seconds() - 3_600, exp: undefined }))],
        ["an ended one", await provider.token(logoutClaims({ sub, exp: seconds() - 90 }))],
        ["nobody", await provider.token(logoutClaims({}))],
      ];
      for (const [what, token] of wrong) expect([what, (await tell(token)).status]).toEqual([what, 400]);
      const good = await provider.token(logoutClaims({ sub }));
      expect((await tell(good, "other")).status).toBe(400);
      expect((await tell(good, "nobody")).status).toBe(404);
      expect((await tell(good, "%ff")).status).toBe(404);
      expect((await tell(good, "honest", { "content-type": "application/json" })).status).toBe(400);
      expect(await browser.me()).toBeDefined();
      expect((await tell("x".repeat(70_000))).status).toBe(400);
    });

    test("with passwords off, providers and links of the server are the only ways in", async () => {
      const { ctx, made } = target().installation;
      const enter = async () => {
        const browser = new BrowserAtProvider(target());
        return { browser, status: (await browser.call("POST", "/internal/session", admin)).status };
      };
      await setSetting({ ctx, input: { name: "password_sign_in", value: "off" } });
      // No admin is linked to a provider yet, so passwords stay.
      const { browser, status } = await enter();
      expect(status).toBe(200);
      provider.who = somebody();
      provider.manners = {};
      const begun = await browser.call("POST", "/internal/me/identities", { provider: "honest" });
      const back = await browser.atProvider(String(begun.body["url"]));
      expect(await browser.comeBack(back)).toBe("/settings/profile?linked=honest");
      expect((await enter()).status).toBe(403);

      const { signInUrl } = await makeSignInLink({ ctx, input: { id: made.admin.id } });
      const secret = new URL(signInUrl).hash.slice(1);
      const lost = new BrowserAtProvider(target());
      expect((await lost.call("POST", "/internal/session/link", { secret })).status).toBe(200);
      expect(await lost.me()).toMatchObject({ id: made.admin.id, role: "admin" });
      expect((await new BrowserAtProvider(target()).call("POST", "/internal/session/link", { secret })).status).toBe(
        404,
      );

      // A provider that is switched off gives passwords back.
      await update(target(), "honest", { state: "disabled" });
      expect((await enter()).status).toBe(200);
      await update(target(), "honest", { state: "enabled" });
      expect((await enter()).status).toBe(403);
      await setSetting({ ctx, input: { name: "password_sign_in", value: "" } });
      expect((await enter()).status).toBe(200);
    });

    test("a link of the server is void after 15 minutes, for a removed member, and once there is a newer one", async () => {
      const { ctx } = target().installation;
      const { id } = await member(target());
      const link = async (at = ctx.now()) => {
        const { signInUrl } = await makeSignInLink({ ctx: { ...ctx, now: () => at }, input: { id } });
        return new URL(signInUrl).hash.slice(1);
      };
      const use = async (secret: string) =>
        (await new BrowserAtProvider(target()).call("POST", "/internal/session/link", { secret })).status;
      const first = await link();
      const second = await link();
      expect([await use(first), await use(second)]).toEqual([404, 200]);
      expect(await use(await link(ctx.now() - 15 * 60_000))).toBe(404);
      const last = await link();
      await ctx.store.write((tx) => tx.run("update member set removed_at = 1 where id = $1", [id]));
      expect(await use(last)).toBe(404);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
