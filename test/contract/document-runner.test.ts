import { expect, test } from "bun:test";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { operationOf } from "../support/documented.ts";
import { RawRequest } from "../support/raw-request.ts";
import { claimed, type Held, heldRun, postRunner, queueRun, runnerToken, runProject } from "../support/runs.ts";
import { describeOperations, type Scenario } from "../support/scenario.ts";
import { whileLocked, withoutTable } from "../support/storage.ts";
import { describeTargets, type Target } from "../support/targets.ts";

const operations = {
  claimRun: "claim",
  heartbeatRun: "heartbeat",
  appendRunLog: "log",
  completeRun: "complete",
} as const;
type Id = keyof typeof operations;

/** The first example of an operation's body. */
function example(id: Id, name?: string): Record<string, unknown> {
  const examples = operationOf(id).operation.requestBody?.content["application/json"]?.examples ?? {};
  const found = name === undefined ? Object.values(examples)[0] : examples[name];
  return found?.value as Record<string, unknown>;
}

/** Credits are limited, and the run holds as many as in the examples. */
async function held(target: Target): Promise<Held> {
  await grantCredits({ ctx: target.installation.ctx, input: { amount: 10 } });
  return heldRun(target);
}

/** Makes a call about a run of its own with the example of the document, whose lease is wrong. */
async function call(target: Target, id: Id, more: Record<string, unknown> = {}, from?: Held): Promise<Response> {
  const { token, runId, leaseToken } = from ?? (await held(target));
  const path = id === "claimRun" ? "claim" : `runs/${runId}/${operations[id]}`;
  const { waitSeconds: _, ...body } = example(id);
  return postRunner(target, path, { token, body: { ...body, ...(id === "claimRun" ? {} : { leaseToken }), ...more } });
}

async function claimSomething(target: Target): Promise<Response> {
  const project = await runProject(target.installation);
  await grantCredits({ ctx: target.installation.ctx, input: { amount: 10 } });
  await queueRun(target.installation, project);
  return call(target, "claimRun", {}, { token: project.runner.token, runId: "", leaseToken: "" });
}

const answers: Record<Id, Scenario[]> = {
  claimRun: [
    {
      status: 200,
      example: "claimed",
      except: ["run", "ticket", "repository", "leaseToken", "deadlineAt"],
      provoke: claimSomething,
    },
    { status: 204, provoke: (target) => call(target, "claimRun") },
    {
      status: 400,
      example: "invalid_input",
      provoke: (target) =>
        call(target, "claimRun", {
          claimId: undefined,
          runner: { name: "a", version: "1", labels: "linux" },
          waitSeconds: 31,
        }),
    },
  ],
  heartbeatRun: [
    { status: 200, example: "renewed", provoke: (target) => call(target, "heartbeatRun") },
    {
      status: 200,
      example: "cancelled",
      async provoke(target) {
        const run = await held(target);
        await cancelRun({ ctx: target.installation.ctx, input: { id: run.runId } });
        return call(target, "heartbeatRun", {}, run);
      },
    },
  ],
  appendRunLog: [
    { status: 200, example: "kept", provoke: (target) => call(target, "appendRunLog") },
    {
      status: 409,
      example: "log_gap",
      async provoke(target) {
        const run = await held(target);
        await call(target, "appendRunLog", {}, run);
        return call(target, "appendRunLog", { offset: 12 }, run);
      },
    },
  ],
  completeRun: [
    { status: 200, example: "completed", except: ["run"], provoke: (target) => call(target, "completeRun") },
  ],
};

/** Answers that every call can get. */
function refusals(id: Id): Scenario[] {
  return [
    {
      status: 401,
      example: "invalid_api_token",
      provoke: (target) => call(target, id, {}, { token: "itk_wrong", runId: crypto.randomUUID(), leaseToken: "a" }),
    },
    {
      status: 403,
      example: "insufficient_scope",
      async provoke(target) {
        const { token } = await runnerToken(target.installation, { scopes: ["tickets:write"] });
        return call(target, id, {}, { token, runId: crypto.randomUUID(), leaseToken: "a" });
      },
    },
    {
      status: 408,
      example: "request_timeout",
      async provoke(target) {
        const { token } = await runnerToken(target.installation);
        const path = operationOf(id).path.replace("{id}", crypto.randomUUID());
        const request = new RawRequest(target, [
          `POST ${path} HTTP/1.1`,
          "Host: a",
          `Authorization: Bearer ${token}`,
          "Content-Type: application/json",
          "Content-Length: 100",
        ]);
        return request.answer().finally(() => request.close());
      },
    },
    {
      status: 429,
      example: "rate_limit_exceeded",
      async provoke(target) {
        const { token } = await runnerToken(target.installation);
        const run = { token, runId: crypto.randomUUID(), leaseToken: "a" };
        for (let sent = 0; sent < 600; sent += 50) {
          await Promise.all(Array.from({ length: 50 }, () => postRunner(target, "claim", { token })));
        }
        return call(target, id, {}, run);
      },
    },
    {
      status: 500,
      example: "internal_error",
      alone: true,
      async provoke(target) {
        const project = await runProject(target.installation);
        await grantCredits({ ctx: target.installation.ctx, input: { amount: 10 } });
        await queueRun(target.installation, project);
        const { token } = project.runner;
        const run = id === "claimRun" ? { token, runId: "", leaseToken: "" } : await claimed(target, project);
        // What pages are told of a run needs it, and nothing that is written does.
        return withoutTable(target.installation, "board_column", () => call(target, id, {}, run));
      },
    },
    {
      status: 503,
      example: "service_unavailable",
      alone: true,
      async provoke(target) {
        const run = await held(target);
        return whileLocked(target.installation, () => call(target, id, {}, run));
      },
    },
  ];
}

/** Answers that calls about one run can get. */
function refusalsOfRun(id: Exclude<Id, "claimRun">): Scenario[] {
  return [
    {
      status: 400,
      example: "invalid_input",
      provoke: (target) => call(target, id, { leaseToken: undefined }),
    },
    {
      status: 404,
      example: "not_found",
      provoke: async (target) => call(target, id, {}, { ...(await held(target)), runId: crypto.randomUUID() }),
    },
    {
      status: 409,
      example: "lease_lost",
      provoke: async (target) => call(target, id, {}, { ...(await held(target)), leaseToken: "lease_of_another" }),
    },
  ];
}

describeOperations({
  claimRun: [...answers.claimRun, ...refusals("claimRun")],
  heartbeatRun: [...answers.heartbeatRun, ...refusals("heartbeatRun"), ...refusalsOfRun("heartbeatRun")],
  appendRunLog: [...answers.appendRunLog, ...refusals("appendRunLog"), ...refusalsOfRun("appendRunLog")],
  completeRun: [...answers.completeRun, ...refusals("completeRun"), ...refusalsOfRun("completeRun")],
});

describeTargets(
  "the runner protocol: examples of requests",
  (target) => {
    for (const id of Object.keys(operations) as Id[]) {
      const { requestBody } = operationOf(id).operation;
      for (const name of Object.keys(requestBody?.content["application/json"]?.examples ?? {})) {
        test(`${id}: ${name}`, async () => {
          const project = await runProject(target().installation);
          await queueRun(target().installation, project);
          const run =
            id === "claimRun"
              ? { token: project.runner.token, runId: "", leaseToken: "" }
              : await claimed(target(), project);
          const lease = id === "claimRun" ? {} : { leaseToken: run.leaseToken };
          const response = await call(target(), id, { ...example(id, name), ...lease }, run);
          expect(response.status).toBe(200);
        });
      }
    }
  },
  ["over loopback"],
);
