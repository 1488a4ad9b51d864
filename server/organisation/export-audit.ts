import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { type AuditEntry, type AuditFilter, listAudit } from "./list-audit.ts";

const rowsMax = 100_000;
const columns = ["at", "actor kind", "actor", "action", "object", "name", "from", "to", "network", "request id"];

/** The audit log as CSV, newest first, read page by page while it is sent. The export is an entry of the log itself. */
export async function exportAudit({
  ctx,
  input: { filter },
}: {
  ctx: Context;
  input: { filter: AuditFilter };
}): Promise<ReadableStream<Uint8Array>> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* audit(tx, ctx, auditId, "audit.export", "audit log");
  });
  const encoder = new TextEncoder();
  let cursor: string | undefined;
  let rows = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(line(columns))),
    async pull(controller) {
      const { items, next } = await listAudit({ ctx, input: { cursor, limit: limits.pageMax, filter } });
      const text = items.map((entry) => line(cells(entry))).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
      rows += items.length;
      cursor = next ?? undefined;
      if (next === null || rows >= rowsMax) controller.close();
    },
  });
}

function cells(entry: AuditEntry): string[] {
  return [
    entry.at,
    entry.actorKind,
    entry.actor,
    entry.action,
    entry.object,
    entry.objectName ?? "",
    entry.from === undefined ? "" : JSON.stringify(entry.from),
    entry.to === undefined ? "" : JSON.stringify(entry.to),
    entry.network ?? "",
    entry.requestId ?? "",
  ];
}

/** Quotes a field (RFC 4180). A spreadsheet would run a name that begins like a formula. */
function line(values: readonly string[]): string {
  const quoted = values.map((value) => `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`);
  return `${quoted.join(",")}\r\n`;
}
