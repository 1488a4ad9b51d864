import { isUuid } from "../../openapi/check.ts";
import { auditFormats, exportAudit } from "../organisation/export-audit.ts";
import { listAudit } from "../organisation/list-audit.ts";
import { command } from "./command.ts";
import { readMoment } from "./moment.ts";
import { choice, fallback, pageOptions, parsed, text } from "./options.ts";
import { saveStream } from "./save-stream.ts";
import { withStore } from "./with-store.ts";

export const auditCommands = [
  command({
    name: "audit list",
    summary: "list who did what, newest first",
    options: pageOptions,
    example: "intake audit list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listAudit({ ctx, input: options }));
      io.page(page, ["at", "actor", "action", "object", "from", "to"]);
    },
  }),
  command({
    name: "audit export",
    summary: "write the audit log as CSV or JSON Lines, newest first",
    options: {
      format: fallback(choice(auditFormats, "csv for spreadsheets, jsonl for programs"), "csv"),
      since: parsed("T", "only entries at or after this time, ISO 8601 (UTC unless it has an offset)", readMoment),
      until: parsed("T", "only entries before this time", readMoment),
      actor: text("A", "only acts of this member or token: its id, or its name at that time"),
      action: text("A", "only this act (token.revoke), or acts on this kind of object (token)"),
      output: fallback(text("F", "file to write; - is stdout"), "-"),
    },
    example: "intake audit export --format jsonl --since 2026-05-01 --action token",
    notes:
      "Text, times and names are as in the log; times are UTC. In CSV an apostrophe stands before a field that a spreadsheet would run as a formula. The export is an entry of the log itself.",
    async run({ options, io }) {
      const { format, since, until, actor, action, output } = options;
      const by = actor === undefined ? {} : isUuid(actor) ? { actorId: actor.toLowerCase() } : { actorName: actor };
      const bytes = await withStore(options.data, async (ctx) =>
        saveStream(output, await exportAudit({ ctx, input: { filter: { since, until, action, ...by }, format } })),
      );
      if (output !== "-") io.result({ output, bytes });
    },
  }),
];
