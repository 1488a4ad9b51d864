import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { call, cookieOf } from "../../support/call.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

const body = { email: "admin@example.org", password: "correct horse battery" };

describeTargets(
  "what strangers and other sites can do",
  (target) => {
    test("bodies that one address never ends keep nobody else from signing in", async () => {
      const { port } = new URL(target().url);
      const head =
        "POST /internal/invitations/show HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/json\r\n";
      let refused = 0;
      const held = Array.from({ length: 70 }, () => {
        const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: "127.0.0.2" });
        socket.on("data", (answer) => {
          refused += Number(answer.toString().startsWith("HTTP/1.1 503"));
        });
        socket.on("error", () => {});
        socket.write(`${head}Content-Length: 100\r\n\r\n{`);
        return socket;
      });
      try {
        await until(() => refused >= 54 || undefined);
        expect((await call(target(), "POST", "/internal/session", { body })).status).toBe(200);
      } finally {
        for (const socket of held) socket.destroy();
      }
    });

    test("no answer to a page's call can be framed or read by another site, whatever it is", async () => {
      const { cookie } = await signIn(target(), "admin");
      const answers = await Promise.all([
        call(target(), "GET", "/internal/me", { cookie }),
        call(target(), "GET", "/internal/me"),
        call(target(), "GET", "/internal/nowhere", { cookie }),
        call(target(), "GET", "/internal/audit/export", { cookie }),
        call(target(), "GET", "/internal/setup"),
        call(target(), "POST", "/internal/session", { body: {} }),
        call(target(), "POST", "/internal/session", { body, headers: { "sec-fetch-site": "cross-site" } }),
      ]);
      for (const { headers } of answers) {
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
        expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("cache-control")).toBe("no-store");
      }
    });

    test("at an address with nothing a browser gets the page, and a program the error", async () => {
      const ask = async (path: string, accept: string) => {
        const { status, headers } = await fetch(target().url + path, { headers: { accept } });
        return [status, headers.get("content-type"), headers.has("content-security-policy")];
      };
      const html = "text/html,application/xhtml+xml,*/*;q=0.8";
      const page = [404, "text/html; charset=utf-8", true];
      for (const path of ["/settings/nope", "/nope", "/p/a/b/c/d"])
        expect([path, await ask(path, html)]).toEqual([path, page]);
      const error = [404, "application/json", false];
      for (const path of ["/settings/nope", "/nope"]) expect([path, await ask(path, "*/*")]).toEqual([path, error]);
      expect(await ask("/api/v1/nope", html)).toEqual(error);
      expect((await ask("/api/v1/tickets", html))[0]).toBe(405);
    });

    test("behind a proxy that names another host, pages of the public URL sign in, and no others", async () => {
      await target().installation.ctx.store.write(function* (tx) {
        yield* tx.run("insert into setting (name, value) values ('public_url', 'http://intake.example.org')");
      });
      // As a browser sends over plain http from another machine: only `Origin`.
      const enter = (origin: string) =>
        fetch(`${target().url}/internal/session`, {
          method: "POST",
          headers: { "content-type": "application/json", origin },
          body: JSON.stringify(body),
        });
      for (const origin of [
        "http://example.org",
        "https://intake.example.org",
        "http://intake.example.org:81",
        "null",
      ]) {
        expect([origin, (await enter(origin)).status]).toEqual([origin, 403]);
      }
      const entered = await enter("http://intake.example.org");
      expect(entered.status).toBe(200);
      expect(entered.headers.get("set-cookie")).toMatch(
        /^intake=\w{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
      );
      const cookie = cookieOf(entered);
      const me = await fetch(`${target().url}/internal/me`, { headers: { cookie } });
      expect(me.status).toBe(200);
    });
  },
  ["over loopback"],
);
