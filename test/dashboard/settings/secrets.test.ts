import { expect, test } from "bun:test";
import { allRoutes } from "../../support/routes.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { post } from "../../support/tickets.ts";
import { callInternal } from "./call-internal.ts";

describeTargets(
  "secrets of settings",
  (target) => {
    test("are in the answer that makes them, and in no other one, nor in the database", async () => {
      const { cookie } = await signIn(target(), "admin");
      const call = (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
      const { ctx, made } = target().installation;
      const token = await call("POST", "/internal/tokens", { name: "CI", reach: "all" });
      const replaced = await call("POST", `/internal/tokens/${token["id"]}/replace`, {});
      const subscriber = await call("POST", "/internal/subscribers", {
        projectId: null,
        url: "http://127.0.0.1:9/hook",
        headers: "X-Team: header-secret-value",
      });
      const rotated = await call("POST", `/internal/subscribers/${subscriber["id"]}/rotate`, {});
      await post(target(), { token: token["token"] as string });
      const secrets = [token["token"], replaced["token"], subscriber["secret"], rotated["secret"]].map(String);
      expect(secrets.map((secret) => secret.slice(0, 6))).toEqual([
        expect.stringMatching(/^itk_/),
        expect.stringMatching(/^itk_/),
        "whsec_",
        "whsec_",
      ]);
      secrets.push("header-secret-value");

      const ids: Record<string, unknown> = {
        "/internal/tokens": token["id"],
        "/internal/subscribers": subscriber["id"],
        "/internal/projects": made.project.id,
        "/internal/boards": made.board.id,
      };
      const paths = allRoutes()
        .filter(({ method, path }) => method === "GET" && path.startsWith("/internal/") && !/live|\*/.test(path))
        .map(({ path }) =>
          path.replace(/^(\/internal\/\w+)\/:id/, (_, head) => `${head}/${ids[head] ?? made.project.id}`),
        )
        .map((path) => path.replaceAll(/:\w+/g, made.project.id));
      expect(paths).toContain(`/internal/tokens/${token["id"]}/requests`);
      for (const path of paths) {
        const response = await target().send(path, { headers: { cookie } });
        const text = await response.text();
        for (const secret of secrets) expect([path, text.includes(secret)]).toEqual([path, false]);
      }

      const tables = await ctx.store.all<{ name: string }>({
        sqlite: "select name from sqlite_schema where type = 'table'",
        postgres: "select tablename as name from pg_tables where schemaname = 'public'",
      });
      for (const { name } of tables.filter(
        ({ name }) => !/^sqlite_|_fts|_config|_data|_idx|_docsize|_content/.test(name),
      )) {
        const stored = JSON.stringify(await ctx.store.all(`select * from "${name}"`));
        for (const secret of secrets) expect([name, stored.includes(secret)]).toEqual([name, false]);
      }
    });
  },
  ["over loopback"],
);
