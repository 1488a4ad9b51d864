import { expect, test } from "bun:test";
import { showOrganisation } from "../../../server/organisation/show-organisation.ts";
import { onPostgres } from "../../support/databases.ts";
import { envelope, newSdkKey, submit } from "../../support/ingest.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { callInternal } from "./call-internal.ts";

describeTargets(
  "settings: organisation and repositories",
  (target) => {
    async function admin() {
      const { cookie } = await signIn(target(), "admin");
      return (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
    }

    test("it is shown with its settings, their bounds and what it stores", async () => {
      const call = await admin();
      const shown = await call("GET", "/internal/organisation");
      expect(shown).toMatchObject({
        id: target().installation.made.organisation.id,
        publicUrl: { fixed: null },
        storage: { low: expect.any(Boolean), databaseBytes: expect.any(Number) },
        diagnostics: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      });
      const days = (shown["settings"] as { name: string }[]).find(({ name }) => name === "retention_days");
      expect(days).toMatchObject({ value: 90, default: 90, bounds: "1 to 36,500" });
    });

    test("a clock that is not trusted is told with what to do about it", async () => {
      const { ctx } = target().installation;
      const expected = Date.UTC(2026, 11, 1);
      const tools = {
        databaseBytes: async () => 4_096,
        space: () => ({ bytes: 1e9, low: false }),
        trouble: () => undefined,
        clockDoubt: () => ({ trusted: false, expected, unexplained: 100 * 86_400_000 }),
        startedAt: ctx.now(),
        requireSetting: () => {},
      };
      expect((await showOrganisation({ ctx, tools })).storage.clock).toBe(
        "the clock shows 2027-03-11T00:00:00.000Z, 100 days later than the last time that is known (2026-12-01T00:00:00.000Z), so nothing is deleted by age. If the clock is wrong, set it. If it is right (the machine was off for so long, or an older copy of the data was put back), run: intake clock confirm",
      );
      expect(
        (await showOrganisation({ ctx, tools: { ...tools, clockDoubt: () => undefined } })).storage.clock,
      ).toBeNull();
    });

    if (onPostgres)
      test("on PostgreSQL, backups name the tools to use instead", async () => {
        const call = await admin();
        const tools = expect.stringContaining("pg_dump");
        expect(await call("GET", "/internal/backups")).toMatchObject({ status: 200, instead: tools, to: null });
        expect(await call("POST", "/internal/backups", {})).toMatchObject({ status: 400, message: tools });
        expect(await call("PATCH", "/internal/settings/backup_to", { value: "/b" })).toMatchObject({
          status: 400,
          message: tools,
        });
        expect(await call("PATCH", "/internal/settings/backup_to", { value: "" })).toMatchObject({ status: 200 });
      });

    test("its name changes and is audited", async () => {
      const call = await admin();
      expect(await call("PATCH", "/internal/organisation", { name: "Øst & Co" })).toMatchObject({ status: 200 });
      expect(await call("GET", "/internal/organisation")).toMatchObject({ name: "Øst & Co" });
      expect(await call("PATCH", "/internal/organisation", { name: "" })).toMatchObject({ status: 400 });
      const { ctx } = target().installation;
      const row = await ctx.store.one<{ after: string }>(
        "select after from audit where action = 'organisation.rename'",
      );
      expect(row?.after).toBe('{"name":"Øst & Co"}');
    });

    test("a setting is changed within its bounds, and goes back to its default", async () => {
      const call = await admin();
      const path = "/internal/settings/retention_days";
      expect(await call("PATCH", path, { value: "30" })).toMatchObject({ status: 200, value: 30 });
      expect(await call("PATCH", path, { value: "" })).toMatchObject({ status: 200, value: 90 });
      for (const value of ["0", "ten", "1e3", "36501"]) {
        expect(await call("PATCH", path, { value })).toMatchObject({ status: 400, error: "invalid_input" });
        expect(await call("POST", `${path}/preview`, { value })).toMatchObject({ status: 400, error: "invalid_input" });
      }
      expect(await call("PATCH", path, { value: 30 })).toMatchObject({ status: 400 });
      expect(await call("PATCH", "/internal/settings/colour", { value: "1" })).toMatchObject({ status: 404 });
      expect(await call("PATCH", "/internal/settings/__proto__", { value: "1" })).toMatchObject({ status: 404 });
    });

    test("a public URL with a path is refused in words, before and at the change", async () => {
      const call = await admin();
      for (const [method, path] of [
        ["POST", "/internal/settings/public_url/preview"],
        ["PATCH", "/internal/settings/public_url"],
      ] as const) {
        expect(await call(method, path, { value: "https://example.org/intake" })).toMatchObject({
          status: 400,
          message: expect.stringContaining("must have no path: Intake serves its pages at the root of a host"),
        });
      }
    });

    test("lowering what is kept is counted before anything goes", async () => {
      const call = await admin();
      const { ctx, made } = target().installation;
      const { key } = await newSdkKey(target().installation);
      for (let i = 0; i < 3; i++) {
        expect((await submit(target(), { key, parts: [envelope({ n: i, id: crypto.randomUUID() })] })).status).toBe(
          200,
        );
      }
      const old = ctx.now() - 40 * 86_400_000;
      await ctx.store.write((tx) =>
        tx.run("update event set received_at = $2 where id = (select min(id) from event where project_id = $1)", [
          made.project.id,
          old,
        ]),
      );
      const preview = (name: string, value: string) => call("POST", `/internal/settings/${name}/preview`, { value });
      expect(await preview("retention_days", "30")).toMatchObject({ what: "reports", count: 1 });
      expect(await preview("retention_days", "50")).toMatchObject({ what: "reports", count: 0 });
      expect(await preview("retention_events", "1")).toMatchObject({ what: "reports", count: 2 });
      expect(await preview("retention_bytes", "1")).toMatchObject({ what: "reports", count: 3, about: true });
      expect(await preview("source_ip", "off")).toMatchObject({ what: null });
    });

    test("repositories are bound and unbound, with the runs that wait on them", async () => {
      const call = await admin();
      const { ctx, made } = target().installation;
      const body = { projectId: made.project.id, url: "https://git.example.org/shop.git" };
      const { id } = (await call("POST", "/internal/repositories", body)) as unknown as { id: string };
      expect(await call("POST", "/internal/repositories", body)).toMatchObject({ status: 409 });
      expect(
        await call("POST", "/internal/repositories", { ...body, url: "https://u:p@git.example.org/x" }),
      ).toMatchObject({
        status: 400,
      });
      for (const url of [null, ""]) {
        expect(await call("POST", "/internal/repositories", { ...body, url })).toMatchObject({ status: 400 });
      }
      const of = `/internal/repositories/${id}`;
      expect(await call("PATCH", of, {})).toMatchObject({ status: 400 });
      expect(await call("PATCH", of, { baseBranch: "a b" })).toMatchObject({ status: 400 });
      expect(await call("PATCH", of, { baseBranch: "develop" })).toMatchObject({ status: 200, baseBranch: "develop" });
      expect(await call("PATCH", of, { baseBranch: null })).toMatchObject({ status: 200, baseBranch: null });
      const shown = async () =>
        ((await call("GET", "/internal/repositories"))["items"] as { id: string }[]).find((one) => one.id === id);
      expect(await shown()).toMatchObject({ projectName: "First project", lastRun: null, waitingRuns: 0 });
      await ctx.store.write(function* (tx) {
        const ticketId = ctx.newId();
        yield* tx.run(
          `insert into ticket (id, column_id, position, title, priority, author_name, created_at)
           values ($1, $2, 0, 'T', 'none', 'x', 0)`,
          [ticketId, made.columns[0]?.id ?? ""],
        );
        yield* tx.run(
          `insert into agent_run (id, ticket_id, agent_id, repository_id, state, attempt, branch, queued_at)
           values ($1, $2, $3, $4, 'queued', 1, 'b', 5)`,
          [ctx.newId(), ticketId, made.agent.id, id],
        );
      });
      expect(await shown()).toMatchObject({ lastRun: { state: "queued" }, waitingRuns: 1 });
      expect(await call("DELETE", `/internal/repositories/${id}`)).toMatchObject({ status: 200 });
      expect(await shown()).toBeUndefined();
      expect(await call("DELETE", `/internal/repositories/${id}`)).toMatchObject({ status: 404 });
    });
  },
  ["over loopback"],
);
