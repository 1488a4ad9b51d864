import type { Context } from "../access/context.ts";
import { FailedSignIns } from "../access/failed-sign-ins.ts";
import { idMaker } from "../access/ids.ts";
import { RequestLog } from "../access/request-log.ts";
import { SetupLink } from "../access/setup-link.ts";
import { SignInThrottle } from "../access/sign-in-throttle.ts";
import { RunBell } from "../agents/run-bell.ts";
import { RunKeeper } from "../agents/run-keeper.ts";
import { Upkeep } from "../boards/upkeep.ts";
import { Addresses } from "../fanout/addresses.ts";
import { attempts } from "../fanout/attempt.ts";
import { Connections } from "../fanout/connections.ts";
import { Links } from "../fanout/links.ts";
import { openSealing } from "../fanout/open-sealing.ts";
import { Replays } from "../fanout/replays.ts";
import { DeliveryWorker } from "../fanout/worker.ts";
import { createApp, originalOf } from "../http/app.ts";
import type { Edge } from "../http/edge.ts";
import { listenMetrics } from "../http/metrics.ts";
import { RateLimiter } from "../http/rate-limit.ts";
import { type Listener, listen, PortInUse } from "../http/serve.ts";
import { networkOf, SourceAddresses } from "../http/source-address.ts";
import { EnvelopeReader } from "../ingest/envelope-reader.ts";
import type { StoredReport } from "../ingest/receive-report.ts";
import { Retention } from "../ingest/retention.ts";
import { Arrivals } from "../live/arrivals.ts";
import { LiveHub } from "../live/hub.ts";
import { watchForPages } from "../live/watch.ts";
import { Counters } from "../overview/counters.ts";
import { Tally } from "../overview/tally.ts";
import { ReportIndex } from "../reports/report-index.ts";
import { CardIndex } from "../search/card-index.ts";
import { Ballast } from "../store/ballast.ts";
import { freeSpace } from "../store/free-space.ts";
import { LocalFiles } from "../store/local-files.ts";
import { databasePath, migrate } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { SqliteStore } from "../store/sqlite.ts";
import { makeDataFolder } from "./data-folder.ts";
import { DataLock } from "./lock.ts";
import { log } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { routesOf } from "./routes.ts";
import { readSettings } from "./settings.ts";

export interface ServerOptions {
  data: string;
  host: string;
  /** 0 picks a free one. */
  port: number;
  publicUrl: string | undefined;
  /** Where apps send reports; the public URL when undefined. */
  ingestUrl: string | undefined;
  /** Addresses and ranges whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Undefined: the usual address, and none when it is taken. */
  metrics: { hostname: string; port: number } | "off" | undefined;
  /** Addresses and ranges that webhooks may go to although they are not public. */
  webhookAllow: readonly string[];
  /** Certificates that are trusted beside the usual ones, PEM. */
  webhookCa: readonly string[];
  /** Seconds before each attempt of a delivery. */
  webhookSchedule: readonly number[];
  rateLimits: boolean;
  /** Storage can no longer be trusted: end the process without another answer. */
  onFatal: (error: unknown) => void;
}

interface RunningServer {
  url: string;
  metricsUrl: string | undefined;
  setupUrl: string | undefined;
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  /** Answers what is running, at most for 25 s, then writes everything down and lets go. */
  stop(): Promise<void>;
}

const usualMetrics = { hostname: "127.0.0.1", port: 9464 };
const graceMilliseconds = 25_000;
/** For answers that are made to reach their clients. */
const flushMilliseconds = 1_000;
const ballastMilliseconds = 5_000;
const spaceMilliseconds = 250;

