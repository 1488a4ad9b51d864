import { type Contestant, startIntake } from "../contestant.ts";
import { attachmentBodies, smallBodies } from "../ingest/bodies.ts";
import { countRows as countEvents } from "../ingest/rows.ts";
import { script as ingestScript, startIngest } from "../ingest/servers.ts";
import { freshInstallation } from "../intake.ts";
import type { Measured } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { script as ticketScript } from "../tickets/compare.ts";
import { countRows as countTickets } from "../tickets/rows.ts";
import type { LoadOptions } from "../wrk.ts";

/** A load, as it is sent to either of two servers. */
export interface LoadWork {
  load: Pick<LoadOptions, "script" | "args">;
  start: (binary: string) => Promise<Contestant>;
  /** On a stopped server. */
  count: (contestant: Contestant, sent: Sent) => RowCount;
}

export type Sent = Pick<Measured, "name" | "answers" | "refusals" | "underWayMax">;

export const works = {
  tickets: { summary: "POST /api/v1/tickets", seconds: 90, prepare: tickets },
  ingest: { summary: "POST /api/ingest, a gzip envelope of 3 kB", seconds: 90, prepare: () => ingest(0) },
  attachment: { summary: "POST /api/ingest with a file of 100 kB", seconds: 60, prepare: () => ingest(1) },
  idle: { summary: "start to the first 200, and memory without work", seconds: 90, prepare: undefined },
} satisfies Record<string, { summary: string; seconds: number; prepare: (() => LoadWork) | undefined }>;

export type Work = keyof typeof works;

function tickets(): LoadWork {
  return {
    load: { script: ticketScript },
    async start(binary) {
      const installation = await freshInstallation(binary);
      return startIntake("intake", installation, installation.token);
    },
    count: ({ database }, sent) => countTickets(database, sent),
  };
}

function ingest(attachments: 0 | 1): LoadWork {
  const { file } = attachments === 1 ? attachmentBodies() : smallBodies();
  return {
    load: { script: ingestScript, args: [file] },
    start: (binary) => startIngest(binary, { uploads: attachments === 1 }),
    count: (contestant, sent) => countEvents(contestant, sent, { attachments }),
  };
}
