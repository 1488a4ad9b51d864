import { expect, test } from "bun:test";
import { call } from "../../support/call.ts";
import {
  claimed,
  endLease,
  heldRun,
  machine,
  postRunner,
  queueRun,
  type RunProject,
  runProject,
  tell,
} from "../../support/runs.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets, type Target } from "../../support/targets.ts";

interface Run {
  id: string;
  state: string;
  reason: string | null;
  runnerSeenAt: string | null;
  mayCancel: boolean;
  mayRetry: boolean;
  log: { bytes: number; truncated: boolean };
  attempt: number;
  summary: string | null;
  pullRequestUrl: string | null;
  creditsUsed: number;
}

describeTargets(
  "runs as pages are told of them",
  (target) => {
    const as = async (role: "admin" | "member") => (await signIn(target(), role)).cookie;
    const get = async <Body>(path: string, cookie?: string) =>
      (await call(target(), "GET", `/internal${path}`, { cookie: cookie ?? (await as("member")) })).body as Body;
    const show = (id: string, cookie?: string) => get<Run>(`/runs/${id}`, cookie);

    test("a queued one says that there is no runner as long as none was seen that may take it", async () => {
      const { installation } = target();
      const project = await runProject(installation);
      const { runId, ticketId } = await queueRun(installation, project);
      const everywhere = async () => [
        (await show(runId)).reason,
        (await get<{ items: Run[] }>("/runs?limit=200")).items.find(({ id }) => id === runId)?.reason,
        (await get<{ run: Run }>(`/cards/${ticketId}`)).run.reason,
        (await get<{ items: { run: Run }[] }>(`/cards?ids=${ticketId}`)).items[0]?.run.reason,
        (await get<{ items: { id: string; run: Run }[] }>(`/columns/${await columnOf(ticketId)}/cards`)).items[0]?.run
          .reason,
      ];
      const none = Array(5).fill("no_runner");
      const fine = Array(5).fill(null);
      expect(await everywhere()).toEqual(none);
      expect((await show(runId)).runnerSeenAt).toBe(null);

      // A token of another project, which cannot claim the run.
      const other = await runProject(installation);
      await look(target(), other);
      expect(await everywhere()).toEqual(none);

      await seen(project, 0);
      expect(await everywhere()).toEqual(fine);
      // On a busy machine the looks that follow take seconds.
      await seen(project, 100_000);
      expect(await everywhere()).toEqual(fine);
      await seen(project, 121_000);
      expect(await everywhere()).toEqual(none);
      expect(Date.parse((await show(runId)).runnerSeenAt ?? "")).toBeLessThan(Date.now() - 120_000);

      await seen(project, 0);
      await installation.ctx.store.write((tx) =>
        tx.run("update api_token set revoked_at = 1 where id = $1", [project.runner.id]),
      );
      expect(await everywhere()).toEqual(none);
    });

    test("a machine that executes a run is there, though it asks for none", async () => {
      const { installation } = target();
      const project = await runProject(installation);
      const held = await heldRun(target(), project);
      const { runId } = await queueRun(installation, project);
      await seen(project, 600_000);
      expect((await show(runId)).reason).toBe(null);
      await tell(target(), held, "complete", { outcome: "succeeded", creditsUsed: 0 });
      expect((await show(runId)).reason).toBe("no_runner");
    });

    test("the log comes piece by piece, and as a text for whoever wants all of it", async () => {
      const cookie = await as("member");
      const held = await heldRun(target());
      const send = (offset: number, text: string) => tell(target(), held, "log", { offset, text });
      await send(0, "one\n");
      await send(4, "<script>\u001b[31mtwo\n");
      const { items } = await get<{ items: { number: number; text: string }[] }>(`/runs/${held.runId}/log`, cookie);
      expect(items.map(({ text }) => text)).toEqual(["one\n", "<script>\u001b[31mtwo\n"]);
      const later = await get<{ items: { text: string }[] }>(
        `/runs/${held.runId}/log?after=${items[0]?.number}`,
        cookie,
      );
      expect(later.items.map(({ text }) => text)).toEqual(["<script>\u001b[31mtwo\n"]);
      expect((await show(held.runId, cookie)).log).toEqual({ bytes: 21, truncated: false });
      const whole = await call(target(), "GET", `/internal/runs/${held.runId}/log/text`, { cookie });
      expect(whole.body).toEqual({ text: "one\n<script>\u001b[31mtwo\n" });
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": `attachment; filename="run-${held.runId}.log"`,
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
      for (const path of ["log", "log/text"]) {
        const absent = await call(target(), "GET", `/internal/runs/${crypto.randomUUID()}/${path}`, { cookie });
        expect(absent.status).toBe(404);
      }
    });

    test("a second attempt stands apart in the log", async () => {
      const { installation } = target();
      const project = await runProject(installation);
      const first = await heldRun(target(), project);
      await tell(target(), first, "log", { offset: 0, text: "first" });
      await endLease(installation, first.runId);
      const second = await (async () => {
        for (;;) {
          const response = await postRunner(target(), "claim", {
            token: project.runner.token,
            body: { claimId: crypto.randomUUID(), runner: machine, waitSeconds: 10 },
          });
          if (response.status === 200) return (await response.json()) as { leaseToken: string };
        }
      })();
      await tell(target(), { ...first, leaseToken: second.leaseToken }, "log", { offset: 0, text: "second" });
      expect(await show(first.runId)).toMatchObject({ attempt: 2, state: "claimed" });
      const whole = await call(target(), "GET", `/internal/runs/${first.runId}/log/text`, {
        cookie: await as("member"),
      });
      expect(whole.body).toEqual({ text: "first\n--- attempt 2 ---\nsecond" });
    });

    test("what became of it, and who may try again", async () => {
      const { installation } = target();
      const project = await runProject(installation);
      const held = await heldRun(target(), project);
      expect(await show(held.runId)).toMatchObject({ mayCancel: true, mayRetry: false });
      await tell(target(), held, "complete", {
        outcome: "succeeded",
        creditsUsed: 7,
        summary: "Done.",
        pullRequestUrl: "https://git.example.org/team/app/pull/4",
      });
      expect(await show(held.runId)).toMatchObject({
        state: "succeeded",
        summary: "Done.",
        pullRequestUrl: "https://git.example.org/team/app/pull/4",
        creditsUsed: 7,
        mayCancel: false,
        mayRetry: true,
      });
      const [admin, member] = [await as("admin"), await as("member")];
      await call(target(), "PATCH", "/internal/settings/run_starters", { cookie: admin, body: { value: "admins" } });
      expect(await show(held.runId, member)).toMatchObject({ mayRetry: false });
      expect(await show(held.runId, admin)).toMatchObject({ mayRetry: true });
      const retried = await call(target(), "POST", `/internal/runs/${held.runId}/retry`, { cookie: admin, body: {} });
      const id = retried.body["id"] as string;
      expect(await show(held.runId, admin)).toMatchObject({ mayRetry: false });
      const refused = await call(target(), "POST", `/internal/runs/${id}/cancel`, { cookie: member, body: {} });
      expect(refused.status).toBe(403);
      await call(target(), "POST", `/internal/runs/${id}/cancel`, { cookie: admin, body: {} });
      await call(target(), "PATCH", "/internal/settings/run_starters", { cookie: admin, body: { value: "" } });
      expect(await show(id)).toMatchObject({ state: "cancelled", mayRetry: true });
      const acts = await installation.ctx.store.all<{ action: string }>(
        "select action from audit where object in ($1, $2) order by id",
        [`run ${held.runId}`, `run ${id}`],
      );
      expect(acts.map(({ action }) => action)).toEqual(["run.retry", "run.cancel"]);
    });

    test("machines are listed for admins, with what they execute", async () => {
      const project = await runProject(target().installation);
      const held = await heldRun(target(), project);
      const { items } = await get<{ items: { token: { id: string }; online: boolean; runs: { id: string }[] }[] }>(
        "/runners",
        await as("admin"),
      );
      const [own] = items.filter(({ token }) => token.id === project.runner.id);
      expect(own).toMatchObject({
        name: machine.name,
        online: true,
        token: { mayExecute: true },
        runs: [{ id: held.runId, title: "For the agent" }],
      });
      expect(await get<object>("/runners")).toMatchObject({ error: "permission_denied" });
    });

    async function columnOf(ticketId: string): Promise<string> {
      const { store } = target().installation.ctx;
      const row = await store.one<{ column_id: string }>("select column_id from ticket where id = $1", [ticketId]);
      return row?.column_id ?? "";
    }

    /** Its machine was last seen so long ago. */
    async function seen(project: RunProject, milliseconds: number) {
      const { store, now } = target().installation.ctx;
      await store.write((tx) =>
        tx.run(
          `insert into runner (token_id, name, version, labels, seen_at) values ($1, 'machine', '1', '[]', $2)
           on conflict (token_id, name) do update set seen_at = excluded.seen_at`,
          [project.runner.id, now() - milliseconds],
        ),
      );
    }
  },
  ["over loopback"],
);

