import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { addMember } from "../../../server/accounts/add-member.ts";
import { removeMember } from "../../../server/accounts/remove-member.ts";
import { setRole } from "../../../server/accounts/set-role.ts";
import { hashOf } from "../../../server/core/credential.ts";
import { type RunningBinary, run, serve } from "../../support/binary.ts";
import { call, cookieOf } from "../../support/call.ts";
import { adminPassword, type Installation, install } from "../../support/installation.ts";
import { RawRequest } from "../../support/raw-request.ts";

setDefaultTimeout(180_000);

let installation: Installation;
/** A server whose only peer, this machine, is a trusted proxy, and one for which it is a stranger. */
let server: RunningBinary;
let elsewhere: { installation: Installation; server: RunningBinary };

beforeAll(async () => {
  installation = await install();
  const other = await install();
  const started = (folder: string, proxies: string) =>
    serve(folder, ["--auth-header", "Remote-Email", "--trusted-proxies", proxies, "--rate-limits", "off"]);
  const [own, stranger] = await Promise.all([
    started(installation.folder, "127.0.0.1"),
    started(other.folder, "192.0.2.7"),
  ]);
  server = own;
  elsewhere = { installation: other, server: stranger };
}, 180_000);

afterAll(async () => {
  await Promise.all([server.stop(), elsewhere.server.stop()]);
  await Promise.all([installation.remove(), elsewhere.installation.remove()]);
}, 180_000);

const admin = "admin@example.org";
const named = (email: string) => ({ "remote-email": email });

function at(url = server.url) {
  return { send: (path: string, init?: RequestInit) => fetch(url + path, init) };
}

/** A new member without a password; the address is only here in capitals. */
async function added(role: "admin" | "member" = "member") {
  const email = `ada-${crypto.randomUUID()}@example.org`;
  const { id } = await addMember({ ctx: installation.ctx, input: { email, name: "Ada", role } });
  return { id, email };
}

const enter = (headers: Record<string, string>, cookie?: string) =>
  call(at(), "POST", "/internal/session/proxy", { body: {}, headers, cookie });
const me = async (cookie: string, headers: Record<string, string> = {}) => {
  const { status, body } = await call(at(), "GET", "/internal/me", { cookie, headers });
  return status === 200 ? body["email"] : body["error"];
};

async function signedIn(email: string) {
  const answer = await enter(named(email));
  expect([answer.status, answer.body["error"]]).toEqual([200, undefined]);
  return cookieOf(answer);
}

test("needs trusted proxies and the name of a header that nothing else uses", async () => {
  const { folder } = installation;
  const refused = async (args: string[], env = {}) => {
    const { code, stderr } = await run(["serve", "--data", folder, "--port", "0", "--metrics", "off", ...args], {
      env,
    });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refused(["--auth-header", "Remote-Email"])).toContain("--auth-header needs --trusted-proxies");
  expect(await refused([], { INTAKE_AUTH_HEADER: "Remote-Email" })).toContain("--auth-header needs --trusted-proxies");
  for (const name of ["Cookie", "X-Forwarded-For", "Remote_Email", "Remote Email"]) {
    const proxies = ["--trusted-proxies", "127.0.0.1"];
    expect(await refused(["--auth-header", name, ...proxies])).toContain("must be");
  }
});

test("a member whom the proxy names signs in, and the session is that of whom it names at each request", async () => {
  const { email } = await added();
  const page = await (await fetch(server.url, { headers: named(email.toUpperCase()) })).text();
  expect(page).toContain('"proxy":true');
  expect(page).not.toContain(email);
  const cookie = await signedIn(email.toUpperCase());
  expect(cookie).toStartWith("__Host-intake=");
  expect(await me(cookie, named(email))).toBe(email);
  expect(await me(cookie, named(` ${email.toUpperCase()} `))).toBe(email);

  // The proxy is not in between any more, knows somebody else now, or is unclear.
  expect(await me(cookie)).toBe("not_signed_in");
  expect(await me(cookie, named(admin))).toBe("not_signed_in");
  expect(await me(cookie, named(`${email}, ${admin}`))).toBe("not_signed_in");
  expect(await me("", named(email))).toBe("not_signed_in");
  const stream = await fetch(`${server.url}/internal/live`, { headers: { cookie } });
  expect(stream.status).toBe(401);
  expect(await me(cookie, named(email))).toBe(email);

  // The same browser, when somebody else signs in at the proxy: the former session is over.
  const next = await added();
  const taken = await enter(named(next.email), cookie);
  expect(await me(cookieOf(taken), named(next.email))).toBe(next.email);
  expect(await me(cookie, named(email))).toBe("not_signed_in");
});

