import { describe, expect, test } from "bun:test";
import { type ClaimedRun, IntakeRunner, isApiError, type RunnerOptions } from "../../client/src/runner.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { readRunLog } from "../../server/agents/read-run-log.ts";
import { endLease, machine, queueRun, type RunProject, runOf, runProject } from "../support/runs.ts";
import { describeTargets } from "../support/targets.ts";
import { until } from "../support/until.ts";

/** What happens to the answers of the next requests, in turn; later answers arrive. */
type Fate = "arrives" | "lost" | "never sent" | 503;

/** A connection on which answers are lost or arrive in this way. */
function through(fates: Fate[]): NonNullable<RunnerOptions["fetch"]> {
  return async (url, init) => {
    const fate = fates.shift() ?? "arrives";
    if (fate === "never sent") throw new Error("no connection");
    if (fate === 503)
      return Response.json({ error: "service_unavailable" }, { status: 503, headers: { "retry-after": "0" } });
    const response = await fetch(url, init);
    if (fate === "arrives") return response;
    await response.arrayBuffer();
    throw new Error("the answer was lost");
  };
}

describeTargets(
  "IntakeRunner",
  (target) => {
    const installation = () => target().installation;

    function runner({ runner: { token } }: RunProject, fates: Fate[] = [], more: Partial<RunnerOptions> = {}) {
      return new IntakeRunner({ url: `${target().url}/`, token: async () => token, fetch: through(fates), ...more });
    }

    async function claimed(project: RunProject, fates: Fate[] = [], more: Partial<RunnerOptions> = {}) {
      await queueRun(installation(), project);
      const run = await runner(project, ["arrives", ...fates], more).claim({ runner: machine, waitSeconds: 0 });
      if (!run) throw new Error("there was no run");
      return run;
    }

    async function logOf({ run }: ClaimedRun): Promise<string> {
      let text = "";
      for (let after: number | null = 0; after !== null; ) {
        const log: Awaited<ReturnType<typeof readRunLog>> = await readRunLog({
          ctx: installation().ctx,
          input: { id: run.id, after },
        });
        text += log.items.map((item) => item.text).join("");
        after = log.next;
      }
      return text;
    }

    test("gives undefined when there is none", async () => {
      const project = await runProject(installation());
      expect(await runner(project).claim({ runner: machine, waitSeconds: 0 })).toBeUndefined();
    });

    test("a run whose answer is lost is given again", async () => {
      const project = await runProject(installation());
      const { runId } = await queueRun(installation(), project);
      await queueRun(installation(), project);
      const run = await runner(project, ["lost", "never sent"]).claim({ runner: machine, waitSeconds: 0 });
      expect(run?.run.id).toBe(runId);
      expect(await run?.heartbeat()).toEqual({ cancelRequested: false, creditsLeft: null });
    });

    test("so it is when every try was lost, by the next call", async () => {
      const project = await runProject(installation());
      const { runId } = await queueRun(installation(), project);
      const second = await queueRun(installation(), project);
      const intake = runner(project, ["lost"], { maxRetries: 0 });
      const options = { runner: machine, waitSeconds: 0 };
      await expect(intake.claim(options)).rejects.toMatchObject({ name: "ConnectionError" });
      expect((await intake.claim(options))?.run.id).toBe(runId);
      expect((await intake.claim(options))?.run.id).toBe(second.runId);
    });

    test("a wait ends when it is aborted", async () => {
      const project = await runProject(installation());
      const abort = new AbortController();
      const waiting = runner(project).claim({ runner: machine, signal: abort.signal });
      abort.abort();
      await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    });

    describe("the log", () => {
      test("comes whole and in order, whatever is lost on the way", async () => {
        const project = await runProject(installation());
        const run = await claimed(project, ["lost", "arrives", "never sent", 503, "arrives", "lost"]);
        const texts = Array.from({ length: 20 }, (_, i) => `${i}: Grüße 🦊\n`);
        await Promise.all(texts.map((text) => run.appendLog(text)));
        expect(await logOf(run)).toBe(texts.join(""));
      }, 180_000);

      test("what could not be sent goes with the next call", async () => {
        const project = await runProject(installation());
        const run = await claimed(project, ["lost", "never sent", "lost"], { maxRetries: 0 });
        for (const text of ["one\n", "two\n", "three\n"]) {
          await expect(run.appendLog(text)).rejects.toMatchObject({ name: "ConnectionError" });
        }
        const end = "one\ntwo\nthree\nfour\n";
        expect(await run.appendLog("four\n")).toEqual({ truncated: false, length: end.length });
        expect(await logOf(run)).toBe(end);
      });

      test("long texts go in pieces, and no character is cut", async () => {
        const project = await runProject(installation());
        const run = await claimed(project);
        const text = `x${"🦊".repeat(200_000)}`;
        await run.appendLog(text);
        expect(await logOf(run)).toBe(text);
      });

      test("what stands in no text is replaced, and a byte order mark stays", async () => {
        const project = await runProject(installation());
        const run = await claimed(project);
        await run.appendLog("\ufeffa\0b\ud800c");
        await run.appendLog("d");
        expect(await logOf(run)).toBe("\ufeffa\ufffdb\ufffdcd");
      });

      test("6 MiB in one append are cut at the limit and answered as truncated", async () => {
        const project = await runProject(installation());
        const run = await claimed(project);
        expect(await run.appendLog("0123456789abcde\n".repeat(393_216))).toMatchObject({ truncated: true });
        expect(await run.complete({ outcome: "succeeded", creditsUsed: 0 })).toMatchObject({ state: "succeeded" });
      }, 180_000);

      test("goes on where the server's ends, when that has less than it had", async () => {
        const project = await runProject(installation());
        const run = await claimed(project);
        await run.appendLog("before\n");
        const { ctx } = installation();
        await ctx.store.write((tx) => tx.run("update agent_run set log_length = 3 where id = $1", [run.run.id]));
        expect(await run.appendLog("after\n")).toMatchObject({ length: 9 });
      });
    });

    test("completing is tried until it is answered, and the first one stands", async () => {
      const project = await runProject(installation());
      const run = await claimed(project, [503, 503, 503, 503, "lost", "never sent"]);
      const ended = await run.complete({ outcome: "succeeded", summary: "Done", creditsUsed: 2 });
      expect(ended).toMatchObject({ state: "succeeded", summary: "Done", creditsUsed: 2 });
      expect(await run.complete({ outcome: "failed", creditsUsed: 9 })).toEqual(ended);
    }, 180_000);

    test("a cancelled run is told to stop", async () => {
      const project = await runProject(installation());
      const run = await claimed(project);
      await cancelRun({ ctx: installation().ctx, input: { id: run.run.id } });
      expect(await run.heartbeat({ creditsUsed: 1 })).toMatchObject({ cancelRequested: true });
      expect(await run.complete({ outcome: "cancelled", creditsUsed: 1 })).toMatchObject({ state: "cancelled" });
    });

    test("a lost lease is an error of its own, and is not tried again", async () => {
      const project = await runProject(installation());
      const run = await claimed(project);
      await endLease(installation(), run.run.id);
      await until(async () => ((await runOf(installation(), run.run.id)).state === "queued" ? true : undefined));
      const error = await run.heartbeat().catch((thrown: unknown) => thrown);
      expect(isApiError(error) && [error.status, error.code]).toEqual([409, "lease_lost"]);
    });

    test("wrong use is told before anything is sent", async () => {
      const project = await runProject(installation());
      expect(() => new IntakeRunner({ url: "intake.example.org", token: project.runner.token })).toThrow("url must be");
      expect(() => new IntakeRunner({ url: target().url, token: "isk_wrong" })).toThrow("API token");
    });
  },
  ["over loopback"],
);
