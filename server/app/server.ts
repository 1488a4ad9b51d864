import { FailedSignIns } from "../accounts/failed-sign-ins.ts";
import { RunNotifier } from "../agents/run-notifier.ts";
import { RunReaper } from "../agents/run-reaper.ts";
import { DeletedPurge } from "../boards/purge-deleted.ts";
import type { ChangeEvent } from "../core/change-event.ts";
import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { DeletionClock } from "../core/deletion-clock.ts";
import { idMaker } from "../core/ids.ts";
import { log } from "../core/log.ts";
import { openSealing } from "../core/open-sealing.ts";
import { readSettings } from "../core/settings.ts";
import { RequestLog } from "../credentials/request-log.ts";
import { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Links } from "../files/links.ts";
import { createApp } from "../http/app.ts";
import { type Listener, listen } from "../http/serve.ts";
import { SourceAddresses } from "../http/source-address.ts";
import { UsageChanges } from "../ingest/count-usage-changes.ts";
import { FileUpkeep, OrphanedFiles } from "../ingest/file-upkeep.ts";
import type { StoredReport } from "../ingest/receive-report.ts";
import { Retention } from "../ingest/retention.ts";
import { LiveHub } from "../live/hub.ts";
import { RecentRequests } from "../live/recent-requests.ts";
import { watchForPages } from "../live/watch.ts";
import { SetupLink } from "../organisation/setup-link.ts";
import { Counters } from "../overview/counters.ts";
import { Tally } from "../overview/tally.ts";
import { ReportIndex } from "../reports/report-index.ts";
import { freeSpace } from "../store/free-space.ts";
import { DiskSpaceReservations } from "../store/reserve-disk-space.ts";
import { CardIndex } from "../tickets/card-index.ts";
import { countReplaysStep } from "../tickets/count-replays.ts";
import { Replays } from "../webhooks/deliveries/replays.ts";
import { Background } from "./background.ts";
import { backlogOf } from "./backlog.ts";
import { directRoutesOf } from "./direct-routes.ts";
import { InFlight } from "./in-flight.ts";
import { makeEdge } from "./make-edge.ts";
import { makeWebhooks, type WebhookOptions } from "./make-webhooks.ts";
import { Metrics } from "./metrics.ts";
import { openOnDisk } from "./on-disk.ts";
import { type MetricsAddress, openMetrics } from "./open-metrics.ts";
import type { Place, PlaceOptions } from "./place.ts";

export interface ServerOptions extends WebhookOptions {
  data: string;
  /** Of a PostgreSQL database; all is kept in the folder `data` when undefined. */
  databaseUrl?: string | undefined;
  /** How many connections to the database this process opens at most; 17 when undefined. */
  databaseConnections?: number;
  host: string;
  /** 0 lets the system choose a free port. */
  port: number;
  publicUrl: string | undefined;
  /** Where apps send reports; the public URL when undefined. */
  ingestUrl: string | undefined;
  /** Addresses and ranges whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  metrics: MetricsAddress;
  rateLimits: boolean;
  /** Seconds that a stop goes on taking requests while `/readyz` says that they should go elsewhere. */
  drain?: number;
  /** Called when storage can no longer be trusted: end the process without another answer. */
  onFatal: (error: unknown) => void;
}

interface RunningServer {
  url: string;
  metricsUrl: string | undefined;
  setupUrl: string | undefined;
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  /** Waits up to 25 s for the requests in flight, then stops all work, writes down what is in memory and releases the folder. */
  stop(): Promise<void>;
}

const graceMilliseconds = 25_000;
/** How long a stop waits for answers that are already made to reach their clients. */
const flushMilliseconds = 1_000;

