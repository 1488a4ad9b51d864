import type { Static, TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checker, isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { AppendRunLog, ClaimRun, CompleteRun, RunHeartbeat } from "../../openapi/schema/runner.ts";
import { type Context, Refusal } from "../core/context.ts";
import { type AuthenticatedToken, authenticateToken, requireScope } from "../credentials/authenticate.ts";
import { answer, InvalidInput } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { readJson } from "../http/json-body.ts";
import { answerPublic, credential, PublicCall, type Row, requestLimit, serverRuns } from "../http/public-route.ts";
import { appendRunLog } from "./append-run-log.ts";
import { claimRun, isRunQueued } from "./claim-run.ts";
import { completeRun } from "./complete-run.ts";
import { heartbeat } from "./heartbeat.ts";
import type { RunNotifier } from "./run-notifier.ts";

export interface RunnerTools {
  /** The rate limit of the runner protocol, apart from the one for tickets; none with `--rate-limits off`. */
  runNotifier: RunNotifier;
}

interface RunnerInput<Body> {
  ctx: Context;
  request: Request;
  tokenId: string;
  runId: string;
  body: Body;
}

/** `/runner/v1`: for machines that execute agent runs. */
export function runnerRoutes(edge: Edge, tools: RunnerTools) {
  const app = new Elysia();
  on("claimRun", "/runner/v1/claim", ClaimRun, (input) => waitForRun(edge, tools.runNotifier, input));
  on("heartbeatRun", "/runner/v1/runs/:id/heartbeat", RunHeartbeat, ({ ctx, tokenId, runId, body }) =>
    heartbeat({ ctx, input: { tokenId, runId, ...body } }),
  );
  on("appendRunLog", "/runner/v1/runs/:id/log", AppendRunLog, ({ ctx, tokenId, runId, body }) =>
    appendRunLog({ ctx, input: { tokenId, runId, ...body } }),
  );
  on("completeRun", "/runner/v1/runs/:id/complete", CompleteRun, async ({ ctx, tokenId, runId, body }) => ({
    run: await completeRun({ ctx, input: { tokenId, runId, ...body } }),
  }));
  return app;

  function on<Body extends TObject>(
    operation: string,
    path: string,
    schema: Body,
    handle: (input: RunnerInput<Static<Body>>) => Promise<object | undefined>,
  ) {
    const order: Row<RunnerCall>[] = [
      credential(authenticateToken, "invalid_api_token"), // 401
      limit, // 429
      scope, // 403
      serverRuns, // 503
      bodyOf(schema), // 400
      ...(path.includes(":id") ? [runId] : []), // 404
      resultOf(handle), // 200, 204 for no run, or what the transaction refuses
    ];
    const route = { operation, order };
    // The framework passes no params for a route without a name in its path.
    const idIn = (params: unknown) => (params as { id?: string } | undefined)?.id ?? "";
    app.post(path, ({ request, params }) => answerPublic(route, new RunnerCall(edge, request, tools, idIn(params))), {
      parse: "none",
    });
  }
}

class RunnerCall extends PublicCall<AuthenticatedToken> {
  readonly tools: RunnerTools;
  /** The id as it stands in the path; empty where the path has none. */
  runId: string;
  /** Set by {@link bodyOf}. */
  body!: object;

  constructor(edge: Edge, request: Request, tools: RunnerTools, runId: string) {
    super(edge, request);
    this.tools = tools;
    this.runId = runId;
  }
}

const limit = requestLimit<RunnerCall>({
  policy: "runner",
  limitOf: () => limits.runnerRequestsPerWindow,
  limiterOf: ({ edge }) => edge.limiters?.runner,
});

function scope({ caller }: RunnerCall): undefined {
  requireScope(caller, "runs:execute");
}

function bodyOf(schema: TObject): Row<RunnerCall> {
  const faultsOf = checker(schema);
  return async (call) => {
    const body = await readJson(call.edge, call.request, limits.ticketBodyBytes);
    const faults = faultsOf(body);
    if (faults.length > 0) throw new InvalidInput(faults);
    call.body = body;
    return undefined;
  };
}

function runId(call: RunnerCall): undefined {
  if (!isUuid(call.runId)) throw new Refusal("not_found");
  call.runId = call.runId.toLowerCase();
}

function resultOf<Body>(handle: (input: RunnerInput<Body>) => Promise<object | undefined>): Row<RunnerCall> {
  return async ({ edge, request, headers, caller, runId, body }) => {
    const ctx = { ...edge.context, actor: { kind: "token", id: caller.id, name: "" } as const };
    const result = await handle({ ctx, request, tokenId: caller.id, runId, body: body as Body });
    if (result) return answer(edge, 200, JSON.stringify(result), headers);
    return new Response(null, {
      status: 204,
      headers: { ...headers, "cache-control": "no-store", "x-request-id": edge.context.newId() },
    });
  };
}

/** The command line may have queued a run beside the server: only another look finds it. */
const lookMilliseconds = 1_000;

async function waitForRun(
  edge: Edge,
  runNotifier: RunNotifier,
  { ctx, request, tokenId, body: { claimId, runner, waitSeconds = 0 } }: RunnerInput<ClaimRun>,
) {
  const until = performance.now() + waitSeconds * 1_000;
  const gone = () => request.signal.aborted;
  if (waitSeconds > 0) edge.keepOpen(request, waitSeconds + 15);
  for (let first = true; ; first = false) {
    // Looking for a run only reads; a claim is a write.
    const claimed =
      first || (await isRunQueued(ctx.store, tokenId))
        ? await claimRun({ ctx, input: { tokenId, claimId, runner, gone } })
        : undefined;
    const left = until - performance.now();
    if (claimed || left <= 0 || runNotifier.closed) return claimed;
    await runNotifier.wait(Math.min(left, lookMilliseconds));
    if (gone()) return undefined;
  }
}
