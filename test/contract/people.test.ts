import { expect, test } from "bun:test";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import { listAudit } from "../../server/organisation/list-audit.ts";
import { ada, callPeople, type PeopleProject, peopleProject } from "../support/people.ts";
import { describeTargets } from "../support/targets.ts";

const acts = ["find", "export", "delete"] as const;

describeTargets("a person's data", (target) => {
  let shared: PeopleProject | undefined;
  const project = async () => {
    shared ??= await peopleProject(target());
    return shared;
  };
  const call = async (act: (typeof acts)[number], body: object, token?: string) => {
    const response = await callPeople(target(), act, { token: token ?? (await project()).token.token, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown>, response };
  };

  test("is found within the reach of the token only, and of every project by one that reaches all", async () => {
    await project();
    const other = await peopleProject(target(), 1);
    expect((await call("find", ada)).body).toMatchObject({ reports: 2, attachments: 1 });
    expect((await call("find", ada, other.token.token)).body).toMatchObject({ reports: 1 });
    const all = await peopleProject(target(), 0, { reach: "all" });
    expect((await call("find", ada, all.token.token)).body).toMatchObject({ reports: 3 });
    const none = await peopleProject(target(), 0);
    expect(await call("find", ada, none.token.token)).toMatchObject({
      status: 200,
      body: { reports: 0, oldest: null },
    });
    expect((await call("export", ada, none.token.token)).body).toEqual({ items: [], next: null });
    expect(await call("delete", { ...ada, reports: 2 }, none.token.token)).toMatchObject({ status: 409 });
  });

  test("counts against the limit of the token, and never says whom it was about in a header or the audit log", async () => {
    const { response, body } = await call("export", ada);
    expect(response.headers.get("ratelimit-policy")).toBe('"token";q=60;w=60');
    expect(response.headers.get("cache-control")).toBe("no-store");
    const items = body["items"] as { envelope: object; attachments: { url: string }[] }[];
    expect(items.map(({ envelope }) => envelope)).toEqual([
      expect.objectContaining({ user: { email: ada.value } }),
      expect.objectContaining({ user: { email: ada.value } }),
    ]);
    const { ctx } = target().installation;
    const { items: entries } = await listAudit({ ctx, input: { limit: 1, filter: { action: "person.export" } } });
    expect(entries[0]).toMatchObject({
      actor: "Privacy",
      actorKind: "token",
      object: expect.stringMatching(/^person [0-9a-f]{20}$/),
      to: { reports: 2 },
      requestId: response.headers.get("x-request-id"),
    });
    expect(JSON.stringify(entries)).not.toContain("ada");
  });

  test("each scope allows its own calls and no other", async () => {
    const read = await peopleProject(target(), 0, { scopes: ["people:read"] });
    const remove = await peopleProject(target(), 0, { scopes: ["people:delete"] });
    const statuses = async ({ token }: PeopleProject) => [
      (await call("find", ada, token.token)).status,
      (await call("export", ada, token.token)).status,
      (await call("delete", { ...ada, reports: 0 }, token.token)).status,
    ];
    expect(await statuses(read)).toEqual([200, 200, 403]);
    expect(await statuses(remove)).toEqual([403, 403, 200]);
    expect(await statuses(await peopleProject(target(), 0, { scopes: ["tickets:write", "runs:execute"] }))).toEqual([
      ...[403, 403, 403],
    ]);
  });

  test("is asked for in order: credential, limit, scope, body; what is wrong is named", async () => {
    for (const act of acts) {
      const unknown = await callPeople(target(), act, { token: "itk_wrong", body: "{" });
      expect([unknown.status, await unknown.json()]).toEqual([401, { error: "invalid_api_token" }]);
      const { token } = await peopleProject(target(), 0, { scopes: [], limit: 1 });
      expect((await callPeople(target(), act, { token: token.token, body: "{" })).status).toBe(403);
      expect((await callPeople(target(), act, { token: token.token, body: "{" })).status).toBe(429);
      expect((await callPeople(target(), act, { token: token.token, method: "PUT" })).status).toBe(405);
    }
    const wrong: [object, string, string][] = [
      [{ value: "a" }, "/by", "required"],
      [{ by: "user.name", value: "a" }, "/by", "bad_value"],
      [{ by: "user.id", value: 7 }, "/value", "wrong_type"],
      [{ by: "user.id", value: "x".repeat(201) }, "/value", "too_long"],
      [{ ...ada, limit: 5 }, "/limit", "unknown_field"],
      [{ ...ada, cursor: "nonsense" }, "/cursor", "bad_value"],
    ];
    for (const [body, path, code] of wrong) {
      const answer = await call("export", body);
      expect(answer).toMatchObject({ status: 400, body: { details: [expect.objectContaining({ path, code })] } });
    }
    const counts = await call("delete", { ...ada, reports: -1 });
    expect(counts.body).toMatchObject({ details: [expect.objectContaining({ path: "/reports" })] });
  });

  test("is deleted with the number that was found, once, and nobody else's", async () => {
    const { token } = await peopleProject(target(), 3);
    expect((await call("delete", { ...ada, reports: 2 }, token.token)).body).toMatchObject({ error: "conflict" });
    expect((await call("delete", { ...ada, reports: 3 }, token.token)).body).toEqual({ deleted: 3, left: 0 });
    expect((await call("delete", { ...ada, reports: 3 }, token.token)).status).toBe(409);
    expect((await call("find", ada, token.token)).body).toMatchObject({ reports: 0 });
    expect((await call("find", { by: "user.id", value: "grace" }, token.token)).body).toMatchObject({ reports: 1 });
  });

  test("is out of reach of a revoked token from the next request on", async () => {
    const { token } = await peopleProject(target(), 0);
    expect((await call("find", ada, token.token)).status).toBe(200);
    await revokeToken({ ctx: target().installation.ctx, input: { id: token.id } });
    expect((await call("find", ada, token.token)).status).toBe(401);
  });
});
