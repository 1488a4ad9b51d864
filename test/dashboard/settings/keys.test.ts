import { expect, test } from "bun:test";
import { limits } from "../../../openapi/schema/limits.ts";
import { envelope, submit } from "../../support/ingest.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { callInternal } from "./call-internal.ts";

interface Made {
  id: string;
  key: string;
}

describeTargets(
  "settings: SDK keys",
  (target) => {
    async function admin() {
      const { cookie } = await signIn(target(), "admin");
      const call = (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
      const projectId = target().installation.made.project.id;
      const make = async () => (await call("POST", "/internal/keys", { projectId, name: "App" })) as unknown as Made;
      return { call, make, projectId };
    }

    const report = (key: string, headers: Record<string, string> = {}) =>
      submit(target(), { key, parts: [envelope({ id: crypto.randomUUID() })], headers });

    test("a key works from the next report on, and every change to it does", async () => {
      const { call, make } = await admin();
      const { id, key } = await make();
      expect((await report(key)).status).toBe(200);
      await call("POST", `/internal/keys/${id}/pause`, {});
      expect((await report(key)).status).toBe(429);
      expect(await call("POST", `/internal/keys/${id}/pause`, {})).toMatchObject({ status: 409 });
      await call("POST", `/internal/keys/${id}/resume`, {});
      expect((await report(key)).status).toBe(200);
      await call("PATCH", `/internal/keys/${id}`, { origins: ["https://shop.example.org"] });
      expect((await report(key, { origin: "https://other.example.org" })).status).toBe(401);
      expect((await report(key, { origin: "https://shop.example.org" })).status).toBe(200);
      await call("PATCH", `/internal/keys/${id}`, { origins: [], name: "Shop", limit: 5 });
      expect((await report(key, { origin: "https://other.example.org" })).status).toBe(200);
      const { items } = await call("GET", "/internal/keys");
      expect((items as Made[]).find((one) => one.id === id)).toMatchObject({
        name: "Shop",
        key,
        limit: 5,
        origins: [],
        projectName: "First project",
        reports: { count: 4, more: false },
        state: "active",
      });
      await call("DELETE", `/internal/keys/${id}`);
      expect((await report(key)).status).toBe(401);
      expect(await call("PATCH", `/internal/keys/${id}`, { name: "Again" })).toMatchObject({ status: 409 });
    });

    test("members see keys whole: they are public by nature", async () => {
      const { make } = await admin();
      const { id, key } = await make();
      const { cookie } = await signIn(target(), "member");
      const { items } = await callInternal(target(), cookie, "GET", "/internal/keys");
      expect((items as Made[]).find((one) => one.id === id)?.key).toBe(key);
    });

    test("bad input is a clear error and changes nothing", async () => {
      const { call, make, projectId } = await admin();
      const { id } = await make();
      for (const body of [
        {},
        { projectId: "x", name: "App" },
        { projectId, name: " " },
        { projectId, name: "App", origins: ["*"] },
        { projectId, name: "App", colour: 1 },
      ]) {
        expect(await call("POST", "/internal/keys", body)).toMatchObject({ status: 400, error: "invalid_input" });
      }
      for (const body of [
        { name: "x".repeat(81) },
        { origins: ["https://a.example/path"] },
        { origins: Array.from({ length: limits.originsMax + 1 }, (_, i) => `https://${i}.example.org`) },
        { origins: [`https://${"x".repeat(limits.urlMax)}.example.org`] },
        { limit: 0 },
        { limit: null },
        { key: "isk_" },
        { projectId },
        { requests_per_window: 9 },
      ]) {
        expect(await call("PATCH", `/internal/keys/${id}`, body)).toMatchObject({
          status: 400,
          error: "invalid_input",
        });
      }
    });

    test("what was changed is in the audit log", async () => {
      const { call, make } = await admin();
      const { id } = await make();
      await call("PATCH", `/internal/keys/${id}`, { name: "Renamed" });
      const { ctx } = target().installation;
      const rows = await ctx.store.all<{ action: string; before: string; after: string }>(
        "select action, before, after from audit where object = $1 order by id",
        [`key ${id}`],
      );
      expect(rows.map(({ action }) => action)).toEqual(["key.create", "key.update"]);
      expect([rows[1]?.before, rows[1]?.after]).toEqual(['{"name":"App"}', '{"name":"Renamed"}']);
    });
  },
  ["over loopback"],
);
