import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { internalRoute } from "../http/internal-route.ts";
import { type AuditFormat, auditFormats, exportAudit } from "./export-audit.ts";
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
      const format = formatOf(query);
      const rows = await exportAudit({ ctx, input: { filter: filterOf(query), format } });
      return new Response(rows, {
        headers: {
          ...headers,
          "content-type": mediaTypes[format],
          "content-disposition": `attachment; filename="intake-audit.${format}"`,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
] as const;

const mediaTypes = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;

function formatOf(query: URLSearchParams): AuditFormat {
  const given = query.get("format") ?? "csv";
  const format = auditFormats.find((one) => one === given);
  if (!format) throw new Refusal("invalid_input", `format must be one of ${auditFormats.join(", ")}.`);
  return format;
}

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
