import { join } from "node:path";
import { type Contestant, startIntake } from "./contestant.ts";
import { attachmentBodies, attachmentSizes, smallBodies } from "./ingest/bodies.ts";
import { countRows as countEvents } from "./ingest/rows.ts";
import { script as ingestScript, startIngest } from "./ingest/servers.ts";
import { freshInstallation } from "./intake.ts";
import { output } from "./output.ts";
import type { Measured } from "./rounds.ts";
import type { RowCount } from "./row-count.ts";
import { script as ticketScript } from "./tickets/compare.ts";
import { countRows as countTickets } from "./tickets/rows.ts";
import type { LoadOptions } from "./wrk.ts";

/** A load, as it is sent to either of two servers. */
export interface LoadWork {
  load: Pick<LoadOptions, "script" | "args">;
  start: (binary: string) => Promise<Contestant>;
  /** On a stopped server. */
  count: (contestant: Contestant, sent: Sent) => RowCount;
}

export type Sent = Pick<Measured, "name" | "answers" | "refusals" | "underWayMax">;

export function ticketLoad(): LoadWork {
  return {
    load: { script: ticketScript },
    async start(binary) {
      const installation = await freshInstallation(binary);
      return startIntake("intake", installation, installation.token);
    },
    count: ({ database }, sent) => countTickets(database, sent),
  };
}

/** The server ships its log to a backup target meanwhile. */
export function shippedTicketLoad(): LoadWork {
  return {
    ...ticketLoad(),
    async start(binary) {
      const installation = await freshInstallation(binary);
      const { data, folder } = installation;
      for (const [name, value] of Object.entries({ backup_to: join(folder, "backups"), backup_log: "on" })) {
        await output([binary, "settings", "set", name, value, "--data", data]);
      }
      return startIntake("intake", installation, installation.token);
    },
  };
}

export function reportLoad(attachments: 0 | 1): LoadWork {
  const { file } = attachments === 1 ? attachmentBodies(attachmentSizes.attachment) : smallBodies();
  return {
    load: { script: ingestScript, args: [file] },
    start: (binary) => startIngest(binary, { uploads: attachments === 1 }),
    count: (contestant, sent) => countEvents(contestant, sent, { attachments }),
  };
}