test("a session that began with a password needs no proxy, and is nobody else's because of its header", async () => {
  const body = { email: admin, password: adminPassword };
  const cookie = cookieOf(await call(at(), "POST", "/internal/session", { body }));
  expect([await me(cookie), await me(cookie, named((await added()).email))]).toEqual([admin, admin]);
});

test("strangers, the agent and removed members are refused, and nothing says whom the proxy named", async () => {
  const removed = await added();
  await signedIn(removed.email);
  await removeMember({ ctx: installation.ctx, input: { id: removed.id } });
  const stranger = `eve-${crypto.randomUUID()}@example.org`;
  for (const email of [removed.email, stranger]) {
    const { status, body, headers } = await enter(named(email));
    expect([status, body["error"], headers.get("set-cookie")]).toEqual([403, "permission_denied", null]);
    expect(body["message"]).toContain("Nobody here has the e-mail address");
    expect(JSON.stringify(body)).not.toContain(email);
  }
  expect(await installation.ctx.store.all("select 1 from member where email = $1", [stranger])).toEqual([]);
  expect((await enter({})).body).toMatchObject({ error: "not_signed_in" });
  expect((await enter(named(" "))).body).toMatchObject({ error: "not_signed_in" });
  expect(server.stderr()).toContain("named somebody who is not a member");
  expect(server.stderr()).not.toContain("eve-");
  expect(server.stderr()).not.toContain("ada-");
});

test("a removed member's session, and that of somebody with another role, end at once", async () => {
  const [gone, changed] = [await added(), await added("admin")];
  const [goneCookie, changedCookie] = [await signedIn(gone.email), await signedIn(changed.email)];
  await removeMember({ ctx: installation.ctx, input: { id: gone.id } });
  await setRole({ ctx: installation.ctx, input: { id: changed.id, role: "member" } });
  expect(await me(goneCookie, named(gone.email))).toBe("not_signed_in");
  expect(await me(changedCookie, named(changed.email))).toBe("not_signed_in");
  const again = await signedIn(changed.email);
  expect((await call(at(), "GET", "/internal/members", { cookie: again, headers: named(changed.email) })).status).toBe(
    403,
  );
});

test("an untrusted peer names nobody, however it forwards", async () => {
  const { url } = elsewhere.server;
  for (const headers of [
    named(admin),
    { ...named(admin), "x-forwarded-for": "192.0.2.7" },
    {
      ...named(admin),
      "x-forwarded-for": "192.0.2.7, 127.0.0.1",
      forwarded: "for=192.0.2.7",
      "x-real-ip": "192.0.2.7",
    },
  ]) {
    const { status, body } = await call(at(url), "POST", "/internal/session/proxy", { body: {}, headers });
    expect([status, body["error"]]).toEqual([401, "not_signed_in"]);
    expect(await (await fetch(url, { headers })).text()).not.toContain('"proxy"');
  }
  expect(elsewhere.server.stderr()).not.toContain(admin);
});

