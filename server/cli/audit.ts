import { listAudit } from "../organisation/list-audit.ts";
import { command } from "./command.ts";
import { pageOptions } from "./options.ts";
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
];