/** The composition root: everything that lives as long as the server, put together and taken apart. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const folder = makeDataFolder(options.data);
  const lock = new DataLock(folder, "serve");
  try {
    migrate(folder, migrations, (text) => log.info(text));
    return await run(folder, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function run(folder: string, lock: DataLock, options: ServerOptions): Promise<RunningServer> {
  const metrics = new Metrics();
  const ballast = new Ballast(folder);
  const store = new SqliteStore(databasePath(folder), {
    busyMs: 0,
    checkpoints: true,
    ballast,
    onFatal: options.onFatal,
    onTrouble: (reason) => {
      if (reason === undefined) log.info("storage commits again");
      else log.error("storage cannot commit", { reason });
    },
    onCommit: (writes, milliseconds) => metrics.committed(writes, milliseconds),
  });
  const files = new LocalFiles(folder);
  const now = () => Date.now();
  const live = new LiveHub();
  const bell = new RunBell();
  const context: Omit<Context, "actor"> = {
    store,
    now,
    newId: idMaker(now),
    publicUrl: { fixed: options.publicUrl, fallback: "" },
    changed: (fact) => {
      live.tell(fact);
      if (fact.kind !== "run") return;
      // A run may have been queued, or subscribers are to be told of one.
      bell.ring();
      worker.wake();
    },
  };
  const tally = new Tally(context);
  const counters = new Counters(tally, store);
  const requestLog = new RequestLog(context);
  const arrivals = new Arrivals({ now, tell: live.tell });
  const addresses = new SourceAddresses(options.trustedProxies);
  let stopping = false;
  const running = new Running();
  let listener: Listener | undefined;
  const sourceOf = (request: Request) =>
    addresses.of(listener?.peerOf(originalOf(request)), request.headers.get("x-forwarded-for"));
  const edge: Edge = {
    context,
    limiter: options.rateLimits ? new RateLimiter() : undefined,
    requestLog,
    answered: (route, status, code) => {
      metrics.answered(route, status, code);
      if (route === "createTicket" && status >= 400) counters.refused("tickets", "", code);
    },
    arrived: (api, request, answered) => arrivals.add(api, request, answered),
    ticketed: (ticket) => counters.ticketed(ticket),
    sdkSeen: (header, known) => metrics.sdkSeen(header, known),
    keepOpen: (request, seconds) => listener?.keepOpen(originalOf(request), seconds),
    peerOf: (request) => listener?.peerOf(originalOf(request)),
    sourceOf,
    networkOf: (request) => {
      const source = sourceOf(request);
      return source && networkOf(source);
    },
    take: () => !stopping && running.add(),
    release: () => running.remove(),
    trouble: () => store.trouble() ?? files.trouble(),
    stopping: () => stopping,
  };
  const keeper = new RunKeeper(context);
  const signIns = { throttle: new SignInThrottle(), failed: new FailedSignIns(context) };
  let setupLink: SetupLink | undefined;
  const reader = new EnvelopeReader();
  const space = spaceOf(folder);
  const retention = new Retention({ store, files, reader }, now);
  const upkeep = new Upkeep({ store, files, reader, now, newId: context.newId });
  const cardIndex = new CardIndex(store);
  const reportIndex = new ReportIndex({ store, reader, now });
  const sealing = await openSealing(folder, store);
  const connections = new Connections({ ca: options.webhookCa });
  const webhookAddresses = new Addresses({ allow: options.webhookAllow });
  const worker = new DeliveryWorker({
    store,
    attempt: attempts({ store, sealing, now, addresses: webhookAddresses, connections }),
    schedule: options.webhookSchedule,
    now,
    newId: context.newId,
    settled: (settled) => {
      metrics.settled(settled);
      counters.settled(settled);
      // One for all deliveries of a subscriber: the hub tells the same thing once.
      const { subscriberId: id } = settled.attempted.claimed;
      live.tell({ kind: "delivery", id, in: id });
      if (settled.attempted.error !== null) live.tell({ kind: "subscriber", id });
    },
  });
  const ingest = {
    files,
    reader,
    links: new Links(sealing),
    enqueued: () => worker.wake(),
    addressLimiter: options.rateLimits ? new RateLimiter() : undefined,
    addresses,
    space,
    stored: (report: StoredReport) => {
      counters.stored(report);
      if (!report.repeat) reportIndex.added(report.projectId, report.receivedAt);
    },
    received: (project: string, outcome: string) => {
      metrics.reported(project, outcome);
      if (outcome !== "accepted" && outcome !== "repeated") counters.refused("ingest", project, outcome);
    },
  };
  const settingsTools = {
    sealing,
    connections,
    addresses: webhookAddresses,
    schedule: options.webhookSchedule,
    replays: new Replays(),
    folder,
    space,
    trouble: edge.trouble,
    startedAt: now(),
  };
  const app = createApp(
    edge,
    routesOf(edge, {
      ingest,
      setupLink: () => setupLink,
      ingestUrl: options.ingestUrl,
      live,
      settings: settingsTools,
      signIns,
      arrivals,
      runner: { limiter: options.rateLimits ? new RateLimiter() : undefined, bell },
    }),
  );

  let metricsListener: ReturnType<typeof listenMetrics> | undefined;
  let keepingBallast: Timer | undefined;
  let watching: ReturnType<typeof watchForPages> | undefined;
  const release = async (milliseconds: number) => {
    clearInterval(keepingBallast);
    watching?.stop();
    live.close();
    // Whoever still sends a body that was refused would hold it up for long.
    await listener?.stop(Math.min(milliseconds, flushMilliseconds));
    setupLink?.close();
    await worker.stop();
    connections.close();
    await retention.stop();
    await keeper.stop();
    await upkeep.stop();
    await cardIndex.stop();
    await reportIndex.stop();
    // Uploads that were cut have left theirs.
    await files.removeDrafts("all").catch((error) => log.warn("unfinished uploads were not removed", { error }));
    reader.close();
    await signIns.failed.flush();
    await requestLog.stop();
    await tally.stop();
    metrics.stop();
    metricsListener?.stop();
    await store.close();
  };

  try {
    listener = listen(app, { hostname: options.host, port: options.port });
    const { url } = listener;
    context.publicUrl.fallback = url;
    metricsListener = openMetrics(metrics, options.metrics);
    lock.serving({ url, publicUrl: options.publicUrl, ingestUrl: options.ingestUrl });
    if (!(await store.one("select id from organisation"))) {
      setupLink = new SetupLink(folder, options.publicUrl ?? url);
    }
    metrics.watch({ store, requestLogDropped: () => requestLog.dropped, freeBytes: () => space().bytes });
    requestLog.start();
    tally.start();
    const kept = await readSettings(store);
    log.info("reports are kept", { days: kept.retention_days, bytesPerProject: kept.retention_bytes });
    retention.start();
    keeper.start();
    upkeep.start();
    cardIndex.start();
    await reportIndex.start();
    await worker.start({ alone: true });
    // After the first answers: 64 MiB of zeros are no reason to start late.
    void store.keepBallast();
    keepingBallast = setInterval(() => void store.keepBallast(), ballastMilliseconds);
    keepingBallast.unref();
    watching = watchForPages(live, {
      store,
      now,
      outsideVersion: () => store.outsideVersion(),
      trouble: edge.trouble,
    });
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
        // Pages that listen would hold the stop up, and come back by themselves.
        live.close();
        bell.close();
        bell.close();
        // While something runs, /readyz can be seen red; new work is refused with 503.
        const started = performance.now();
        // No delivery begins any more; those under way end within the same time.
        await Promise.all([running.none(graceMilliseconds), worker.stop()]);
        await release(Math.max(0, graceMilliseconds - (performance.now() - started)));
        lock.release();
      })();
      return stopped;
    },
  };
}

/** Asks the system at most four times a second. */
function spaceOf(folder: string): () => ReturnType<typeof freeSpace> {
  let asked = Number.NEGATIVE_INFINITY;
  let space = { bytes: 0, low: false };
  return () => {
    if (performance.now() - asked > spaceMilliseconds) {
      space = freeSpace(folder);
      asked = performance.now();
    }
    return space;
  };
}

/** Requests that were taken and are not answered yet. */
class Running {
  #count = 0;
  #none: (() => void) | undefined;

  add(): true {
    this.#count++;
    return true;
  }

  remove() {
    if (--this.#count === 0) this.#none?.();
  }

  async none(milliseconds: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, milliseconds);
      this.#none = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}

function openMetrics(metrics: Metrics, address: ServerOptions["metrics"]) {
  if (address === "off") return undefined;
  try {
    return listenMetrics(metrics, address ?? usualMetrics);
  } catch (error) {
    if (address !== undefined || !(error instanceof PortInUse)) throw error;
    log.warn("no metrics: 127.0.0.1:9464 is in use; choose another address with --metrics");
    return undefined;
  }
}
