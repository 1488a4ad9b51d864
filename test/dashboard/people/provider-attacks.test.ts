import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { CompactSign } from "jose";
import { removeProvider } from "../../../server/providers/remove-provider.ts";
import { BrowserAtProvider } from "../../support/browser-at-provider.ts";
import { IdentityProvider } from "../../support/identity-provider.ts";
import { add, member, somebody, update } from "../../support/providers.ts";
import { describeTargets } from "../../support/targets.ts";

// A provider that hangs has some seconds for each answer.
setDefaultTimeout(180_000);

const told = "http://schemas.openid.net/event/backchannel-logout";
const seconds = () => Math.floor(Date.now() / 1_000);

describeTargets(
  "attacks on signing in with a provider",
  (target) => {
    let honest: IdentityProvider;
    let other: IdentityProvider;

    beforeAll(async () => {
      [honest, other] = await Promise.all([IdentityProvider.start(), IdentityProvider.start()]);
      await add(target(), honest, "honest", { newMembers: "yes" });
      await add(target(), other, "other", { newMembers: "yes" });
    });
    afterAll(() => Promise.all([honest.stop(), other.stop()]));
    afterEach(async () => {
      for (const provider of [honest, other]) {
        provider.manners = {};
        provider.who = somebody();
      }
      await update(target(), "honest", { newMembers: "yes", domains: [] });
    });

    const browser = () => new BrowserAtProvider(target());
    const failureAt = (place: string) => new URL(place, "http://intake.invalid").searchParams.get("failed");

    async function signedIn(provider = "honest") {
      const signedIn = browser();
      expect(await signedIn.signIn(provider)).toBe("/");
      return signedIn;
    }

    async function tokenAbout(claims: Record<string, unknown>) {
      const all = { iss: honest.url, aud: "intake", iat: seconds(), exp: seconds() + 120, jti: crypto.randomUUID() };
      return honest.token({ ...all, events: { [told]: {} }, ...claims });
    }

    async function tell(token: string) {
      const response = await target().send("/sign-in/logout/honest", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
      return response.status;
    }

    test.each([
      ["too long", "x".repeat(256)],
      ["empty", ""],
      ["with control characters", "ada\u0000"],
    ])("a subject that is %s is nobody, and not the same person as the next one", async (_, sub) => {
      honest.who = somebody({ sub });
      expect(failureAt(await browser().signIn("honest"))).toBe("bad_answer");
    });

    test.each([
      // Their small forms are k and å; that of the third one is two letters, i and a dot.
      ["the Kelvin sign", "k", "\u212a"],
      ["a full-width letter", "a", "\uff21"],
      ["a Turkish I", "i", "\u0130"],
      ["a Cyrillic letter", "a", "\u0430"],
    ])("an address with %s is not the member's that looks like it", async (_, letter, lookalike) => {
      await update(target(), "honest", { domains: ["example.org"], newMembers: "no" });
      const { id, email } = await member(target());
      const named = `${letter}${email}`;
      await target().installation.ctx.store.write((tx) =>
        tx.run("update member set email = $2 where id = $1", [id, named]),
      );
      honest.who = somebody({ email: `${lookalike}${email}` });
      expect(failureAt(await browser().signIn("honest"))).toBe("no_account");
      honest.who = somebody({ email: ` ${named.toUpperCase()}` });
      const right = browser();
      expect(await right.signIn("honest")).toBe("/");
      expect((await right.me())?.["id"]).toBe(id);
    });

    test("an account that was made with somebody's address at a provider that may not vouch for it waits for nobody", async () => {
      await update(target(), "honest", { domains: ["example.org"] });
      const email = "victim@example.org";
      other.who = somebody({ email });
      const attacker = await signedIn("other");
      expect((await attacker.me())?.["email"]).toBe(email);

      honest.who = somebody({ email });
      const victim = browser();
      expect(failureAt(await victim.signIn("honest"))).toBe("other_provider");
      expect(await victim.me()).toBeUndefined();
      // Once the other provider may vouch for such addresses too, it is the same person.
      await update(target(), "other", { domains: ["example.org"] });
      expect(await victim.signIn("honest")).toBe("/");
      expect((await victim.me())?.["id"]).toBe((await attacker.me())?.["id"]);
      await update(target(), "other", { domains: [] });
    });

    test("of many answers with one state at the same time one counts, also when a careless provider takes the code again", async () => {
      honest.manners = { careless: true };
      const first = browser();
      const back = await first.atProvider(await first.begin("honest"));
      const racing = Array.from({ length: 8 }, () => {
        const racer = browser();
        for (const [name, value] of first.cookies) racer.cookies.set(name, value);
        return racer;
      });
      const places = await Promise.all(racing.map((racer) => racer.comeBack(back)));
      expect(places.filter((place) => place === "/")).toHaveLength(1);
      expect(new Set(places.filter((place) => place !== "/").map(failureAt))).toEqual(new Set(["stale"]));
      const people = await Promise.all(racing.map((racer) => racer.me()));
      expect(people.filter((one) => one !== undefined)).toHaveLength(1);
    });

    test("of two people who come at the same time with one address, one is linked to its member", async () => {
      await update(target(), "honest", { domains: ["example.org"], newMembers: "no" });
      const { id, email } = await member(target());
      const comings: { one: BrowserAtProvider; back: URL }[] = [];
      for (let at = 0; at < 4; at++) {
        const one = browser();
        honest.who = somebody({ email });
        comings.push({ one, back: await one.atProvider(await one.begin("honest")) });
      }
      const places = await Promise.all(comings.map(({ one, back }) => one.comeBack(back)));
      expect(places.filter((place) => place === "/")).toHaveLength(1);
      const linked = await target().installation.ctx.store.all("select subject from identity where member_id = $1", [
        id,
      ]);
      expect(linked).toHaveLength(1);
    });

    test("a sign-in that only began leaves no row, however many there are", async () => {
      const rows = async () => {
        const { store } = target().installation.ctx;
        const counts = ["used_once", "session", "audit", "identity", "member"].map((table) =>
          store.one<{ count: number }>(`select cast(count(*) as integer) as count from ${table}`),
        );
        return (await Promise.all(counts)).map((one) => one?.count);
      };
      const before = await rows();
      const begun = await Promise.all(Array.from({ length: 12 }, () => browser().begin("honest")));
      expect(new Set(begun).size).toBe(12);
      expect(await rows()).toEqual(before);
    });

    test.each([
      ["Host", { host: "elsewhere.example" }],
      ["X-Forwarded-Host", { "x-forwarded-host": "elsewhere.example", "x-forwarded-proto": "https" }],
      ["Forwarded", { forwarded: "host=elsewhere.example;proto=https" }],
    ])("the header %s changes nothing about where the provider leads", async (_, headers) => {
      const response = await browser().request("/internal/session/provider", {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/json", ...(headers as object) },
        body: JSON.stringify({ provider: "honest", next: "/runs" }),
      });
      const { url } = (await response.json()) as { url: string };
      expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${target().url}/sign-in/callback/honest`);
      expect(response.headers.getSetCookie().join()).not.toContain("Domain");
    });

    test.each(["token_endpoint", "jwks_uri", "userinfo_endpoint"])(
      "a %s inside a network that is not allowed is never asked",
      async (endpoint) => {
        for (const place of ["http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/"]) {
          const hostile = await IdentityProvider.start();
          const id = `inside-${hostile.url.split(":").at(-1)}`;
          await add(target(), hostile, id, { newMembers: "yes" });
          hostile.manners = { metadata: { [endpoint]: place }, claims: { email: undefined } };
          const failure = failureAt(await browser().signIn(id));
          expect([place, failure]).toEqual([place, "unreachable"]);
          await hostile.stop();
        }
      },
    );

    test("a list of four hundred keys is read, one of more than 256 KiB is not", async () => {
      const many = await IdentityProvider.start();
      await add(target(), many, "many-keys", { newMembers: "yes" });
      const list = async (count: number) => {
        const { keys } = (await (await fetch(`${many.url}/jwks`)).json()) as { keys: object[] };
        const copies = Array.from({ length: count }, (_, at) => ({ ...keys[0], kid: `copy-${at}` }));
        many.manners = {
          answer: (path) => (path === "/jwks" ? Response.json({ keys: [...copies, ...keys] }) : undefined),
        };
      };
      await list(1_000);
      expect(failureAt(await browser().signIn("many-keys"))).toBe("unreachable");
      many.manners = {};
      await list(400);
      expect(await browser().signIn("many-keys")).toBe("/");
      await many.stop();
    });

    test("tokens with new names of keys do not make Intake ask the provider again and again", async () => {
      await signedIn();
      const before = honest.asked.filter((path) => path === "/jwks").length;
      const began = performance.now();
      for (let at = 0; at < 60; at++) {
        expect(await tell(await other.token({}, { kid: `unknown-${at}` }))).toBe(400);
      }
      const asked = honest.asked.filter((path) => path === "/jwks").length - before;
      expect(asked).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 2_000));
    });

    test("a provider ends sixty sessions at once, also while strangers send their messages slowly", async () => {
      const { hostname, port } = new URL(target().url);
      const slow = Array.from({ length: 40 }, () => connect(Number(port), hostname));
      const length = 1_000;
      for (const socket of slow) {
        socket.on("error", () => {});
        socket.write(
          `POST /sign-in/logout/honest HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\nlogout_token=`,
        );
      }
      const subjects = await Promise.all(
        Array.from({ length: 6 }, async () => {
          honest.who = somebody();
          const { sub } = honest.who;
          const one = browser();
          const back = await one.atProvider(await one.begin("honest"));
          expect(await one.comeBack(back)).toBe("/");
          return { one, sub };
        }),
      );
      const tokens = await Promise.all(
        Array.from({ length: 60 }, (_, at) => tokenAbout({ sub: subjects[at % 6]?.sub })),
      );
      expect(new Set(await Promise.all(tokens.map(tell)))).toEqual(new Set([200]));
      for (const { one } of subjects) expect(await one.me()).toBeUndefined();
      for (const socket of slow) socket.destroy();
    });

    test("a session whose id the provider has not told ends with any session of the person there", async () => {
      honest.manners = { claims: { sid: undefined } };
      const { sub } = honest.who;
      const signed = await signedIn();
      expect(await tell(await tokenAbout({ sub, sid: "somewhere" }))).toBe(200);
      expect(await signed.me()).toBeUndefined();
    });

    test("claims that are nested tens of thousands of times break nothing, also for the admin who looks at them", async () => {
      const nested = `{"deep":${"[".repeat(50_000)}${"]".repeat(50_000)},`;
      const sign = (claims: Record<string, unknown>) =>
        new CompactSign(new TextEncoder().encode(nested + JSON.stringify(claims).slice(1)))
          .setProtectedHeader({ alg: "RS256", kid: honest.kid })
          .sign(honest.key);
      honest.manners = { sign };
      expect(await browser().signIn("honest")).toBe("/");

      const admin = browser();
      const given = { email: "admin@example.org", password: "correct horse battery" };
      expect((await admin.call("POST", "/internal/session", given)).status).toBe(200);
      const { body } = await admin.call("POST", "/internal/providers/honest/try", {});
      expect(await admin.comeBack(await admin.atProvider(String(body["url"])))).toStartWith("/settings/sign-in?");
      honest.manners = {};
      expect(await browser().signIn("honest")).toBe("/");
    });

    test("a provider that is removed meanwhile lets nobody in, and says so on the sign-in page", async () => {
      const short = await IdentityProvider.start();
      await add(target(), short, "short", { newMembers: "yes" });
      const one = browser();
      const back = await one.atProvider(await one.begin("short"));
      await removeProvider({ ctx: target().installation.ctx, input: { id: "short" } });
      expect(await one.comeBack(back)).toBe("/sign-in?failed=disabled&with=short");
      await short.stop();
    });

    test("while a provider hangs, others and passwords work, and whoever waits for it is told on the sign-in page", async () => {
      // The token comes once another provider was given up for its keys, and what is asked then never comes: together
      // longer than a connection lasts on which nothing comes.
      const keyless = await IdentityProvider.start();
      await add(target(), keyless, "keyless", { newMembers: "yes" });
      const never = new Promise<never>(() => {});
      keyless.manners = { answer: (path) => (path === "/jwks" ? never : undefined) };
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
      other.manners = {
        claims: { email: undefined },
        answer: (path) => {
          if (path === "/token") asked.resolve();
          return path === "/token" ? released.promise : path === "/userinfo" ? never : undefined;
        },
      };
      const waiting = await Promise.all(
        Array.from({ length: 16 }, async () => {
          const one = browser();
          return { one, back: await one.atProvider(await one.begin("other")) };
        }),
      );
      const places = waiting.map(({ one, back }) => one.comeBack(back));
      await asked.promise;
      await signedIn("honest");
      const given = { email: "admin@example.org", password: "correct horse battery" };
      expect((await browser().call("POST", "/internal/session", given)).status).toBe(200);
      expect(failureAt(await browser().signIn("keyless"))).toBe("unreachable");
      released.resolve(undefined);
      expect(new Set((await Promise.all(places)).map(failureAt))).toEqual(new Set(["unreachable"]));
      await keyless.stop();
    });

    test("with every provider gone passwords and sessions work on, and people are told which one cannot be reached", async () => {
      const signed = await signedIn();
      const begun = browser();
      const back = await begun.atProvider(await begun.begin("honest"));
      await Promise.all([honest.stop(), other.stop()]);
      expect(await signed.me()).toBeDefined();
      expect(failureAt(await begun.comeBack(back))).toBe("unreachable");
      const given = { email: "admin@example.org", password: "correct horse battery" };
      const admin = browser();
      expect((await admin.call("POST", "/internal/session", given)).status).toBe(200);
      const tested = await admin.call("POST", "/internal/providers/other/test", {});
      expect(tested.status).toBe(409);
      expect(tested.body["message"]).toContain("cannot be reached (ECONNREFUSED)");
      expect((await admin.call("DELETE", "/internal/session")).status).toBe(200);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);

describeTargets(
  "many people behind one address",
  (target) => {
    test("thirty sign in within a minute; who comes back after that is told on the page, and nothing more begins", async () => {
      const provider = await IdentityProvider.start();
      await add(target(), provider, "honest", { newMembers: "yes" });
      const browser = () => new BrowserAtProvider(target());
      const last = browser();
      const back = await last.atProvider(await last.begin("honest", "/runs"));
      for (let person = 0; person < 29; person++) {
        provider.who = somebody();
        expect(await browser().signIn("honest")).toBe("/");
      }
      await browser().begin("honest");
      expect(await last.comeBack(back)).toBe("/sign-in?failed=busy&with=honest&next=%2Fruns");
      expect((await browser().call("POST", "/internal/session/provider", { provider: "honest" })).status).toBe(429);
      await provider.stop();
    });
  },
  ["over loopback"],
);
