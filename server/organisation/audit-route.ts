import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { internalRoute } from "../http/internal-route.ts";
import { exportAudit } from "./export-audit.ts";
import { type AuditFilter, listAudit } from "./list-audit.ts";

/** Routes of the page Settings, Audit, which shows and exports the audit log. No route can change it. */
export const auditRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/audit",
    role: "admin",
    handle: ({ ctx, query }) =>
      listAudit({
        ctx,
        input: { cursor: query.get("cursor") ?? undefined, limit: limits.pageDefault, filter: filterOf(query) },
      }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/audit/export",
    role: "admin",
    handle: async ({ ctx, query, headers }) => {
      const rows = await exportAudit({ ctx, input: { filter: filterOf(query) } });
      return new Response(rows, {
        headers: {
          ...headers,
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": 'attachment; filename="intake-audit.csv"',
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
] as const;

function filterOf(query: URLSearchParams): AuditFilter {
  return {
    actorId: query.get("actor") ?? undefined,
    action: query.get("action") ?? undefined,
    object: query.get("object") ?? undefined,
    since: momentOf(query, "since"),
    until: momentOf(query, "until"),
  };
}

function momentOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new Refusal("invalid_input", `${name} is no point in time.`);
  return moment;
}
