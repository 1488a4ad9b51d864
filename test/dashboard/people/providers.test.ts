import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SignJWT, UnsecuredJWT } from "jose";
import { listAudit } from "../../../server/organisation/list-audit.ts";
import { BrowserAtProvider } from "../../support/browser-at-provider.ts";
import { cookieOf } from "../../support/call.ts";
import { IdentityProvider } from "../../support/identity-provider.ts";
import { add, member, somebody, update } from "../../support/providers.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

const adminPassword = "correct horse battery";

describeTargets(
  "signing in with a provider",
  (target) => {
    let honest: IdentityProvider;
    let other: IdentityProvider;
    /** Says that it signs with anything. */
    let lax: IdentityProvider;

    beforeAll(async () => {
      [honest, other, lax] = await Promise.all([
        IdentityProvider.start(),
        IdentityProvider.start(),
        IdentityProvider.start(),
      ]);
      lax.manners.metadata = { id_token_signing_alg_values_supported: ["none", "HS256", "RS256"] };
      await add(target(), lax, "lax", { newMembers: "yes" });
      await add(target(), honest, "honest", { newMembers: "yes" });
      await add(target(), other, "other", { newMembers: "yes" });
    });
    afterAll(() => Promise.all([honest.stop(), other.stop(), lax.stop()]));
    afterEach(async () => {
      for (const provider of [honest, other, lax]) {
        provider.manners = {};
        provider.who = somebody();
      }
      await update(target(), "honest", {
        newMembers: "yes",
        ...{ adminGroups: [], memberGroups: [], domains: [], state: "enabled", groupsClaim: null },
      });
    });

    /** Signs in where it must not work, and returns the reason that the sign-in page is told. */
    async function failureOf(browser = new BrowserAtProvider(target()), provider = "honest") {
      const place = await browser.signIn(provider).catch((error) => String(error));
      expect(await browser.me()).toBeUndefined();
      return new URL(place, "http://intake.invalid").searchParams.get("failed");
    }

    test("makes a member where the provider is set so, and finds the same one again", async () => {
      honest.who = somebody({ name: "Grace" });
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest", "/runs?state=failed#top")).toBe("/runs?state=failed#top");
      const me = await browser.me();
      expect(me).toMatchObject({ name: "Grace", email: honest.who["email"], role: "member" });
      const again = new BrowserAtProvider(target());
      expect(await again.signIn("honest")).toBe("/");
      expect((await again.me())?.["id"]).toBe(me?.["id"]);
      expect([...again.cookies.keys()]).toEqual(["__Host-intake"]);
    });

    test("asks with a code, PKCE, state and nonce, to an address of this provider alone", async () => {
      const browser = new BrowserAtProvider(target());
      const asked = new URL(await browser.begin("honest")).searchParams;
      expect(Object.fromEntries(asked)).toEqual({
        client_id: "intake",
        redirect_uri: `${target().url}/sign-in/callback/honest`,
        response_type: "code",
        scope: "openid profile email",
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(new URL(await browser.begin("honest")).searchParams.get("state")).not.toBe(asked.get("state"));
    });

    test("the cookie of a sign-in is the browser's alone, for ten minutes, and says nothing", async () => {
      const response = await new BrowserAtProvider(target()).request("/internal/session/provider", {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
        body: JSON.stringify({ provider: "honest" }),
      });
      const set = response.headers.get("set-cookie") ?? "";
      expect(set).toMatch(/^__Host-intake-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
      expect(Buffer.from(cookieOf(response).split("=")[1] ?? "", "base64url").toString("latin1")).not.toContain(
        "state",
      );
    });

    test("another site begins none", async () => {
      const response = await new BrowserAtProvider(target()).request("/internal/session/provider", {
        method: "POST",
        headers: { "sec-fetch-site": "cross-site", "content-type": "application/json" },
        body: JSON.stringify({ provider: "honest" }),
      });
      expect(response.status).toBe(403);
    });

    test("an answer without, or with the cookie of another browser's sign-in is refused (login CSRF)", async () => {
      const attacker = new BrowserAtProvider(target());
      const back = await attacker.atProvider(await attacker.begin("honest"));
      const victim = new BrowserAtProvider(target());
      expect(await victim.comeBack(back)).toBe("/sign-in?failed=stale&with=honest");
      await victim.begin("honest");
      expect(await victim.comeBack(back)).toBe("/sign-in?failed=bad_answer&with=honest");
      expect(await victim.me()).toBeUndefined();
    });

    test.each([
      ["another state", (back: URL) => back.searchParams.set("state", "x".repeat(43)), "bad_answer"],
      ["no state", (back: URL) => back.searchParams.delete("state"), "bad_answer"],
      ["two states", (back: URL) => back.searchParams.append("state", "x"), "bad_answer"],
      ["another issuer", (back: URL) => back.searchParams.set("iss", "https://elsewhere.example"), "bad_answer"],
      ["no issuer, where the provider names it always", (back: URL) => back.searchParams.delete("iss"), "bad_answer"],
      ["another code", (back: URL) => back.searchParams.set("code", "guessed"), "bad_answer"],
      ["an error", (back: URL) => back.searchParams.set("error", "access_denied"), "cancelled"],
    ] as const)("an answer with %s is refused", async (_, change, failure) => {
      const browser = new BrowserAtProvider(target());
      const back = await browser.atProvider(await browser.begin("honest"));
      change(back);
      expect(await browser.comeBack(back)).toBe(`/sign-in?failed=${failure}&with=honest`);
      expect(await browser.me()).toBeUndefined();
    });

    test("an answer counts once, also when a careless provider takes its code again", async () => {
      honest.manners = { careless: true };
      const browser = new BrowserAtProvider(target());
      const back = await browser.atProvider(await browser.begin("honest"));
      const kept = browser.cookies.get("__Host-intake-sign-in") ?? "";
      expect(await browser.comeBack(back)).toBe("/");
      const again = new BrowserAtProvider(target());
      again.cookies.set("__Host-intake-sign-in", kept);
      expect(await again.comeBack(back)).toBe("/sign-in?failed=stale&with=honest");
      expect(await again.me()).toBeUndefined();
    });

    test("a code is worth nothing without the verifier of this browser", async () => {
      const attacker = new BrowserAtProvider(target());
      const stolen = await attacker.atProvider(await attacker.begin("honest"));
      const browser = new BrowserAtProvider(target());
      const own = await browser.atProvider(await browser.begin("honest"));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      expect(await browser.comeBack(own)).toBe("/sign-in?failed=bad_answer&with=honest");
    });

    test("one provider's answer does not count as another's (mix-up)", async () => {
      const browser = new BrowserAtProvider(target());
      const begun = new URL(await browser.begin("honest"));
      // The other provider answers what was begun at the honest one, at the address of either.
      const back = await browser.atProvider(`${other.url}/authorize${begun.search}`);
      const cookies = new Map(browser.cookies);
      expect(await browser.comeBack(back)).toBe("/sign-in?failed=bad_answer&with=honest");
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      back.pathname = "/sign-in/callback/other";
      expect(await browser.comeBack(back)).toStartWith("/sign-in?failed=stale&with=other");
      expect(other.asked).not.toContain("/token");
      expect(await browser.me()).toBeUndefined();
    });

    const seconds = () => Math.floor(Date.now() / 1_000);
    test.each([
      ["another nonce", { nonce: "x" }],
      ["no nonce", { nonce: undefined }],
      ["another issuer", { iss: "https://elsewhere.example" }],
      ["another audience", { aud: "another-client" }],
      ["several audiences and another authorized party", { aud: ["intake", "another"], azp: "another" }],
      ["no audience", { aud: undefined }],
      ["no subject", { sub: undefined }],
      ["no end", { exp: undefined }],
      ["an end 61 s ago", { exp: () => seconds() - 62 }],
      ["a beginning in 61 s", { nbf: () => seconds() + 65 }],
      ["a birth in 61 s", { iat: () => seconds() + 65 }],
      ["a birth an hour ago", { iat: () => seconds() - 3_600 }],
    ])("an id token with %s is refused", async (_, claims) => {
      const now = Object.entries(claims).map(([name, value]) => [name, typeof value === "function" ? value() : value]);
      honest.manners = { claims: Object.fromEntries(now) };
      expect(await failureOf()).toBe("bad_answer");
    });

    test("clocks may differ by a minute", async () => {
      honest.manners = { claims: { exp: seconds() - 50, iat: seconds() + 50, nbf: seconds() + 50 } };
      expect(await new BrowserAtProvider(target()).signIn("honest")).toBe("/");
    });

    test.each([
      ["alg none", (claims: Record<string, unknown>) => new UnsecuredJWT(claims).encode()],
      [
        "the public key as a shared secret (HS256)",
        (claims: Record<string, unknown>, { publicPem, kid }: IdentityProvider) =>
          new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(new TextEncoder().encode(publicPem)),
      ],
      [
        "the client's secret (HS256)",
        (claims: Record<string, unknown>, { secret }: IdentityProvider) =>
          new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret.padEnd(32))),
      ],
      [
        "a key of another provider",
        (claims: Record<string, unknown>, { kid }: IdentityProvider) => other.token(claims, { kid }),
      ],
      [
        "a key that it names itself",
        async (claims: Record<string, unknown>) => other.token(claims, { jku: `${other.url}/jwks`, kid: "key-9" }),
      ],
      ["a changed claim", async (claims: Record<string, unknown>) => forged(await honest.token(claims))],
    ])("an id token with %s is refused", async (_, sign) => {
      for (const provider of [honest, lax]) {
        provider.manners.sign = sign;
        expect(await failureOf(undefined, provider === lax ? "lax" : "honest")).toBe("bad_answer");
      }
    });

    test("a new key of the provider is fetched, and the former one counts no longer", async () => {
      const former = await honest.token({});
      const [, kid] = [await honest.rotate(), honest.kid];
      expect(
        await until(async () => ((await new BrowserAtProvider(target()).signIn("honest")) === "/" ? kid : undefined)),
      ).toBe(kid);
      honest.manners = { sign: () => former };
      expect(await failureOf()).toBe("bad_answer");
    });

    test("an unverified e-mail address is nobody's", async () => {
      const { email } = await member(target());
      await update(target(), "honest", { domains: ["example.org"], newMembers: "no" });
      for (const email_verified of [false, undefined, "true", 1]) {
        honest.who = somebody({ email, email_verified });
        expect(await failureOf()).toBe("no_account");
      }
      // A new member has no address that the provider does not vouch for.
      await update(target(), "honest", { domains: [], newMembers: "yes" });
      honest.who = somebody({ email, email_verified: false });
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      expect((await browser.me())?.["email"]).toBeNull();
    });

    test("a verified address links only where an admin has allowed its domain", async () => {
      const { id, email } = await member(target());
      honest.who = somebody({ email });
      expect(await failureOf()).toBe("no_account");
      await update(target(), "honest", { domains: ["elsewhere.example", "ample.org"] });
      expect(await failureOf()).toBe("no_account");
      await update(target(), "honest", { domains: ["example.org"] });
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      expect((await browser.me())?.["id"]).toBe(id);
      // From now on the subject counts, whatever the address becomes.
      honest.who = { ...honest.who, email: "renamed@elsewhere.example" };
      expect(await browser.signIn("honest")).toBe("/");
      expect((await browser.me())?.["id"]).toBe(id);
    });

    test("the same address with another subject is another person, also when the name is the same", async () => {
      await update(target(), "honest", { domains: ["example.org"] });
      const { email } = await member(target());
      honest.who = somebody({ email, name: "Grace" });
      const { sub } = honest.who;
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      honest.who = somebody({ email, name: "Grace" });
      expect(await failureOf()).toBe("other_person");
      honest.who = somebody({ email, name: "Grace", sub: sub.toUpperCase() });
      expect(await failureOf()).toBe("other_person");
      expect(await browser.me()).toBeDefined();
    });

    test("an admin is linked only after the password was given once", async () => {
      await update(target(), "honest", { domains: ["example.org"] });
      honest.who = somebody({ email: "admin@example.org" });
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest", "/runs")).toBe("/sign-in?failed=password&with=honest&next=%2Fruns");
      expect(await browser.me()).toBeUndefined();
      expect((await browser.call("POST", "/internal/session/pending-link", {})).status).toBe(401);

      // Another account does not take the link.
      const stranger = new BrowserAtProvider(target());
      stranger.cookies.set("__Host-intake-link", browser.cookies.get("__Host-intake-link") ?? "");
      const { session } = await member(target());
      stranger.cookies.set("__Host-intake", session);
      expect((await stranger.call("POST", "/internal/session/pending-link", {})).status).toBe(404);

      const given = { email: "admin@example.org", password: adminPassword };
      expect((await browser.call("POST", "/internal/session", given)).status).toBe(200);
      const linked = await browser.call("POST", "/internal/session/pending-link", {});
      expect(linked).toEqual({ status: 200, body: { provider: "honest" } });
      const later = new BrowserAtProvider(target());
      expect(await later.signIn("honest", "/runs")).toBe("/runs");
      expect((await later.me())?.["role"]).toBe("admin");
    });

    test("groups decide about the role at each sign-in, and who lost all of them loses the session", async () => {
      await update(target(), "honest", {
        adminGroups: ["admins"],
        memberGroups: ["staff"],
        groupsClaim: "realm.roles",
      });
      honest.who = somebody({ realm: { roles: ["staff", "admins"] } });
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      expect((await browser.me())?.["role"]).toBe("admin");
      honest.who = { ...honest.who, realm: { roles: ["staff"] } };
      const second = new BrowserAtProvider(target());
      expect(await second.signIn("honest")).toBe("/");
      expect((await second.me())?.["role"]).toBe("member");
      // The session with the former role has ended.
      expect(await browser.me()).toBeUndefined();
      honest.who = { ...honest.who, realm: { roles: "everybody" } };
      expect(await failureOf()).toBe("no_group");
      expect(await second.me()).toBeUndefined();
    });

    test("the last admin stays admin, whatever the groups say", async () => {
      await update(target(), "honest", { domains: ["example.org"], memberGroups: ["staff"], adminGroups: ["admins"] });
      const { ctx } = target().installation;
      const subject = crypto.randomUUID();
      const admin = target().installation.made.admin.id;
      await ctx.store.write(function* (tx) {
        yield* tx.run("update member set role = 'member' where role = 'admin' and id <> $1", [admin]);
        yield* tx.run("insert into identity (issuer, subject, member_id, created_at) values ($1, $2, $3, 0)", [
          honest.url,
          subject,
          admin,
        ]);
      });
      honest.who = { sub: subject, groups: ["staff"] };
      const browser = new BrowserAtProvider(target());
      expect(await browser.signIn("honest")).toBe("/");
      expect(await browser.me()).toMatchObject({ id: admin, role: "admin" });
      await ctx.store.write((tx) => tx.run("delete from identity where subject = $1", [subject]));
    });

    test("a removed member stays out", async () => {
      honest.who = somebody();
      const browser = new BrowserAtProvider(target());
      await browser.signIn("honest");
      const id = String((await browser.me())?.["id"]);
      const { ctx } = target().installation;
      await ctx.store.write((tx) => tx.run("update member set removed_at = 1 where id = $1", [id]));
      expect(await failureOf(browser)).toBe("removed");
    });

    test("the session is a new one, and the one that the browser had ends (fixation)", async () => {
      const { session } = await member(target());
      const browser = new BrowserAtProvider(target());
      browser.cookies.set("__Host-intake", session);
      honest.who = somebody();
      await browser.signIn("honest");
      expect(browser.cookies.get("__Host-intake")).not.toBe(session);
      const former = new BrowserAtProvider(target());
      former.cookies.set("__Host-intake", session);
      expect(await former.me()).toBeUndefined();
    });

    test.each([
      "//elsewhere.example",
      "/\\elsewhere.example",
      "/\t/elsewhere.example",
      "https://elsewhere.example/",
      "javascript:alert(1)",
      "/..//elsewhere.example",
      "/.//elsewhere.example",
      "/\\/elsewhere.example",
      "/\n/elsewhere.example",
      "\u0001//elsewhere.example",
      " //elsewhere.example",
      "/../..//elsewhere.example",
      "http:elsewhere.example",
      "//elsewhere.example%2f@intake.invalid/",
      `/${"a".repeat(2_000)}`,
      "",
    ])("a sign-in leads nowhere else: %p", async (next) => {
      honest.who = somebody();
      expect(await new BrowserAtProvider(target()).signIn("honest", next)).toBe("/");
    });

    test.each([
      ["/%2felsewhere.example", "/%2felsewhere.example"],
      ["/%5celsewhere.example", "/%5celsewhere.example"],
      ["/runs?next=//elsewhere.example", "/runs?next=//elsewhere.example"],
      ["/runs\r\nset-cookie: a=b", "/runsset-cookie:%20a=b"],
      ["/\u00fcber/\u202ecod.exe", "/%C3%BCber/%E2%80%AEcod.exe"],
    ])("what is encoded in the path stays so, and nothing of it becomes a header: %p", async (next, place) => {
      honest.who = somebody();
      expect(await new BrowserAtProvider(target()).signIn("honest", next)).toBe(place);
    });

    test("what could do harm asks for the password, as the provider has not said when it was given", async () => {
      await update(target(), "honest", { adminGroups: ["admins"] });
      honest.who = somebody({ groups: ["admins"] });
      honest.manners = { claims: { auth_time: undefined } };
      const browser = new BrowserAtProvider(target());
      await browser.signIn("honest");
      const body = { email: "new@example.org", name: "New", role: "member" };
      expect((await browser.call("POST", "/internal/members", body)).body["error"]).toBe("password_required");

      // The provider proves it instead, and says when.
      const confirm = async () => {
        const { body } = await browser.call("POST", "/internal/session/confirm", { provider: "honest" });
        const url = new URL(String(body["url"]));
        expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
        return browser.comeBack(await browser.atProvider(url.href));
      };
      expect(await confirm()).toBe("/settings/profile?failed=bad_answer&with=honest");
      honest.manners = { claims: { auth_time: seconds() - 3_600 } };
      expect(await confirm()).toBe("/settings/profile?failed=bad_answer&with=honest");
      honest.manners = {};
      const { who } = honest;
      honest.who = somebody();
      expect(await confirm()).toBe("/settings/profile?failed=other_account&with=honest");
      honest.who = who;
      expect((await browser.call("POST", "/internal/members", body)).body["error"]).toBe("password_required");
      expect(await confirm()).toBe("/settings/profile?confirmed=honest");
      expect((await browser.call("POST", "/internal/members", body)).status).toBe(200);
    });

    test("a disabled provider lets nobody in, also who has begun before", async () => {
      const browser = new BrowserAtProvider(target());
      const back = await browser.atProvider(await browser.begin("honest"));
      await update(target(), "honest", { state: "disabled" });
      expect(await browser.comeBack(back)).toBe("/sign-in?failed=disabled&with=honest");
      expect((await browser.call("POST", "/internal/session/provider", { provider: "honest" })).status).toBe(404);
      expect((await browser.call("POST", "/internal/session/provider", { provider: "nobody" })).status).toBe(404);
    });

    test.each([
      ["is broken", () => new Response("down", { status: 503 })],
      ["answers no JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
      ["redirects", () => Response.redirect("https://elsewhere.example/", 302)],
      [
        "never ends its answer",
        () =>
          new Response(
            new ReadableStream({
              pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
            }),
            { headers: { "content-type": "application/json" } },
          ),
      ],
    ])("passwords work while a provider %s", async (_, answer) => {
      for (const path of ["/.well-known/openid-configuration", "/token", "/jwks"]) {
        const broken = await IdentityProvider.start();
        const id = `broken-${broken.url.split(":").at(-1)}`;
        await add(target(), broken, id, { newMembers: "yes" });
        broken.manners = { answer: (asked) => (asked === path ? answer() : undefined) };
        const browser = new BrowserAtProvider(target());
        if (path.startsWith("/.well-known")) {
          const { status, body } = await browser.call("POST", "/internal/session/provider", { provider: id });
          expect([status, body["error"]]).toEqual([503, "service_unavailable"]);
          expect(body["message"]).toBe(`${id} cannot be reached at the moment.`);
        } else expect(["unreachable", "bad_answer"]).toContain((await failureOf(browser, id)) ?? "");
        await broken.stop();
      }
      const given = { email: "admin@example.org", password: adminPassword };
      expect((await new BrowserAtProvider(target()).call("POST", "/internal/session", given)).status).toBe(200);
    });

    test("endpoints that are no web addresses, or another issuer in the discovery document, are refused", async () => {
      for (const metadata of [
        { authorization_endpoint: "javascript:alert(1)" },
        { token_endpoint: undefined },
        { jwks_uri: "file:///etc/passwd" },
        { issuer: "https://elsewhere.example" },
      ]) {
        const broken = await IdentityProvider.start();
        const id = `odd-${broken.url.split(":").at(-1)}`;
        await add(target(), broken, id, {});
        broken.manners = { metadata };
        const browser = new BrowserAtProvider(target());
        expect((await browser.call("POST", "/internal/session/provider", { provider: id })).status).toBe(503);
        await broken.stop();
      }
    });

    test("every sign-in and every change is in the audit log, and no secret", async () => {
      const { items } = await listAudit({ ctx: target().installation.ctx, input: { limit: 200 } });
      const actions = new Set(items.map(({ action }) => action));
      for (const action of [
        "provider.add",
        "provider.update",
        "member.add",
        "member.link",
        "member.role",
        "session.create",
        "session.refuse",
        "session.confirm",
      ]) {
        expect(actions).toContain(action);
      }
      expect(JSON.stringify(items)).not.toContain(honest.secret);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);

function forged(token: string): string {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  return [header, Buffer.from(JSON.stringify({ ...claims, sub: "root" })).toString("base64url"), signature].join(".");
}
