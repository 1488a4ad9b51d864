import { pageIn, wordIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { cancelRun } from "./cancel-run.ts";
import { listRuns } from "./list-runs.ts";
import { readRunLog, readWholeRunLog } from "./read-run-log.ts";
import { retryRun } from "./retry-run.ts";
import { runStates } from "./run.ts";
import { showRun } from "./show-run.ts";

export const runRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/runs",
    role: "member",
    handle: ({ ctx, query }) =>
      listRuns({ ctx, input: { ...pageIn(query), state: wordIn(query, "state", ["live", "ended", ...runStates]) } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/runs/:id",
    role: "member",
    handle: ({ ctx, params }) => showRun({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/runs/:id/log",
    role: "member",
    handle: ({ ctx, params, query }) =>
      readRunLog({ ctx, input: { id: idOf(params), after: Number(query.get("after") ?? 0) || 0 } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/runs/:id/log/text",
    role: "member",
    handle: async ({ ctx, params, headers }) => {
      const id = idOf(params);
      return new Response(await readWholeRunLog({ ctx, input: { id } }), {
        headers: {
          ...headers,
          "content-type": "text/plain; charset=utf-8",
          "content-disposition": `attachment; filename="run-${id}.log"`,
          "content-security-policy": "default-src 'none'; sandbox",
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        },
      });
    },
  }),
  internalRoute({
    method: "POST",
    path: "/internal/runs/:id/cancel",
    role: "member",
    body: closed({}),
    handle: async ({ ctx, params }) => {
      const { id } = await cancelRun({ ctx, input: { id: idOf(params) } });
      return showRun({ ctx, input: { id } });
    },
  }),
  internalRoute({
    method: "POST",
    path: "/internal/runs/:id/retry",
    role: "member",
    body: closed({}),
    handle: async ({ ctx, params }) => {
      const { id } = await retryRun({ ctx, input: { id: idOf(params) } });
      return showRun({ ctx, input: { id } });
    },
  }),
] as const;
