import { RunReaper } from "../agents/run-reaper.ts";
import { DeletedPurge } from "../boards/purge-deleted.ts";
import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import type { Sealing } from "../core/sealing.ts";
import type { RequestLog } from "../credentials/request-log.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { UsageChanges } from "../ingest/count-usage-changes.ts";
import { FileUpkeep, OrphanedFiles } from "../ingest/file-upkeep.ts";
import { Retention } from "../ingest/retention.ts";
import { MailSender } from "../mail/mail-sender.ts";
import type { Notices } from "../notices/notices.ts";
import type { Counters } from "../overview/counters.ts";
import type { Tally } from "../overview/tally.ts";
import type { ReportIndex } from "../reports/report-index.ts";
import type { CardIndex } from "../tickets/card-index.ts";
import { Background } from "./background.ts";
import type { makeWebhooks } from "./make-webhooks.ts";
import type { Metrics } from "./metrics.ts";
import type { Place, Work } from "./place.ts";

interface Tools {
  place: Place;
  context: Omit<Context, "actor"> & { cutoff: Cutoff };
  metrics: Metrics;
  requestLog: RequestLog;
  tally: Tally;
  counters: Counters;
  indexes: { cards: CardIndex; reports: ReportIndex };
  reader: EnvelopeReader;
  sealing: Sealing;
  /** What makes backups and ships the log; empty where rows have tools of their own for it. */
  backups: readonly Work[];
  notices: Notices;
  webhooks: ReturnType<typeof makeWebhooks>;
  /** Looks for changes that open pages have to hear of. */
  watching: Work;
  newDeviceMails: Work;
  /** Certificates that are trusted when mail is sent. */
  mailCa: readonly string[];
}

/**
 * Lists all that runs beside the requests, in the order of its start: by this process, or by the one that has the duty.
 * To be called before the first request.
 */
export function backgroundOf(tools: Tools): Background {
  const { place, context, metrics, requestLog, tally, counters, indexes, reader, sealing } = tools;
  const { backups, notices, webhooks, watching, mailCa, newDeviceMails } = tools;
  const { store, files } = place;
  const { now } = context;
  const orphans = new OrphanedFiles({ store, files }, { now, cutoff: context.cutoff });
  return new Background([
    ...(place.peers ? [place.peers] : []),
    metrics,
    requestLog,
    tally,
    counters,
    place.duty("request log", requestLog.sweeping),
    place.duty("charts", tally.sweeping),
    new FileUpkeep({ files }),
    files.shared ? place.duty("files without a row", orphans) : orphans,
    place.duty(
      "retention",
      new Retention({ store: place.storeOfDuty("retention"), files, reader }, { cutoff: context.cutoff }),
    ),
    place.duty("runs", new RunReaper({ ...context, store: place.storeOfDuty("runs") })),
    place.duty("deleted", new DeletedPurge({ ...context, store: place.storeOfDuty("deleted"), files, reader })),
    place.duty("card index", indexes.cards),
    place.duty(
      "mail",
      new MailSender({
        store: place.storeOfDuty("mail"),
        sealing,
        now,
        newId: context.newId,
        cutoff: context.cutoff,
        ca: mailCa,
        alone: place.peers === undefined,
        settled: (mail) => metrics.mailed(mail),
      }),
    ),
    newDeviceMails,
    ...backups,
    place.duty("notices", notices.shared),
    notices.local,
    indexes.reports,
    ...place.work,
    {
      start: () => webhooks.worker.start({ alone: place.peers === undefined }),
      stop: () => webhooks.worker.stop(),
    },
    // A process that is alone does both by itself.
    ...(place.peers
      ? [
          place.duty("clock repair", webhooks.worker.clockRepair(place.storeOfDuty("clock repair"))),
          place.duty("report index", indexes.reports.leftovers),
          place.duty("usage", new UsageChanges(store)),
        ]
      : []),
    watching,
  ]);
}
