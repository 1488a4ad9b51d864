import { expect, test } from "bun:test";
import { listRequests } from "../../server/credentials/list-requests.ts";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import { updateToken } from "../../server/credentials/update-credential.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";
import { until } from "../support/until.ts";

describeTargets("credentials", (target) => {
  const withHeader = (authorization: string | undefined) =>
    post(target(), { headers: authorization === undefined ? {} : { authorization } });

  test("missing, malformed, unknown and revoked look alike to the byte", async () => {
    const { ctx } = target().installation;
    const revoked = await newToken(target().installation);
    await revokeToken({ ctx, input: { id: revoked.id } });
    const { token } = await newToken(target().installation);
    const seen = new Set<string>();
    for (const header of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${revoked.token}`,
      "Bearer itk_0000000000000000000000000000000000",
      `Bearer isk_${token.slice(4)}`,
      `Bearer ${token}x`,
      `Bearer ${token} x`,
      `Bearer ${token}, Bearer ${token}`,
      `Basic ${btoa(`token:${token}`)}`,
      `Token ${token}`,
      token,
      `Bearer\t${token}`,
      `Bearer ${"a".repeat(257)}`,
      `Bearer "${token}"`,
    ]) {
      // The body would be refused too, but the credential is checked first.
      const response = await post(target(), {
        body: "{}",
        headers: header === undefined ? {} : { authorization: header },
      });
      const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      seen.add(JSON.stringify([response.status, headers.sort(), await response.text()]));
    }
    const [only, ...others] = [...seen].map((text) => JSON.parse(text) as [number, [string, string][], string]);
    expect(others).toEqual([]);
    expect(only?.[0]).toBe(401);
    expect(only?.[2]).toBe('{"error":"invalid_api_token"}');
    expect(only?.[1]).toContainEqual(["www-authenticate", "Bearer"]);
  });

  for (const [scheme, blanks] of [
    ["bearer", " "],
    ["BEARER", " "],
    ["BeArEr", "    "],
  ] as const) {
    test(`scheme ${scheme} with ${blanks.length} blanks is taken`, async () => {
      const { token } = await newToken(target().installation);
      expect((await withHeader(`${scheme}${blanks}${token}`)).status).toBe(201);
    });
  }

  test("a cookie is no credential here", async () => {
    const response = await post(target(), { headers: { cookie: "intake_session=abc" } });
    expect(response.status).toBe(401);
  });

  test("scope and name hold from the next request on; the author is the name of then", async () => {
    const { ctx } = target().installation;
    const { id, token } = await newToken(target().installation, { name: "Before" });
    const ticket = (await (await post(target(), { token })).json()) as { id: string };
    await updateToken({ ctx, input: { id, change: { name: "After", scopes: [] } } });
    expect((await post(target(), { token })).status).toBe(403);
    await updateToken({ ctx, input: { id, change: { scopes: ["runs:execute", "tickets:write"] } } });
    expect((await post(target(), { token })).status).toBe(201);
    const shown = await showTicket({ ctx, input: { id: ticket.id } });
    expect(shown).toMatchObject({ author: "Before", activity: [{ actor: "Before", kind: "created" }] });
  });
});

describeTargets("rate limit", (target) => {
  test("60 in a minute by default, and every answer tells what is left", async () => {
    const { token } = await newToken(target().installation, { limit: undefined });
    const began = performance.now();
    for (let left = 59; left >= 0; left--) {
      const response = await post(target(), { token, body: left % 2 ? {} : { title: "x" } });
      expect(response.status).toBe(left % 2 ? 400 : 201);
      expect(response.headers.get("ratelimit-policy")).toBe('"token";q=60;w=60');
      const [, seconds] =
        new RegExp(`^"token";r=${left};t=(\\d+)$`).exec(response.headers.get("ratelimit") ?? "") ?? [];
      expect(Number(seconds)).toBeWithin(59 - (performance.now() - began) / 1_000, 61);
    }
    const refused = await post(target(), { token });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: "rate_limit_exceeded", message: expect.any(String) });
    const retryAfter = Number(refused.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused.headers.get("ratelimit")).toBe(`"token";r=0;t=${retryAfter}`);
  });

  test("replays and refusals count, one token's use does not touch another's", async () => {
    const a = await newToken(target().installation, { limit: 3 });
    const b = await newToken(target().installation, { limit: 3 });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(target(), { token: a.token, key: "k" })).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect((await post(target(), { token: b.token })).status).toBe(201);
  });

  test("a script that never waits does not fill the token's log", async () => {
    const { ctx } = target().installation;
    const { id, token } = await newToken(target().installation, { limit: 1 });
    await Promise.all(Array.from({ length: 200 }, () => post(target(), { token })));
    const items = await until(async () => {
      const page = await listRequests({ ctx, input: { tokenId: id, limit: 200 } });
      return page.items.length > 60 ? page.items : undefined;
    });
    // 60 in a minute, although the clock's minute may have turned.
    expect(items.length).toBeLessThanOrEqual(1 + 2 * 60);
  });

  test("a raised limit holds at once", async () => {
    const { ctx } = target().installation;
    const { id, token } = await newToken(target().installation, { limit: 1 });
    expect((await post(target(), { token })).status).toBe(201);
    expect((await post(target(), { token })).status).toBe(429);
    await updateToken({ ctx, input: { id, change: { limit: 2 } } });
    const response = await post(target(), { token });
    expect([response.status, response.headers.get("ratelimit-policy")]).toEqual([201, '"token";q=2;w=60']);
  });
});
