import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Links } from "../files/links.ts";
import type { SourceAddresses } from "../http/source-address.ts";
import type { StoredReport } from "../ingest/receive-report.ts";
import type { Counters } from "../overview/counters.ts";
import type { ReportIndex } from "../reports/report-index.ts";
import { freeSpace } from "../store/free-space.ts";
import { DiskSpaceReservations } from "../store/reserve-disk-space.ts";
import type { makeWebhooks } from "./make-webhooks.ts";
import type { Metrics } from "./metrics.ts";
import type { Place } from "./place.ts";

interface Tools {
  reader: EnvelopeReader;
  webhooks: ReturnType<typeof makeWebhooks>;
  addresses: SourceAddresses;
  reports: ReportIndex;
  metrics: Metrics;
  counters: Counters;
}

/** What takes reports in, and tells counters, metrics and the index of each. */
export function makeIngest(
  { files, folder, space, uploads }: Place,
  { reader, webhooks, addresses, reports, metrics, counters }: Tools,
) {
  return {
    files,
    reader,
    links: new Links(webhooks.sealing),
    enqueued: () => webhooks.worker.wake(),
    addresses,
    space,
    uploads,
    room: new DiskSpaceReservations(() => freeSpace(folder)),
    stored: (report: StoredReport) => {
      counters.stored(report);
      if (report.repeat) return;
      reports.added(report.projectId, report.receivedAt);
      reports.remember(report.eventId, report.words);
    },
    received: (project: string, outcome: string) => {
      metrics.reported(project, outcome);
      if (outcome !== "accepted" && outcome !== "repeated") counters.refused("ingest", project, outcome);
    },
  };
}
