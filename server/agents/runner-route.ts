import type { Static, TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checker, isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { AppendRunLog, ClaimRun, CompleteRun, RunHeartbeat } from "../../openapi/schema/runner.ts";
import { type Context, Refusal } from "../core/context.ts";
import { StoreUnavailable } from "../core/store.ts";
import { type AuthenticatedToken, authenticateToken, hasScope } from "../credentials/authenticate.ts";
import { answer, answerError, type HeaderFields, InvalidInput } from "../http/answer.ts";
import { bearerOf } from "../http/bearer.ts";
import type { Edge } from "../http/edge.ts";
import { readJson } from "../http/json-body.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { appendRunLog } from "./append-run-log.ts";
import { claimRun, isRunQueued } from "./claim-run.ts";
import { completeRun } from "./complete-run.ts";
import { missingScope } from "./executor.ts";
import { heartbeat } from "./heartbeat.ts";
import type { RunNotifier } from "./run-notifier.ts";

export interface RunnerTools {
  /** Beside the limit for tickets; none with `--rate-limits off`. */
  limiter: RateLimiter | undefined;
  bell: RunNotifier;
}

interface RunnerCall<Body> {
  ctx: Context;
  request: Request;
  tokenId: string;
  runId: string;
  body: Body;
}

/** `/runner/v1`: for machines that execute agent runs. */
export function runnerRoutes(edge: Edge, { limiter, bell }: RunnerTools) {
  const app = new Elysia();
  on("claimRun", "/runner/v1/claim", ClaimRun, (call) => waitForRun(edge, bell, call));
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
    handle: (call: RunnerCall<Static<Body>>) => Promise<object | undefined>,
  ) {
    const faultsOf = checker(schema);
    app.post(
      path,
      async ({ request, params }) => {
        const started = performance.now();
        const taken = edge.take();
        const headers: HeaderFields = {};
        try {
          const token = await admitted(edge, limiter, request, headers);
          if (!taken) throw new StoreUnavailable("shutting down");
          const body = await readJson(edge, request, limits.ticketBodyBytes);
          const faults = faultsOf(body);
          if (faults.length > 0) throw new InvalidInput(faults);
          // Without a place for one there are no params at all.
          const { id = "" } = (params ?? {}) as { id?: string };
          if (path.includes(":id") && !isUuid(id)) throw new Refusal("not_found");
          const ctx = { ...edge.context, actor: { kind: "token", id: token.id, name: "" } as const };
          const runId = id.toLowerCase();
          const result = await handle({ ctx, request, tokenId: token.id, runId, body: body as Static<Body> });
          edge.answered(operation, result ? 200 : 204, "ok", started);
          if (result) return answer(edge, 200, JSON.stringify(result), headers);
          return new Response(null, {
            status: 204,
            headers: { ...headers, "cache-control": "no-store", "x-request-id": edge.context.newId() },
          });
        } catch (error) {
          const { response, code } = answerError(edge, operation, error, headers);
          edge.answered(operation, response.status, code, started);
          return response;
        } finally {
          if (taken) edge.release();
        }
      },
      { parse: "none" },
    );
  }
}

/** Credential, limit, scope: in the order of the ticket API. */
async function admitted(
  edge: Edge,
  limiter: RateLimiter | undefined,
  request: Request,
  headers: HeaderFields,
): Promise<AuthenticatedToken> {
  const token = await authenticateToken(edge.context.store, bearerOf(request.headers));
  if (!token) throw new Refusal("invalid_api_token");
  const limit = limits.runnerRequestsPerWindow;
  const verdict = limiter?.take(token.id, limit);
  if (verdict) {
    headers["ratelimit-policy"] = `"runner";q=${limit};w=${limits.windowSeconds}`;
    headers["ratelimit"] = `"runner";r=${verdict.remaining};t=${verdict.seconds}`;
    if (!verdict.admitted) {
      headers["retry-after"] = String(verdict.seconds);
      throw new Refusal("rate_limit_exceeded");
    }
  }
  if (!hasScope(token.scopes, "runs:execute")) throw missingScope();
  return token;
}

/** What the command line queues beside the server is found by looking again. */
const lookMilliseconds = 1_000;

async function waitForRun(
  edge: Edge,
  bell: RunNotifier,
  { ctx, request, tokenId, body: { claimId, runner, waitSeconds = 0 } }: RunnerCall<ClaimRun>,
) {
  const until = performance.now() + waitSeconds * 1_000;
  if (waitSeconds > 0) edge.keepOpen(request, waitSeconds + 15);
  for (let first = true; ; first = false) {
    // A look costs nothing; a claim is a write.
    const claimed =
      first || (await isRunQueued(ctx.store, tokenId))
        ? await claimRun({ ctx, input: { tokenId, claimId, runner } })
        : undefined;
    const left = until - performance.now();
    if (claimed || left <= 0 || bell.closed) return claimed;
    await bell.wait(Math.min(left, lookMilliseconds));
    // Nobody is there to take it: what is claimed now had to wait for its lease to end.
    if (request.signal.aborted) return undefined;
  }
}
