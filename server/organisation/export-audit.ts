import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { plainJson } from "../text/plain-json.ts";
import { type AuditEntry, type AuditFilter, readAudit } from "./list-audit.ts";

export const auditFormats = ["csv", "jsonl"] as const;
export type AuditFormat = (typeof auditFormats)[number];

const columns = ["at", "actor kind", "actor", "action", "object", "name", "from", "to", "network", "request id"];

/**
 * The audit log as CSV or as JSON Lines, newest first, read slice by slice while it is sent. The export is an entry of
 * the log itself.
 */
export async function exportAudit({
  ctx,
  input: { filter, format },
}: {
  ctx: Context;
  input: { filter: AuditFilter; format: AuditFormat };
}): Promise<ReadableStream<Uint8Array>> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* audit(tx, ctx, auditId, "audit.export", "audit log");
  });
  const encoder = new TextEncoder();
  const slices = readAudit(ctx, filter);
  const lineOf = format === "csv" ? (entry: AuditEntry) => csvLine(cells(entry)) : jsonLine;
  return new ReadableStream({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(csvLine(columns)));
    },
    async pull(controller) {
      const { done, value } = await slices.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(value.map(lineOf).join("")));
    },
    async cancel() {
      await slices.return(undefined);
    },
  });
}

function jsonLine(entry: AuditEntry): string {
  return `${plainJson(JSON.stringify(entry))}\n`;
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

/**
 * A line of CSV (RFC 4180), with every field quoted. A spreadsheet would run a field that begins like a formula, so an
 * apostrophe stands before it, which spreadsheets read as "this is text" (OWASP, CSV Injection). Some drop blanks and
 * line ends first, and read full-width signs like the others.
 */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => `"${asText(value).replaceAll('"', '""')}"`).join(",")}\r\n`;
}

function asText(value: string): string {
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
}
