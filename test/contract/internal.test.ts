import { expect, test } from "bun:test";
import { removeMember } from "../../server/accounts/remove-member.ts";
import { setRole } from "../../server/accounts/set-role.ts";
import { tokenRoutes } from "../../server/credentials/token-route.ts";
import { signIn } from "../support/sign-in.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

const absent = "0198c0de-0000-7000-8000-00000000dead";

describeTargets("internal calls", (target) => {
  async function call(path: string, method: string, headers: Record<string, string>, body?: unknown) {
    const response = await target().send(path, {
      method,
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
  }

  for (const { method, path, role } of tokenRoutes) {
    const address = path.replace(":id", absent);
    test(`${method} ${path}: nobody is not signed in, whatever else is wrong`, async () => {
      expect(await call(address, method, {})).toMatchObject({ status: 401, error: "not_signed_in" });
      const { token } = await newToken(target().installation);
      const withToken = { authorization: `Bearer ${token}`, "sec-fetch-site": "cross-site" };
      expect(await call(address, method, withToken)).toMatchObject({ status: 401, error: "not_signed_in" });
    });

    test(`${method} ${path}: a member is refused, an admin is not`, async () => {
      const [member, admin] = [await signIn(target(), "member"), await signIn(target(), "admin")];
      const denied = await call(address, method, { cookie: member.cookie });
      expect(denied).toMatchObject(role === "admin" ? { status: 403, error: "permission_denied" } : {});
      const allowed = await call(address, method, { cookie: admin.cookie });
      expect([401, 403]).not.toContain(allowed.status);
    });
  }

  test("an unknown address tells nothing without a session", async () => {
    expect(await call("/internal/nothing", "GET", {})).toMatchObject({ status: 401, error: "not_signed_in" });
    const { cookie } = await signIn(target(), "member");
    expect(await call("/internal/nothing", "GET", { cookie })).toMatchObject({ status: 404, error: "not_found" });
  });

  test("a token is made, used, re-scoped and revoked", async () => {
    const { cookie } = await signIn(target(), "admin");
    const reach = [target().installation.made.project.id];
    const made = await call("/internal/tokens", "POST", { cookie }, { name: "From the page", reach });
    const { id, token } = made as unknown as { id: string; token: string };
    expect(made).toMatchObject({ status: 200, fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect((await post(target(), { token })).status).toBe(201);
    await call(`/internal/tokens/${id}`, "PATCH", { cookie }, { scopes: [] });
    expect((await post(target(), { token })).status).toBe(403);
    expect(await call(`/internal/tokens/${id}`, "DELETE", { cookie })).toMatchObject({ status: 200, id });
    expect((await post(target(), { token })).status).toBe(401);
    const list = JSON.stringify(await call("/internal/tokens", "GET", { cookie }));
    expect(list).not.toContain(token);
  });

  test("a page of another site changes nothing", async () => {
    const { cookie } = await signIn(target(), "admin");
    const body = { name: "Forged", reach: "all" };
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ]) {
      const forged = await call("/internal/tokens", "POST", { cookie, ...headers }, body);
      expect(forged).toMatchObject({ status: 403, error: "cross_site_request" });
    }
    expect(await call("/internal/tokens", "GET", { cookie, "sec-fetch-site": "cross-site" })).toMatchObject({
      status: 200,
    });
  });

  test("bad input is a clear error", async () => {
    const { cookie } = await signIn(target(), "admin");
    for (const body of [
      null,
      [],
      { name: "x" },
      { name: " ", reach: "all" },
      { name: "x".repeat(81), reach: "all" },
      { name: "x", reach: ["y"] },
      { name: "x", reach: "all", scopes: ["everything"] },
      { name: "x", reach: "all", limit: 0 },
      { name: "x", reach: "all", colour: 1 },
    ]) {
      expect(await call("/internal/tokens", "POST", { cookie }, body)).toMatchObject({
        status: 400,
        error: "invalid_input",
      });
    }
    expect(await call("/internal/tokens", "POST", { cookie }, { name: "x", reach: [absent] })).toMatchObject({
      status: 404,
    });
  });

  test("role and membership hold from the next request on", async () => {
    const { ctx } = target().installation;
    const { id, cookie } = await signIn(target(), "admin");
    expect(await call("/internal/tokens", "GET", { cookie })).toMatchObject({ status: 200 });
    // Changing the role ends the session.
    await setRole({ ctx, input: { id, role: "member" } });
    expect(await call("/internal/tokens", "GET", { cookie })).toMatchObject({ status: 401 });
    const member = await signIn(target(), "member");
    expect(await call("/internal/me", "GET", { cookie: member.cookie })).toMatchObject({ status: 200 });
    await removeMember({ ctx, input: { id: member.id } });
    expect(await call("/internal/me", "GET", { cookie: member.cookie })).toMatchObject({ status: 401 });
  });
});