/** A claim that finds no run. */
async function look(target: Target, { runner }: RunProject) {
  const response = await postRunner(target, "claim", {
    token: runner.token,
    body: { claimId: crypto.randomUUID(), runner: machine },
  });
  expect(response.status).toBe(204);
}

describeTargets(
  "credits as pages are told of them",
  (target) => {
    test("members see what is left, admins grant and read the ledger", async () => {
      const { installation } = target();
      const [admin, member] = [(await signIn(target(), "admin")).cookie, (await signIn(target(), "member")).cookie];
      const get = (path: string, cookie: string) => call(target(), "GET", `/internal${path}`, { cookie });
      const grant = (body: object, cookie = admin) =>
        call(target(), "POST", "/internal/credits/grants", { cookie, body });
      expect((await get("/credits", member)).body).toEqual({ balance: null, held: 0, used: 0 });
      expect((await grant({ amount: 5 }, member)).status).toBe(403);
      expect((await get("/credits/entries", member)).status).toBe(403);
      for (const amount of [0, 1.5, 1_000_001, "5"]) expect((await grant({ amount })).status).toBe(400);
      expect((await grant({ amount: 5, note: "December" })).body).toEqual({ balance: 5 });
      expect((await grant({ amount: -6 })).status).toBe(409);

      const project = await runProject(installation);
      const { runId } = await queueRun(installation, project);
      await look(target(), project);
      const shown = (await get(`/runs/${runId}`, member)).body;
      expect(shown).toMatchObject({ state: "waiting", reason: "no_credits", credits: { needed: 10, left: 5 } });

      // Five are enough when a run of the repository holds no more: it is queued again at once.
      const path = `/internal/repositories/${project.repositoryId}/credits`;
      const set = (credits: unknown, cookie = admin) => call(target(), "PATCH", path, { cookie, body: { credits } });
      expect((await set(5, member)).status).toBe(403);
      for (const credits of [-1, 1.5, 1_000_001, null]) expect((await set(credits)).status).toBe(400);
      expect((await set(5)).body).toMatchObject({ runCredits: 5 });
      expect((await get(`/runs/${runId}`, member)).body).toMatchObject({ state: "queued" });
      const { credits, repositories } = (await get(`/projects/${project.projectId}`, member)).body;
      expect({ credits, repositories }).toMatchObject({ credits: 5, repositories: [{ runCredits: 5 }] });

      const held = await claimed(target(), project);
      expect((await get("/credits", member)).body).toEqual({ balance: 0, held: 5, used: 0 });
      await tell(target(), held, "complete", { outcome: "succeeded", creditsUsed: 2 });
      const first = (await get("/credits/entries?limit=2", admin)).body;
      const rest = (await get(`/credits/entries?limit=2&cursor=${first["next"]}`, admin)).body;
      const rows = [first, rest].flatMap(({ items }) => items as { kind: string; amount: number; balance: number }[]);
      expect(rows.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
        ["settle", -2, 3],
        ["release", 5, 5],
        ["hold", -5, 0],
        ["grant", 5, 5],
      ]);
      expect(rest).toMatchObject({ next: null });
      const acts = await installation.ctx.store.all<{ action: string }>(
        "select action from audit where action in ('credits.grant', 'repository.credits') order by id",
      );
      expect(acts.map(({ action }) => action)).toEqual(["credits.grant", "repository.credits"]);
    });

    test("a repository of nobody is not found", async () => {
      const { cookie } = await signIn(target(), "admin");
      const path = `/internal/repositories/${crypto.randomUUID()}/credits`;
      expect((await call(target(), "PATCH", path, { cookie, body: { credits: 1 } })).status).toBe(404);
    });
  },
  ["over loopback"],
);
