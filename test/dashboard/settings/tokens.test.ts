import { expect, test } from "bun:test";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { post } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { callInternal } from "./call-internal.ts";

interface Made {
  id: string;
  token: string;
  fingerprint: string;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";

describeTargets("settings: API tokens", (target) => {
  async function admin() {
    const { cookie, id } = await signIn(target(), "admin");
    const call = (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
    const make = async (more: object = {}) => {
      const reach = [target().installation.made.project.id];
      return (await call("POST", "/internal/tokens", { name: "CI", reach, ...more })) as unknown as Made;
    };
    return { id, call, make };
  }

  async function log(call: Awaited<ReturnType<typeof admin>>["call"], id: string, query = "") {
    const { items } = await call("GET", `/internal/tokens/${id}/requests${query}`);
    return items as Record<string, unknown>[];
  }

  test("the list tells who made it, what it reaches and how it was used last", async () => {
    const { call, make } = await admin();
    const { id, token } = await make({ name: "Deploy gate" });
    expect((await post(target(), { token })).status).toBe(201);
    const shown = await until(async () => {
      const found = await call("GET", `/internal/tokens/${id}`);
      return found["lastUsedAt"] === null ? undefined : found;
    });
    expect(shown).toMatchObject({
      name: "Deploy gate",
      author: "admin",
      reach: [target().installation.made.project.id],
      projects: [{ id: target().installation.made.project.id, name: "First project" }],
      lastStatus: 201,
      lastNetwork: target().way === "in process" ? null : "127.0.0.0/24",
      mismatches: 0,
      revokedAt: null,
    });
    const { items, counts } = await call("GET", "/internal/tokens");
    expect((items as Made[])[0]).toMatchObject({ id });
    expect(counts).toMatchObject({ active: (counts as { active: number }).active });
  });

  test("a project that is named twice, in capitals too, is reached, and stands in the audit log once", async () => {
    const { call, make } = await admin();
    const { id: project } = target().installation.made.project;
    const { id } = await make({ reach: [project, project.toUpperCase()] });
    expect(await call("GET", `/internal/tokens/${id}`)).toMatchObject({ reach: [project] });
    const { items } = await call("GET", `/internal/audit?object=${encodeURIComponent(`token ${id}`)}`);
    expect(items).toMatchObject([{ to: { reach: [project] } }]);
  });

  test("it is found by name, fingerprint, id and state", async () => {
    const { call, make } = await admin();
    const made = await make({ name: "Näve % bot" });
    const found = async (query: string) =>
      ((await call("GET", `/internal/tokens?${query}`)) as unknown as { items: Made[] }).items.map(({ id }) => id);
    expect(await found(`text=${encodeURIComponent("ve % BOT")}`)).toEqual([made.id]);
    expect(await found(`text=${made.fingerprint}`)).toEqual([made.id]);
    expect(await found(`text=${made.id}`)).toEqual([made.id]);
    expect(await found("text=no%25such")).toEqual([]);
    expect(await found("state=revoked")).not.toContain(made.id);
    await call("DELETE", `/internal/tokens/${made.id}`);
    expect(await found("state=revoked")).toContain(made.id);
    expect(await found("state=active")).not.toContain(made.id);
    expect(await call("GET", "/internal/tokens?state=other")).toMatchObject({ status: 400, error: "invalid_input" });
    expect(await call("GET", "/internal/tokens?cursor=nonsense")).toMatchObject({
      status: 400,
      error: "invalid_input",
    });
    expect(await call("GET", "/internal/tokens?limit=201")).toMatchObject({ status: 400, error: "invalid_input" });
  });

  test("a replacement has the same settings and does not touch the old one", async () => {
    const { call, make } = await admin();
    const old = await make({ name: "Nightly", scopes: ["tickets:write", "runs:execute"], limit: 7 });
    const next = (await call("POST", `/internal/tokens/${old.id}/replace`, {})) as unknown as Made;
    expect(next.token).toMatch(/^itk_/);
    expect(next.token).not.toBe(old.token);
    const shown = await call("GET", `/internal/tokens/${next.id}`);
    expect(shown).toMatchObject({ name: "Nightly", limit: 7, scopes: ["runs:execute", "tickets:write"] });
    expect([
      (await post(target(), { token: old.token })).status,
      (await post(target(), { token: next.token })).status,
    ]).toEqual([201, 201]);
    await call("DELETE", `/internal/tokens/${old.id}`);
    expect([
      (await post(target(), { token: old.token })).status,
      (await post(target(), { token: next.token })).status,
    ]).toEqual([401, 201]);
    expect(await call("POST", `/internal/tokens/${absent}/replace`, {})).toMatchObject({ status: 404 });
  });

  test("the log is newest first, with what the answers did not tell", async () => {
    const { call, make } = await admin();
    const { id, token } = await make();
    const first = (await (await post(target(), { token, key: "k", body: { title: "One" } })).json()) as { id: string };
    await post(target(), { token, key: "k", body: { title: "Two" } });
    await post(target(), { token, key: "k", body: { title: "One" } });
    await post(target(), { token, body: { title: "x", projectId: absent } });
    const items = await until(async () => {
      const all = await log(call, id);
      return all.length === 4 ? all : undefined;
    });
    expect(items).toMatchObject([
      { status: 404, code: "project_not_found", reason: "absent", replayed: false },
      { status: 201, replayed: true, mismatch: false, idempotencyKey: "k" },
      {
        status: 201,
        replayed: true,
        mismatch: true,
        differs: ["title"],
        ticket: { id: first.id, title: "One", projectName: "First project" },
      },
      { status: 201, replayed: false, ticket: { id: first.id } },
    ]);
    expect(items[3]?.["ms"]).toBeNumber();
    expect((await log(call, id, "?filter=errors")).map(({ code }) => code)).toEqual(["project_not_found"]);
    expect(await log(call, id, "?filter=replays")).toHaveLength(2);
    expect(await log(call, id, "?filter=mismatches")).toHaveLength(1);
    expect(await call("GET", `/internal/tokens/${id}`)).toMatchObject({ mismatches: 1 });
    expect(await call("GET", `/internal/tokens/${id}/requests?filter=odd`)).toMatchObject({ status: 400 });
  });

  test("the log's pages join without a gap, with a filter too", async () => {
    const { call, make } = await admin();
    const { id, token } = await make({ limit: 1_000 });
    for (let i = 0; i < 7; i++) await post(target(), { token, key: i % 2 ? "odd" : `even ${i}` });
    await until(async () => ((await log(call, id)).length === 7 ? true : undefined));
    for (const [filter, count] of [
      ["", 7],
      ["&filter=replays", 2],
    ] as const) {
      const seen: unknown[] = [];
      let cursor: unknown = "";
      do {
        const page = await call(
          "GET",
          `/internal/tokens/${id}/requests?limit=2${filter}${cursor ? `&cursor=${cursor}` : ""}`,
        );
        seen.push(...(page["items"] as unknown[]));
        cursor = page["next"];
      } while (cursor);
      expect(seen).toHaveLength(count);
      expect(new Set(seen.map((entry) => JSON.stringify(entry))).size).toBe(count);
    }
  });

  test("calls after a revoke are counted for the admin and look like any other to the caller", async () => {
    const { call, make } = await admin();
    const { id, token } = await make();
    await call("DELETE", `/internal/tokens/${id}`);
    const revoked = await post(target(), { token });
    const unknown = await post(target(), { token: "itk_nobody" });
    expect([revoked.status, await revoked.text()]).toEqual([unknown.status, await unknown.text()]);
    await post(target(), { token });
    const shown = await until(async () => {
      const found = await call("GET", `/internal/tokens/${id}`);
      return (found["late"] as { calls: number } | undefined)?.calls === 2 ? found : undefined;
    });
    expect(shown).toMatchObject({ lastUsedAt: null, late: { calls: 2 } });
    await post(target(), { token });
    await until(async () => {
      const { late } = await call("GET", `/internal/tokens/${id}`);
      return (late as { calls: number }).calls === 3 ? true : undefined;
    });
    expect((await log(call, id, "?filter=errors"))[0]).toMatchObject({ status: 401, code: "invalid_api_token" });
    const { ctx } = target().installation;
    const audited = await ctx.store.all(
      "select action from audit where object = $1 and action = 'token.used_after_revoke'",
      [`token ${id}`],
    );
    expect(audited).toHaveLength(1);
  });

  test("a change holds on the very next request", async () => {
    const { call, make } = await admin();
    const { id, token } = await make();
    const status = async () => (await post(target(), { token })).status;
    expect(await status()).toBe(201);
    await call("PATCH", `/internal/tokens/${id}`, { reach: [] });
    expect(await status()).toBe(404);
    await call("PATCH", `/internal/tokens/${id}`, { reach: "all", scopes: ["runs:execute"] });
    expect(await status()).toBe(403);
    await call("PATCH", `/internal/tokens/${id}`, { scopes: ["tickets:write"], name: "Renamed", limit: 30 });
    expect(await status()).toBe(201);
    expect(await call("GET", `/internal/tokens/${id}`)).toMatchObject({ name: "Renamed", reach: "all", limit: 30 });
    await call("DELETE", `/internal/tokens/${id}`);
    expect(await status()).toBe(401);
    expect(await call("PATCH", `/internal/tokens/${id}`, { name: "Again" })).toMatchObject({ status: 409 });
    expect(await call("DELETE", `/internal/tokens/${id}`)).toMatchObject({ status: 409, error: "conflict" });
  });
});