/** The composition root: makes everything that lives as long as the server, and stops it. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const metrics = new Metrics();
  const placeOptions: PlaceOptions = {
    onFatal: options.onFatal,
    onTrouble: (reason) => {
      if (reason === undefined) log.info("storage commits again");
      else log.error("storage cannot commit", { reason });
    },
    onCommit: (writes, milliseconds) => metrics.committed(writes, milliseconds),
    databaseConnections: options.databaseConnections,
    observeDatabase: () => metrics.observeDatabase(),
  };
  const place =
    options.databaseUrl === undefined
      ? openOnDisk(options.data, placeOptions)
      : await (await import("./on-database.ts")).openOnDatabase(options.databaseUrl, options.data, placeOptions);
  try {
    return await run(place, metrics, options);
  } catch (error) {
    place.release();
    throw error;
  }
}

async function run(place: Place, metrics: Metrics, options: ServerOptions): Promise<RunningServer> {
  const { store, files, folder, space } = place;
  const clock = new DeletionClock(store, { now: place.now });
  const now = clock.now;
  const live = new LiveHub();
  const runNotifier = new RunNotifier();
  const tell = (change: ChangeEvent) => {
    live.tell(change);
    place.peers?.tell(change);
  };
  // A changed run may wait for a runner, or have a webhook message for subscribers.
  const runChanged = () => {
    runNotifier.notify();
    webhooks.worker.wake();
  };
  const context: Omit<Context, "actor"> & { cutoff: Cutoff } = {
    store,
    now,
    cutoff: clock.cutoff,
    newId: idMaker(now),
    publicUrl: { fixed: options.publicUrl, fallback: "" },
    changed: (change) => {
      tell(change);
      if (change.kind === "run") runChanged();
    },
  };
  const tally = new Tally(context);
  const counters = new Counters(tally, store);
  const requestLog = new RequestLog(context, countReplaysStep);
  const recentRequests = new RecentRequests({ now, tell: live.tell, others: place.othersRequests });
  const addresses = new SourceAddresses(options.trustedProxies, (peer) =>
    log.warn(
      "a proxy that is not trusted forwards requests: all behind it count as one address and share its limits; if it is yours, start with --trusted-proxies (INTAKE_TRUSTED_PROXIES) set to its address",
      { peer },
    ),
  );
  let [stopping, refusing] = [false, false];
  const inFlight = new InFlight();
  let listener: Listener | undefined;
  const edge = makeEdge({
    context,
    limits: options.rateLimits ? place.limits : undefined,
    requestLog,
    metrics,
    counters,
    recentRequests,
    addresses,
    inFlight,
    listener: () => listener,
    // Where all processes keep files in one place, trouble there must not take all of them out of service.
    trouble: () => store.trouble() ?? place.trouble() ?? (files.shared ? undefined : files.trouble()),
    degraded: () => (files.shared && files.trouble() !== undefined ? ["attachments"] : []),
    stopping: () => stopping,
    refusing: () => refusing,
  });
  const signIns = { throttle: place.passwords, failed: new FailedSignIns(context) };
  let setupLink: SetupLink | undefined;
  const reader = new EnvelopeReader();
  const indexes = { cards: new CardIndex(store), reports: new ReportIndex({ store, reader, now }) };
  const sealing = await openSealing(folder, store, place.secretKey);
  const webhooks = makeWebhooks({ sealing, holder: place.peers }, context, options, (settled) => {
    metrics.settled(settled);
    counters.settled(settled);
    // The id is that of the subscriber: the hub sends equal changes of many deliveries once.
    const { subscriberId: id } = settled.attempted.claimed;
    tell({ kind: "delivery", id, in: id });
    if (settled.attempted.error !== null) tell({ kind: "subscriber", id });
  });
  place.peers?.connect({
    listening: () => live.listening > 0 || runNotifier.waiting > 0,
    heard(changes) {
      live.hear(changes);
      if (changes.some(({ kind }) => kind === "run")) runChanged();
    },
    // The pages hear of it from what watches for them.
    lost: runChanged,
    forget: () => live.forget(),
    gone: () => webhooks.worker.recover(),
  });
  const ingest = {
    files,
    reader,
    links: new Links(webhooks.sealing),
    enqueued: () => webhooks.worker.wake(),
    addresses,
    space,
    uploads: place.uploads,
    room: new DiskSpaceReservations(() => freeSpace(folder)),
    stored: (report: StoredReport) => {
      counters.stored(report);
      if (report.repeat) return;
      indexes.reports.added(report.projectId, report.receivedAt);
      indexes.reports.remember(report.eventId, report.words);
    },
    received: (project: string, outcome: string) => {
      metrics.reported(project, outcome);
      if (outcome !== "accepted" && outcome !== "repeated") counters.refused("ingest", project, outcome);
    },
  };
  const settingsTools = {
    ...webhooks,
    replays: new Replays(place.replayJobs),
    databaseBytes: () => place.databaseBytes(),
    space,
    trouble: edge.trouble,
    clockDoubt: clock.doubt,
    startedAt: now(),
  };
  const watch = watchForPages(live, {
    store,
    now,
    outsideVersion: () => place.outsideVersion(),
    trouble: edge.trouble,
  });
  const pageTools = { ingestUrl: options.ingestUrl, livePosition: watch.position };
  const direct = directRoutesOf(edge, ingest, sealing);
  const app = createApp(edge, direct, async () => {
    const [{ fetchWithAllRoutes }, { routesOf }, { answerPage }] = await Promise.all([
      import("../http/all-routes.ts"),
      import("./routes.ts"),
      import("../dashboard/route.ts"),
    ]);
    const routes = routesOf(edge, {
      ingest,
      setup: {
        secrets: place.setupSecrets,
        done: async () => {
          await place.setupSecrets.clear();
          await setupLink?.close();
        },
      },
      ...pageTools,
      live,
      settings: settingsTools,
      signIns,
      recentRequests,
      indexes,
      runner: { runNotifier },
    });
    return fetchWithAllRoutes(edge, direct, routes, (request) => answerPage(edge, pageTools, request));
  });

  let metricsListener: ReturnType<typeof openMetrics>;
  const orphans = new OrphanedFiles({ store, files }, { now, cutoff: clock.cutoff });
  const background = new Background([
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
      new Retention({ store: place.storeOfDuty("retention"), files, reader }, { cutoff: clock.cutoff }),
    ),
    place.duty("runs", new RunReaper({ ...context, store: place.storeOfDuty("runs") })),
    place.duty("deleted", new DeletedPurge({ ...context, store: place.storeOfDuty("deleted"), files, reader })),
    place.duty("card index", indexes.cards),
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
    watch.work,
  ]);
  const release = async (milliseconds: number) => {
    live.close();
    // A client that goes on sending a refused body would otherwise delay the stop.
    await listener?.stop(Math.min(milliseconds, flushMilliseconds));
    await setupLink?.close();
    await background.stop();
    webhooks.connections.close();
    // Uploads that were cut off by the stop left unfinished files.
    await files.removeDrafts("all").catch((error) => log.warn("unfinished uploads were not removed", { error }));
    reader.close();
    await signIns.failed.flush();
    await clock.stop();
    metricsListener?.stop();
    await store.close();
  };

  try {
    // The clock gives the times of everything that is stored, so it is judged first.
    await clock.start();
    listener = listen(app, { hostname: options.host, port: options.port });
    const { url } = listener;
    context.publicUrl.fallback = url;
    metricsListener = openMetrics(metrics, options.metrics);
    place.serving({
      url,
      metricsUrl: metricsListener?.url,
      publicUrl: options.publicUrl,
      ingestUrl: options.ingestUrl,
    });
    if (!(await store.one("select id from organisation"))) {
      setupLink = await SetupLink.make(place.setupSecrets, folder, options.publicUrl ?? url);
    }
    metrics.watch({
      trouble: () => store.trouble(),
      ...place.gauges,
      clockTrusted: clock.trusted,
      requestLogDropped: () => requestLog.dropped,
      disk: space,
      roomSetAside: () => ingest.room.bytes,
      backlog: backlogOf(store, indexes),
    });
    const kept = await readSettings(store);
    log.info("reports are kept", { days: kept.retention_days, bytesPerProject: kept.retention_bytes });
    await background.start();
  } catch (error) {
    await release(0);
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    url: listener.url,
    metricsUrl: metricsListener?.url,
    setupUrl: setupLink?.url,
    fetch: app.fetch,
    stop: () => {
      stopped ??= (async () => {
        stopping = true;
        if (options.drain) {
          listener.drain();
          await Bun.sleep(options.drain * 1_000);
          // A proxy that does not ask /readyz finds nobody listening, and can turn to another process for any request.
          void listener.stop(graceMilliseconds);
        } else refusing = true;
        // Open pages hold connections that would delay the stop; they reconnect by themselves.
        live.close();
        runNotifier.close();
        // While requests are in flight, /readyz answers 503 and new requests are refused with 503.
        const started = performance.now();
        // No delivery begins any more; attempts under way have the same time to end.
        await Promise.all([inFlight.none(graceMilliseconds), webhooks.worker.stop()]);
        refusing = true;
        await release(Math.max(0, graceMilliseconds - (performance.now() - started)));
        place.release();
      })();
      return stopped;
    },
  };
}
