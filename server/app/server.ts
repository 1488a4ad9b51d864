import { FailedSignIns } from "../accounts/failed-sign-ins.ts";
import { ForgottenPasswords } from "../accounts/forgotten-passwords.ts";
import { NewDeviceMails } from "../accounts/new-device-mails.ts";
import { RunNotifier } from "../agents/run-notifier.ts";
import { requireApart } from "../backup/target-folder.ts";
import type { ChangeEvent } from "../core/change-event.ts";
import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { DeletionClock } from "../core/deletion-clock.ts";
import { idMaker } from "../core/ids.ts";
import { log } from "../core/log.ts";
import { openSealing } from "../core/open-sealing.ts";
import { readSettings, type SettingName } from "../core/settings.ts";
import { RequestLog } from "../credentials/request-log.ts";
import { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { createApp } from "../http/app.ts";
import { AuthHeader } from "../http/auth-header.ts";
import { type Listener, listen } from "../http/serve.ts";
import { SourceAddresses } from "../http/source-address.ts";
import { LiveHub } from "../live/hub.ts";
import { RecentRequests } from "../live/recent-requests.ts";
import { watchForPages } from "../live/watch.ts";
import { hereIn } from "../notices/here.ts";
import { Notices } from "../notices/notices.ts";
import { Outages } from "../notices/outages.ts";
import { SetupLink } from "../organisation/setup-link.ts";
import { Counters } from "../overview/counters.ts";
import { Tally } from "../overview/tally.ts";
import { ReportIndex } from "../reports/report-index.ts";
import { CardIndex } from "../tickets/card-index.ts";
import { countReplaysStep } from "../tickets/count-replays.ts";
import { auditMessages } from "../webhooks/deliveries/enqueue-audit.ts";
import { Replays } from "../webhooks/deliveries/replays.ts";
import { backgroundOf } from "./background-of.ts";
import { backlogOf } from "./backlog.ts";
import { directRoutesOf } from "./direct-routes.ts";
import { InFlight } from "./in-flight.ts";
import { makeBackups } from "./make-backups.ts";
import { makeEdge } from "./make-edge.ts";
import { makeIngest } from "./make-ingest.ts";
import { makeProviders } from "./make-providers.ts";
import { makeWebhooks } from "./make-webhooks.ts";
import { Metrics } from "./metrics.ts";
import { openOnDisk } from "./on-disk.ts";
import { openMetrics } from "./open-metrics.ts";
import type { Place, PlaceOptions } from "./place.ts";
import type { RunningServer, ServerOptions } from "./server-options.ts";

const graceMilliseconds = 25_000;
/** How long a stop waits for answers that are already made to reach their clients. */
const flushMilliseconds = 1_000;

/** The composition root: makes everything that lives as long as the server, and stops it. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const metrics = new Metrics();
  const outages = new Outages();
  const placeOptions: PlaceOptions = {
    onFatal: options.onFatal,
    onTrouble: (reason) => {
      outages.note(reason, Date.now());
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
    return await run(place, { metrics, outages }, options);
  } catch (error) {
    place.release();
    throw error;
  }
}

async function run(
  place: Place,
  { metrics, outages }: { metrics: Metrics; outages: Outages },
  options: ServerOptions,
): Promise<RunningServer> {
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
  const newId = idMaker(now);
  const context: Omit<Context, "actor"> & { cutoff: Cutoff } = {
    store,
    now,
    cutoff: clock.cutoff,
    newId,
    audited: auditMessages({ now, newId }),
    publicUrl: { fixed: options.publicUrl, fallback: "" },
    changed: (change) => {
      tell(change);
      if (change.kind === "run") runChanged();
      // Somebody may have signed in.
      if (change.kind === "member") void newDeviceMails.look();
      // The settings of backups may be others.
      if (change.kind === "organisation") {
        void backups?.look();
        shipping?.look();
      }
    },
  };
  const tally = new Tally(context);
  const counters = new Counters(tally, store);
  const requestLog = new RequestLog(context, countReplaysStep, (tokenId, count) =>
    tally.count("", "token_refused", tokenId, count),
  );
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
    authHeader: options.authHeader === undefined ? undefined : new AuthHeader(options.authHeader, addresses),
    inFlight,
    listener: () => listener,
    // Where all processes keep files in one place, trouble there must not take all of them out of service.
    trouble: () => store.trouble() ?? place.trouble() ?? (files.shared ? undefined : files.trouble()),
    degraded: () => (files.shared && files.trouble() !== undefined ? ["attachments"] : []),
    stopping: () => stopping,
    refusing: () => refusing,
  });
  let setupLink: SetupLink | undefined;
  const reader = new EnvelopeReader();
  const indexes = { cards: new CardIndex(store), reports: new ReportIndex({ store, reader, now }) };
  const sealing = await openSealing(folder, store, place.secretKey);
  const newDeviceMails = new NewDeviceMails(context, sealing);
  const signIns = {
    sealing,
    throttle: place.passwords,
    failed: new FailedSignIns(context),
    forgotten: new ForgottenPasswords({ sealing }, place.passwords),
  };
  const webhooks = makeWebhooks({ sealing, holder: place.peers }, context, options, (settled) => {
    metrics.settled(settled);
    counters.settled(settled);
    // The id is that of the subscriber: the hub sends equal changes of many deliveries once.
    const { subscriberId: id } = settled.attempted.claimed;
    tell({ kind: "delivery", id, in: id });
    if (settled.attempted.error !== null) tell({ kind: "subscriber", id });
  });
  const providers = makeProviders(sealing, options);
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
  const ingest = makeIngest(place, { reader, webhooks, addresses, reports: indexes.reports, metrics, counters });
  const { backups, shipping } = makeBackups(place, {
    now,
    backupTo: options.backupTo,
    changed: () => live.tell({ kind: "backup", id: "backup" }),
  });
  const settingsTools = {
    backups,
    shippedLog: () => shipping?.state(),
    requireSetting: (name: SettingName, value: string) => {
      if (name === "backup_to") requireApart(folder, value);
    },
    ...webhooks,
    mailCa: options.mailCa,
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
      providers,
      recentRequests,
      indexes,
      runner: { runNotifier },
    });
    return fetchWithAllRoutes(edge, direct, routes, (request) => answerPage(edge, pageTools, request));
  });

  const notices = new Notices({
    ...context,
    storeOfDuty: place.storeOfDuty("notices"),
    sealing,
    space,
    outages,
    filesTrouble: () => files.trouble(),
    here: place.peers ? hereIn(folder) : { machine: "", process: "" },
    enqueued: () => webhooks.worker.wake(),
  });
  let metricsListener: ReturnType<typeof openMetrics>;
  const background = backgroundOf({
    place,
    context,
    metrics,
    requestLog,
    tally,
    counters,
    indexes,
    reader,
    sealing,
    backups: [backups, shipping].filter((work) => work !== undefined),
    notices,
    webhooks,
    watching: watch.work,
    mailCa: options.mailCa,
    newDeviceMails,
  });
  const release = async (milliseconds: number) => {
    live.close();
    // A client that goes on sending a refused body would otherwise delay the stop.
    await listener?.stop(Math.min(milliseconds, flushMilliseconds));
    await setupLink?.close();
    place.stopping?.();
    await background.stop();
    webhooks.connections.close();
    providers.close();
    // Uploads that were cut off by the stop left unfinished files.
    await files.removeDrafts("all").catch((error) => log.warn("unfinished uploads were not removed", { error }));
    reader.close();
    await signIns.failed.flush();
    await signIns.forgotten.flush();
    await clock.stop();
    metricsListener?.stop();
    await store.close();
    await shipping?.finish();
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
      backupTo: options.backupTo,
    });
    if (!(await store.one("select id from organisation"))) {
      setupLink = await SetupLink.make(place.setupSecrets, folder, options.publicUrl ?? url);
    }
    metrics.watch({
      trouble: () => store.trouble(),
      ...place.gauges,
      ...(shipping ? { shippedLog: () => shipping.counts() } : {}),
      clockTrusted: clock.trusted,
      requestLogDropped: () => requestLog.dropped,
      disk: space,
      roomSetAside: () => ingest.room.bytes,
      backlog: backlogOf(store, indexes),
      backups: backups && { backups, store, now },
    });
    const kept = await readSettings(store);
    log.info("reports are kept", { days: kept.retention_days, bytesPerProject: kept.retention_bytes });
    await background.start();
    place.started?.();
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