test("several headers, in whatever case, are refused, and another spelling is another header", async () => {
  const { email } = await added();
  const answered = async (lines: string[]) => {
    const request = new RawRequest(server, [
      "POST /internal/session/proxy HTTP/1.1",
      ...["host: localhost", "sec-fetch-site: same-origin", "content-type: application/json", "content-length: 2"],
      ...lines,
    ]);
    await request.send("{}");
    const response = await request.answer();
    const { error } = JSON.parse((await response.text()) || "{}") as { error?: string };
    request.close();
    return [response.status, error, response.headers.has("set-cookie")];
  };
  const refused = [400, "invalid_input", false];
  expect(await answered([`Remote-Email: ${email}`])).toEqual([200, undefined, true]);
  expect(await answered([`Remote-Email: ${admin}`, `Remote-Email: ${email}`])).toEqual(refused);
  expect(await answered([`REMOTE-EMAIL: ${admin}`, `remote-email: ${email}`])).toEqual(refused);
  expect(await answered([`Remote-Email: ${email}`, `Remote-Email: ${email}`])).toEqual(refused);
  expect(await answered([`Remote-Email: ${admin}, ${email}`])).toEqual(refused);
  expect(await answered([`Remote-Email: ${admin};${email}`])).toEqual(refused);
  expect(await answered([`Remote-Email: Ada <${email}>`])).toEqual(refused);
  expect(await answered([`Remote_Email: ${admin}`])).toEqual([401, "not_signed_in", false]);
  expect(await answered([`Remote_Email: ${admin}`, `Remote-Email: ${email}`])).toEqual([200, undefined, true]);
  expect(await answered([`Remote-Email : ${admin}`])).toEqual([400, undefined, false]);
  expect(server.stderr()).not.toContain(email);
});

test("other sites cannot sign anybody in, and a planted cookie becomes no session", async () => {
  const { id, email } = await added();
  const path = "/internal/session/proxy";
  for (const site of ["cross-site", "same-site", "none"]) {
    const headers = { ...named(email), "sec-fetch-site": site };
    expect((await call(at(), "POST", path, { body: {}, headers })).body).toMatchObject({ error: "cross_site_request" });
  }
  const planted = "A".repeat(43);
  const cookie = await enter(named(email), `__Host-intake=${planted}`).then(cookieOf);
  expect(cookie).not.toContain(planted);
  expect(await me(`__Host-intake=${planted}`, named(email))).toBe("not_signed_in");
  const rows = await installation.ctx.store.all<{ hash: string; method: string }>(
    "select hash, method from session where member_id = $1",
    [id],
  );
  expect(rows).toEqual([{ hash: hashOf(cookie.split("=")[1] ?? ""), method: "proxy" }]);
});

test("what could do harm asks for the password of who has one; otherwise the proxy's word counts, again after an hour", async () => {
  const invite = (cookie: string, email: string) =>
    call(at(), "POST", "/internal/members", {
      cookie,
      headers: named(email),
      body: { email: `${crypto.randomUUID()}@example.org`, name: "N", role: "member" },
    });
  const confirm = (cookie: string, email: string) =>
    call(at(), "POST", "/internal/session/proxy/confirm", { cookie, headers: named(email), body: {} });

  const withPassword = await signedIn(admin);
  expect((await invite(withPassword, admin)).body).toMatchObject({ error: "password_required" });
  expect((await confirm(withPassword, admin)).status).toBe(409);
  const password = await call(at(), "POST", "/internal/session/password", {
    cookie: withPassword,
    headers: named(admin),
    body: { password: adminPassword },
  });
  expect(password.status).toBe(200);
  expect((await invite(withPassword, admin)).status).toBe(200);

  const { id, email } = await added("admin");
  const cookie = await signedIn(email);
  expect((await invite(cookie, email)).status).toBe(200);
  await installation.ctx.store.write((tx) =>
    tx.run("update session set password_at = password_at - 3700000 where member_id = $1", [id]),
  );
  expect((await invite(cookie, email)).body).toMatchObject({ error: "password_required" });
  const self = await call(at(), "GET", "/internal/me", { cookie, headers: named(email) });
  expect(self.body).toMatchObject({ confirmsByProxy: true });
  expect((await confirm(cookie, admin)).status).toBe(401);
  expect((await confirm(cookie, email)).status).toBe(200);
  expect((await invite(cookie, email)).status).toBe(200);
});

test("signing out leads to a page that does not sign in again by itself; the session is over", async () => {
  const { email } = await added();
  const cookie = await signedIn(email);
  const { body } = await call(at(), "DELETE", "/internal/session", { cookie, headers: named(email) });
  expect(body["url"]).toBe("/sign-in?signed-out");
  expect(await me(cookie, named(email))).toBe("not_signed_in");
});
