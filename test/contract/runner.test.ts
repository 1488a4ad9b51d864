import { describe, expect, spyOn, test } from "bun:test";
import { limits } from "../../openapi/schema/limits.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { readRunLog } from "../../server/agents/read-run-log.ts";
import { RunNotifier } from "../../server/agents/run-notifier.ts";
import { archiveProject } from "../../server/boards/archive.ts";
import { setBaseBranch } from "../../server/boards/set-base-branch.ts";
import { replaceToken } from "../../server/credentials/replace-token.ts";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import {
  claimed,
  endLease,
  type Held,
  heldRun,
  machine,
  postRunner,
  queueRun,
  repositoryUrl,
  runnerToken,
  runOf,
  runProject,
  tell,
} from "../support/runs.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { post } from "../support/tickets.ts";
import { until } from "../support/until.ts";

const done = { outcome: "succeeded", creditsUsed: 0 };
const lost = [409, { error: "lease_lost", message: "The run is no longer yours. Stop working on it." }];
const nothing = [404, { error: "not_found", message: "There is nothing at this address." }];
const calls = [
  ["heartbeat", {}],
  ["log", { offset: 0, text: "x" }],
  ["complete", done],
] as const;

describeTargets(
  "the runner protocol",
  (target) => {
    const installation = () => target().installation;
    const ctx = () => installation().ctx;

    describe("claiming", () => {
      const claim = (token: string, body: object = {}) =>
        postRunner(target(), "claim", { token, body: { claimId: crypto.randomUUID(), runner: machine, ...body } });

      test("gives the run, its ticket, its repository and a lease", async () => {
        const project = await runProject(installation());
        const { runId, ticketId } = await queueRun(installation(), project);
        const response = await claim(project.runner.token);
        const body = (await response.json()) as Record<string, unknown>;
        expect(body).toMatchObject({
          run: { id: runId, ticketId, projectId: project.projectId, state: "claimed", attempt: 1 },
          ticket: { id: ticketId, title: "For the agent", description: null },
          repository: { id: project.repositoryId, url: repositoryUrl, baseBranch: null },
          heartbeatSeconds: limits.heartbeatSeconds,
          creditsHeld: null,
        });
        expect((await claim(project.runner.token)).status).toBe(204);
      });

      test("gives the base branch of the repository", async () => {
        const project = await runProject(installation());
        await setBaseBranch({ ctx: ctx(), input: { repositoryId: project.repositoryId, baseBranch: "release/2.x" } });
        await queueRun(installation(), project);
        const body = (await (await claim(project.runner.token)).json()) as Record<string, unknown>;
        expect(body).toMatchObject({ repository: { baseBranch: "release/2.x" } });
      });

      test("waits for a run that is queued meanwhile", async () => {
        const project = await runProject(installation());
        const waiting = claim(project.runner.token, { waitSeconds: 30 });
        const { runId } = await queueRun(installation(), project);
        expect((await (await waiting).json()) as unknown).toMatchObject({ run: { id: runId } });
      });

      test("is woken at once by a ticket of the API, not by the next look", async () => {
        const project = await runProject(installation());
        // In process the server does not look for runs periodically: only a notification ends the wait.
        const ring = RunNotifier.prototype.wait;
        const wait = spyOn(RunNotifier.prototype, "wait").mockImplementation(function (this: RunNotifier) {
          return ring.call(this, 2 ** 31 - 1);
        });
        try {
          const waiting = claim(project.runner.token, { waitSeconds: 30 });
          const seen = () => ctx().store.one("select name from runner where token_id = $1", [project.runner.id]);
          await until(seen);
          if (target().way !== "compiled binary") await until(() => wait.mock.calls[0]);
          const made = await post(target(), {
            token: project.author.token,
            body: { title: "At once", projectId: project.projectId, assigneeUserId: installation().made.agent.id },
          });
          expect(made.status).toBe(201);
          expect((await waiting).status).toBe(200);
        } finally {
          wait.mockRestore();
        }
      });

      test("the same claimId gives the same run with a new lease; the one before is worth nothing", async () => {
        const project = await runProject(installation());
        await queueRun(installation(), project);
        await queueRun(installation(), project);
        const { token } = project.runner;
        const once = async () =>
          (await (await claim(token, { claimId: "lost" })).json()) as { leaseToken: string; run: { id: string } };
        const [first, second] = [await once(), await once()];
        expect(second.run.id).toBe(first.run.id);
        const held = { runId: first.run.id, token };
        for (const [call, body] of calls.slice(0, 2)) {
          expect(await tell(target(), { ...held, leaseToken: first.leaseToken }, call, body)).toEqual(lost as never);
        }
        expect((await tell(target(), { ...held, leaseToken: second.leaseToken }, "heartbeat", {}))[0]).toBe(200);
        // Another runner with this claimId has another token and gets a run of its own.
        const other = await runnerToken(installation(), { reach: [project.projectId] });
        const third = (await (await claim(other.token, { claimId: "lost" })).json()) as { run: { id: string } };
        expect(third.run.id).not.toBe(first.run.id);
      });

      test("two at once with one claimId get one run, and one of them the lease", async () => {
        const project = await runProject(installation());
        await queueRun(installation(), project);
        await queueRun(installation(), project);
        const { token } = project.runner;
        const answers = await Promise.all(
          Array.from({ length: 8 }, async () => {
            const response = await claim(token, { claimId: "twice" });
            return (await response.json()) as { leaseToken: string; run: { id: string } };
          }),
        );
        expect(new Set(answers.map(({ run }) => run.id)).size).toBe(1);
        const statuses = await Promise.all(
          answers.map(({ run, leaseToken }) => tell(target(), { runId: run.id, leaseToken, token }, "heartbeat", {})),
        );
        expect(statuses.filter(([status]) => status === 200)).toHaveLength(1);
      });

      test("the oldest first, and project by project however long the queue of one is", async () => {
        const [busy, calm] = [await runProject(installation()), await runProject(installation())];
        const runs: string[] = [];
        for (let i = 0; i < 6; i++) runs.push((await queueRun(installation(), busy)).runId);
        for (let i = 0; i < 2; i++) runs.push((await queueRun(installation(), calm)).runId);
        const both = await runnerToken(installation(), { reach: [busy.projectId, calm.projectId] });
        const order: number[] = [];
        for (let i = 0; i < runs.length; i++)
          order.push(runs.indexOf((await claimed(target(), { runner: both })).runId));
        expect(order).toEqual([0, 6, 1, 7, 2, 3, 4, 5]);
      });

      test("an archived project's runs wait", async () => {
        const project = await runProject(installation());
        await queueRun(installation(), project);
        await archiveProject({ ctx: ctx(), input: { id: project.projectId } });
        expect((await claim(project.runner.token)).status).toBe(204);
      });

      test("a token that was revoked while it waited gets nothing", async () => {
        const project = await runProject(installation());
        const waiting = claim(project.runner.token, { waitSeconds: 30 });
        await revokeToken({ ctx: ctx(), input: { id: project.runner.id } });
        const { runId } = await queueRun(installation(), project);
        await waiting.then(
          (response) => expect(response.status).toBe(401),
          () => undefined,
        );
        expect((await runOf(installation(), runId)).state).toBe("queued");
      }, 180_000);
    });

    describe("bodies", () => {
      const faults: [call: string, body: Record<string, unknown>, path: string, code: string][] = [
        ["claim", { runner: machine }, "/claimId", "required"],
        ["claim", { claimId: "", runner: machine }, "/claimId", "too_short"],
        ["claim", { claimId: "x".repeat(101), runner: machine }, "/claimId", "too_long"],
        ["claim", { claimId: "a\0", runner: machine }, "/claimId", "bad_characters"],
        ["claim", { claimId: "a" }, "/runner", "required"],
        ["claim", { claimId: "a", runner: "m" }, "/runner", "wrong_type"],
        ["claim", { claimId: "a", runner: [] }, "/runner", "wrong_type"],
        ["claim", { claimId: "a", runner: { ...machine, labels: "x" } }, "/runner/labels", "wrong_type"],
        ["claim", { claimId: "a", runner: { ...machine, labels: ["x", 7] } }, "/runner/labels/1", "wrong_type"],
        ["claim", { claimId: "a", runner: { ...machine, labels: Array(21).fill("x") } }, "/runner/labels", "too_long"],
        ["claim", { claimId: "a", runner: { ...machine, os: "linux" } }, "/runner/os", "unknown_field"],
        ["claim", { claimId: "a", runner: machine, waitSeconds: 31 }, "/waitSeconds", "bad_value"],
        ["claim", { claimId: "a", runner: machine, waitSeconds: -1 }, "/waitSeconds", "bad_value"],
        ["claim", { claimId: "a", runner: machine, waitSeconds: 1.5 }, "/waitSeconds", "wrong_type"],
        ["claim", { claimId: "a", runner: machine, waitSeconds: "5" }, "/waitSeconds", "wrong_type"],
        ["heartbeat", {}, "/leaseToken", "required"],
        ["heartbeat", { leaseToken: null }, "/leaseToken", "wrong_type"],
        ["heartbeat", { leaseToken: "a", creditsUsed: -1 }, "/creditsUsed", "bad_value"],
        ["heartbeat", { leaseToken: "a", creditsUsed: limits.creditsMax + 1 }, "/creditsUsed", "bad_value"],
        ["heartbeat", { leaseToken: "a", creditsUsed: 1e300 }, "/creditsUsed", "bad_value"],
        ["heartbeat", { leaseToken: "a", progress: "x".repeat(201) }, "/progress", "too_long"],
        ["log", { leaseToken: "a", text: "x" }, "/offset", "required"],
        ["log", { leaseToken: "a", offset: -1, text: "x" }, "/offset", "bad_value"],
        ["log", { leaseToken: "a", offset: 0, text: "x".repeat(limits.runLogTextMax + 1) }, "/text", "too_long"],
        ["log", { leaseToken: "a", offset: 0, text: "\ud800" }, "/text", "bad_characters"],
        ["complete", { leaseToken: "a", outcome: "done", creditsUsed: 0 }, "/outcome", "bad_value"],
        ["complete", { leaseToken: "a", outcome: "failed" }, "/creditsUsed", "required"],
        ["complete", { leaseToken: "a", outcome: "failed", creditsUsed: -1 }, "/creditsUsed", "bad_value"],
        ["complete", { leaseToken: "a", ...done, branch: "" }, "/branch", "too_short"],
        ["complete", { leaseToken: "a", ...done, __proto__x: 1 }, "/__proto__x", "unknown_field"],
      ];

      test.each(faults)("%s %j: %s %s", async (call, body, path, code) => {
        here ??= await heldRun(target());
        const { token } = here;
        const at = call === "claim" ? call : `runs/${here.runId}/${call}`;
        const response = await postRunner(target(), at, { token, body });
        const { error, details } = (await response.json()) as {
          error: string;
          details: { path: string; code: string }[];
        };
        expect([response.status, error]).toEqual([400, "invalid_input"]);
        expect(details.map((one) => [one.path, one.code])).toEqual([[path, code]]);
      });
      let here: Held | undefined;

      const wholes: [name: string, code: string, call: { body?: unknown; headers?: Record<string, string> }][] = [
        ["another content type", "content_type", { headers: { "content-type": "text/plain" } }],
        ["no JSON", "not_json", { body: "{" }],
        ["a list", "not_object", { body: "[]" }],
        ["a body of more than 1 MiB", "too_large", { body: JSON.stringify({ text: "x".repeat(1_048_576) }) }],
      ];
      test.each(wholes)("%s is %s", async (_, code, call) => {
        const { token } = await runnerToken(installation());
        const response = await postRunner(target(), "claim", { token, ...call });
        const body = (await response.json()) as { error: string; details: object[] };
        expect([response.status, body.error]).toEqual([400, "invalid_input"]);
        expect(body.details).toMatchObject([{ path: "", code }]);
      });

      test("lengths are code points", async () => {
        const held = await heldRun(target());
        const [status] = await tell(target(), held, "heartbeat", { progress: "🦊".repeat(200) });
        expect(status).toBe(200);
      });
    });

    describe("a lease", () => {
      test("of another run, or made up, is lost; a run that is none or out of reach is not found", async () => {
        const [held, other] = [await heldRun(target()), await heldRun(target())];
        for (const [call, body] of calls) {
          expect(await tell(target(), { ...held, leaseToken: other.leaseToken }, call, body)).toEqual(lost as never);
          expect(await tell(target(), { ...held, leaseToken: "lease_" }, call, body)).toEqual(lost as never);
          expect(await tell(target(), { ...held, token: other.token }, call, body)).toEqual(nothing as never);
          expect(await tell(target(), { ...held, runId: crypto.randomUUID() }, call, body)).toEqual(nothing as never);
          expect(await tell(target(), { ...held, runId: "7" }, call, body)).toEqual(nothing as never);
        }
      });

      test("a run that nobody has claimed has none", async () => {
        const project = await runProject(installation());
        const { runId } = await queueRun(installation(), project);
        const held = { runId, token: project.runner.token, leaseToken: "lease_early" };
        for (const [call, body] of calls) expect(await tell(target(), held, call, body)).toEqual(lost as never);
      });

      test("outlives the replacement of its token", async () => {
        const project = await runProject(installation());
        const held = await heldRun(target(), project);
        const { token } = await replaceToken({ ctx: ctx(), input: { id: project.runner.id } });
        await revokeToken({ ctx: ctx(), input: { id: project.runner.id } });
        expect((await tell(target(), held, "heartbeat", {}))[0]).toBe(401);
        expect((await tell(target(), { ...held, token }, "heartbeat", {}))[0]).toBe(200);
      });

      test("that has ended is lost for work, though not for the result as long as nobody else has the run", async () => {
        const project = await runProject(installation());
        const held = await heldRun(target(), project);
        await endLease(installation(), held.runId);
        await requeued(held.runId);
        expect(await tell(target(), held, "heartbeat", {})).toEqual(lost as never);
        expect(await tell(target(), held, "log", { offset: 0, text: "x" })).toEqual(lost as never);
        const late = await tell(target(), held, "complete", { ...done, summary: "Late" });
        expect(late).toMatchObject([200, { run: { state: "succeeded", summary: "Late" } }]);
        expect(await tell(target(), held, "complete", { ...done, outcome: "failed" })).toEqual(late);
        expect(
          (await postRunner(target(), "claim", { token: held.token, body: { claimId: "b", runner: machine } })).status,
        ).toBe(204);
      });

      test("that another one followed is lost for everything", async () => {
        const project = await runProject(installation());
        const first = await heldRun(target(), project);
        await endLease(installation(), first.runId);
        await requeued(first.runId);
        const second = await claimed(target(), project);
        expect(second.runId).toBe(first.runId);
        for (const [call, body] of calls) expect(await tell(target(), first, call, body)).toEqual(lost as never);
        expect(await tell(target(), second, "complete", done)).toMatchObject([200, { run: { attempt: 2 } }]);
        for (const [call, body] of calls) expect(await tell(target(), first, call, body)).toEqual(lost as never);
      });
    });

    /** Expires the lease of the run, as the server does every second. */
    async function requeued(runId: string) {
      await until(async () => ((await runOf(installation(), runId)).state === "queued" ? true : undefined));
    }

    describe("the log", () => {
      const text = async (id: string) => {
        const { items } = await readRunLog({ ctx: ctx(), input: { id, after: 0 } });
        return items.map((item) => item.text).join("");
      };

      test("repeats and overlaps are harmless, gaps are told where to go on", async () => {
        const held = await heldRun(target());
        const append = (offset: number, more: string) => tell(target(), held, "log", { offset, text: more });
        expect(await append(0, "Grüße\n")).toEqual([200, { truncated: false, length: 8 }]);
        expect(await append(0, "Grüße\n")).toEqual([200, { truncated: false, length: 8 }]);
        expect(await append(9, "late")).toMatchObject([409, { error: "log_gap", length: 8 }]);
        expect(await append(8, "more")).toEqual([200, { truncated: false, length: 12 }]);
        expect(await append(0, "Grüße\nmore and more")).toEqual([200, { truncated: false, length: 21 }]);
        expect(await append(Number.MAX_SAFE_INTEGER, "x")).toMatchObject([409, { error: "log_gap", length: 21 }]);
        expect(await text(held.runId)).toBe("Grüße\nmore and more");
      });

      test("of 6 MiB 5 are kept, and the run goes on", async () => {
        const held = await heldRun(target());
        const piece = "0123456789abcde\n".repeat(16_384);
        let offset = 0;
        let truncated: unknown = false;
        for (let sent = 0; sent < 24; sent++) {
          const [status, log] = await tell(target(), held, "log", { offset, text: piece });
          expect(status).toBe(200);
          offset += piece.length;
          expect(log["length"]).toBe(offset);
          truncated = log["truncated"];
        }
        expect(truncated).toBe(true);
        expect((await runOf(installation(), held.runId)).log_kept).toBe(limits.runLogBytes);
        expect((await text(held.runId)).length).toBe(limits.runLogBytes);
        expect((await tell(target(), held, "complete", done))[0]).toBe(200);
      }, 180_000);

      test("of more than 2 GiB is counted on", async () => {
        const held = await heldRun(target());
        const before = 2 ** 31 - 2;
        await ctx().store.write((tx) =>
          tx.run("update agent_run set log_length = $1, log_kept = $2 where id in ($3)", [
            before,
            limits.runLogBytes,
            held.runId,
          ]),
        );
        const append = (offset: number) => tell(target(), held, "log", { offset, text: "more" });
        expect(await append(before)).toEqual([200, { truncated: true, length: before + 4 }]);
        expect(await append(before + 4)).toEqual([200, { truncated: true, length: before + 8 }]);
      });
    });

    describe("completing", () => {
      test.each([
        "http://git.example.org/team/app/pulls/1",
        "https://git.example.com/team/app/pulls/1",
        "https://git.example.org/team/apple/pulls/1",
        "https://git.example.org/team/app/../../other/pulls/1",
        "https://git.example.org/team/app",
        "https://git.example.org:444/team/app/pulls/1",
        "https://user:word@git.example.org/team/app/pulls/1",
        "https://git.example.org@evil.example/team/app/pulls/1",
        "javascript:alert(1)//git.example.org/team/app/",
        "team/app/pulls/1",
      ])("a pull request at %s is refused, and the run goes on", async (pullRequestUrl) => {
        here ??= await heldRun(target());
        const [status, body] = await tell(target(), here, "complete", { ...done, pullRequestUrl });
        expect([status, body["error"]]).toEqual([400, "invalid_input"]);
        expect(body["details"]).toMatchObject([{ path: "/pullRequestUrl", code: "bad_value" }]);
        expect((await tell(target(), here, "heartbeat", {}))[0]).toBe(200);
      });
      let here: Held | undefined;

      test("a pull request of the repository is shown with the run", async () => {
        const held = await heldRun(target());
        const pullRequestUrl = "https://git.example.org/team/app/pulls/41";
        const [status, body] = await tell(target(), held, "complete", { ...done, summary: "Done", pullRequestUrl });
        expect([status, body]).toMatchObject([200, { run: { state: "succeeded", pullRequestUrl, summary: "Done" } }]);
      });
    });

    describe("a run that is cancelled", () => {
      const steps: [name: string, before: (target: Target, held: Held) => Promise<unknown>][] = [
        ["once claimed", async () => undefined],
        ["while it runs", (at, held) => tell(at, held, "heartbeat", {})],
        ["after its log", (at, held) => tell(at, held, "log", { offset: 0, text: "x" })],
      ];
      test.each(steps)("%s: its holder learns so, stops, and says what it used", async (_, before) => {
        const held = await heldRun(target());
        await before(target(), held);
        await cancelRun({ ctx: ctx(), input: { id: held.runId } });
        expect(await tell(target(), held, "heartbeat", { creditsUsed: 2 })).toEqual([
          200,
          { cancelRequested: true, creditsLeft: null },
        ]);
        expect((await tell(target(), held, "log", { offset: 0, text: "Stopping\n" }))[0]).toBe(200);
        const ended = await tell(target(), held, "complete", { outcome: "succeeded", creditsUsed: 3 });
        expect(ended).toMatchObject([200, { run: { state: "cancelled", creditsUsed: 3 } }]);
        expect(await tell(target(), held, "heartbeat", {})).toEqual(lost as never);
      });

      test("before it is claimed is claimed by nobody", async () => {
        const project = await runProject(installation());
        const { runId } = await queueRun(installation(), project);
        await cancelRun({ ctx: ctx(), input: { id: runId } });
        const body = { claimId: "a", runner: machine };
        expect((await postRunner(target(), "claim", { token: project.runner.token, body })).status).toBe(204);
      });

      test("is kept alive by no heartbeat", async () => {
        const held = await heldRun(target());
        await cancelRun({ ctx: ctx(), input: { id: held.runId } });
        const { lease_until } = await runOf(installation(), held.runId);
        await tell(target(), held, "heartbeat", {});
        expect((await runOf(installation(), held.runId)).lease_until).toBe(lease_until);
      });
    });
  },
  ["in process", "compiled binary"],
);
