import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { listAudit } from "../../../server/organisation/list-audit.ts";
import { call, cookieOf } from "../../support/call.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

// A password costs a busy machine its time.
setDefaultTimeout(180_000);
// Not those of the compiled binary.
quickPasswords();

const email = "admin@example.org";
const password = "correct horse battery";

describeTargets(
  "signing in",
  (target) => {
    const enter = (body: unknown, headers: Record<string, string> = {}) =>
      call(target(), "POST", "/internal/session", { body, headers });

    test("the cookie is the browser's alone, and ends with the session", async () => {
      const entered = await enter({ email: " ADMIN@example.org ", password });
      expect(entered.status).toBe(200);
      expect(entered.headers.get("set-cookie")).toMatch(
        /^__Host-intake=\w{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/,
      );
      const cookie = cookieOf(entered);
      const me = await call(target(), "GET", "/internal/me", { cookie });
      expect(me.body).toMatchObject({ email, role: "admin", id: target().installation.made.admin.id });
      const left = await call(target(), "DELETE", "/internal/session", { cookie });
      expect(left.headers.get("set-cookie")).toContain("__Host-intake=; Path=/; Max-Age=0");
      expect((await call(target(), "GET", "/internal/me", { cookie })).status).toBe(401);
    });

    test("a sign-in on top of a session ends that one", async () => {
      const first = cookieOf(await enter({ email, password }));
      const second = await call(target(), "POST", "/internal/session", { cookie: first, body: { email, password } });
      expect(cookieOf(second)).not.toBe(first);
      expect((await call(target(), "GET", "/internal/me", { cookie: first })).status).toBe(401);
      expect((await call(target(), "GET", "/internal/me", { cookie: cookieOf(second) })).status).toBe(200);
    });

    test("on plain http between machines the cookie is a plain one, which an encrypted page does not take", async () => {
      const plain = await fetch(`${target().url}/internal/session`, {
        method: "POST",
        headers: { "content-type": "application/json", host: "192.0.2.7:3000", origin: "http://192.0.2.7:3000" },
        body: JSON.stringify({ email, password }),
      });
      const set = plain.headers.get("set-cookie") ?? "";
      expect(set).toMatch(/^intake=\w{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
      const [cookie = ""] = set.split(";");
      const asked = (headers: Record<string, string>) =>
        fetch(`${target().url}/internal/me`, { headers: { cookie, ...headers } }).then(({ status }) => status);
      expect(await asked({ host: "192.0.2.7:3000" })).toBe(200);
      expect(await asked({ host: "192.0.2.7:3000", "sec-fetch-site": "same-origin" })).toBe(401);
      expect(await asked({ origin: "https://192.0.2.7:3000" })).toBe(401);
    });

    test("an unknown address, a wrong password and one without a password get one answer", async () => {
      const { id } = await target().installation.ctx.store.write(function* (tx) {
        yield* tx.run(
          "insert into member (id, email, name, role, created_at) values ('0198c0de-0000-7000-8000-0000000000aa', 'new@example.org', 'New', 'member', 0)",
        );
        return { id: "new" };
      });
      expect(id).toBe("new");
      const answers = [];
      for (const body of [
        { email: "nobody@example.org", password },
        { email, password: "wrong horse battery" },
        { email: "new@example.org", password },
        { email: "", password: "" },
      ]) {
        const { status, headers, body: answer } = await enter(body);
        answers.push({ status, answer, cookie: headers.get("set-cookie") });
      }
      const one = {
        status: 401,
        answer: { error: "wrong_password", message: "E-mail or password is wrong." },
        cookie: null,
      };
      expect(answers).toEqual([one, one, one, one]);
    });

    test("an unknown address takes as long as a wrong password", async () => {
      const stranger = { email: "nobody2@example.org", password };
      const mistaken = { email, password: "wrong horse battery" };
      if (target().way === "compiled binary") {
        const timed = async (body: unknown) => {
          const start = performance.now();
          await enter(body);
          return performance.now() - start;
        };
        // The quickest of three tries each, in turn, because a busy machine can only make a try slower. Without a hash,
        // an answer takes a fiftieth of the time.
        const [unknown, wrong]: [number[], number[]] = [[], []];
        for (let i = 0; i < 3; i++) {
          unknown.push(await timed(stranger));
          wrong.push(await timed(mistaken));
        }
        expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...wrong) / 6);
        expect(Math.min(...wrong)).toBeGreaterThan(Math.min(...unknown) / 6);
        return;
      }
      // Both check a hash of the same cost, which is what takes the time.
      const verified = spyOn(Bun.password, "verify");
      await enter(stranger);
      await enter(mistaken);
      const costs = verified.mock.calls.map(([, hash]) => String(hash).split("$").slice(0, 4).join("$"));
      verified.mockRestore();
      expect(costs).toEqual(Array(2).fill("$argon2id$v=19$m=65536,t=3,p=1"));
    });

    test("after five failures each try waits longer, for an unknown address too; others are not held up", async () => {
      // Somebody has tried the second one before.
      for (const [address, before] of [["guessed@example.org", 0] as const, ["new@example.org", 1] as const]) {
        // A try that a busy machine makes later than the wait was is one failure more.
        for (let failures = before; ; failures++) {
          const { status, headers, body } = await enter({ email: address, password: `guess number ${failures}` });
          if (failures < 5) expect(status).toBe(401);
          if (status === 401) continue;
          expect(status).toBe(429);
          const seconds = Number(headers.get("retry-after"));
          expect(seconds).toBeWithin(1, 2 ** (failures - 4) + 1);
          expect(body["message"]).toBe(`Too many tries. The next one is possible in ${seconds} s.`);
          break;
        }
      }
      expect((await enter({ email, password })).status).toBe(200);
    });

    test("tries at once are counted before a password is looked at", async () => {
      // All other tries are refused before the first password is looked at.
      let refused = 0;
      const { verify } = Bun.password;
      const verified = spyOn(Bun.password, "verify").mockImplementation(async (...asked) => {
        await until(() => refused === 11 || undefined);
        return verify(...asked);
      });
      // As many as one address may have under way.
      const tries = Array.from({ length: 16 }, async (_, i) => {
        const { status } = await enter({ email: "many@example.org", password: `guess ${i}` });
        if (status === 429) refused++;
        return status;
      });
      const statuses = await Promise.all(tries);
      verified.mockRestore();
      expect(statuses.filter((status) => status === 401).length).toBe(5);
      expect(statuses.filter((status) => status === 429).length).toBe(11);
    });

    test("failures stand in the audit log, counted and without what was typed", async () => {
      const { ctx } = target().installation;
      await enter({ email: "typed my password here", password: "hunter hunter hunter" });
      const entries = await until(async () => {
        const { items } = await listAudit({ ctx, input: { limit: 200, filter: { action: "session.failed" } } });
        return items.length >= 2 ? items : undefined;
      });
      expect(entries.find(({ object }) => object === "an unknown e-mail address")).toMatchObject({
        actor: "not signed in",
        actorKind: "visitor",
      });
      expect(JSON.stringify(entries)).not.toMatch(/typed|hunter|guess/);
    });

    test("forms, huge bodies and other types are refused unread", async () => {
      const form = await fetch(`${target().url}/internal/session`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" },
        body: `email=${email}&password=${password}`,
      });
      expect(form.status).toBe(400);
      expect((await enter({ email, password: "x".repeat(20_000) })).status).toBe(400);
      expect((await enter({ email, password, role: "admin" })).status).toBe(400);
      expect((await enter({ email: { $ne: 1 }, password })).status).toBe(400);
    });
  },
  ["over loopback", "compiled binary"],
  { rateLimits: false },
);

describeTargets(
  "signing in from one address",
  (target) => {
    test("ten tries a minute, whatever the accounts", async () => {
      const statuses = [];
      for (let i = 0; i < 11; i++) {
        const body = { email: `person-${i}@example.org`, password: "x" };
        statuses.push((await call(target(), "POST", "/internal/session", { body })).status);
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
    });
  },
  ["over loopback"],
);
