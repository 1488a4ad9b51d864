import { type LoadWork, reportLoad, shippedTicketLoad, ticketLoad } from "../load-work.ts";

export const works = {
  tickets: { summary: "POST /api/v1/tickets", seconds: 90, prepare: ticketLoad },
  log: { summary: "POST /api/v1/tickets with backup_log on", seconds: 90, prepare: shippedTicketLoad },
  ingest: { summary: "POST /api/ingest, a gzip envelope of 3 kB", seconds: 90, prepare: () => reportLoad(0) },
  attachment: { summary: "POST /api/ingest with a file of 100 kB", seconds: 60, prepare: () => reportLoad(1) },
  idle: { summary: "start to the first 200, and memory without work", seconds: 90, prepare: undefined },
} satisfies Record<string, { summary: string; seconds: number; prepare: (() => LoadWork) | undefined }>;

export type Work = keyof typeof works;
