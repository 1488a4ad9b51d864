import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import { version } from "../../package.json";
import type { LogCounts } from "../backup/log-shipping.ts";
import { Periodic } from "../core/periodic.ts";
import type { SettledMail } from "../mail/settle-mail.ts";
import type { DatabaseObserver, LaneCounts } from "../store/postgres/observer.ts";
import type { Settled } from "../webhooks/deliveries/settle.ts";
import type { Backlog } from "./backlog.ts";
import { watchBackups } from "./backup-metrics.ts";
import { databaseMetrics, databaseSecondsBuckets, watchLanes } from "./database-metrics.ts";
import { Durations } from "./durations.ts";
import { watchProcess } from "./process-metrics.ts";
import { SdkLabels } from "./sdk-labels.ts";
import { watchShippedLog } from "./shipped-log-metrics.ts";

const lagMilliseconds = 500;

/** The metrics at `/metrics`. Every label has a closed set of values, or is the id of a project. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "intake_requests_total",
    help: "Answers by route, status and error code; code is ok for a success, replayed for a replay.",
    labelNames: ["route", "status", "code"] as const,
    registers: [this.#registry],
  });
  readonly #byAnswer = new Map<string, Counter.Internal>();
  readonly #durations = new Durations(this.#registry);
  readonly #reports = new Counter({
    name: "intake_reports_total",
    help: "Reports by project and outcome: accepted, repeated, or why one was refused; project is empty before the key is known.",
    labelNames: ["project", "outcome"] as const,
    registers: [this.#registry],
  });
  readonly #attempts = new Counter({
    name: "intake_delivery_attempts_total",
    help: "Attempts to deliver, by what they made of the delivery (delivered, waiting, dead; superseded: another had it) and why they failed.",
    labelNames: ["state", "error"] as const,
    registers: [this.#registry],
  });
  readonly #disabled = new Counter({
    name: "intake_subscribers_disabled_total",
    help: "Subscribers that were disabled because they failed for too long or answered 410.",
    registers: [this.#registry],
  });
  readonly #dead = new Counter({
    name: "intake_deliveries_dead_total",
    help: "Deliveries that were given up: their last attempt of the schedule has failed.",
    registers: [this.#registry],
  });
  readonly #mails = new Counter({
    name: "intake_mail_attempts_total",
    help: "Attempts to send a mail, by what they made of it (sent, waiting, failed; expired: without an attempt) and why they failed.",
    labelNames: ["state", "fault"] as const,
    registers: [this.#registry],
  });
  readonly #sdkRequests = new Counter({
    name: "intake_sdk_requests_total",
    help: "Requests that named the SDK they came from; other beyond 40 of them and 10 versions of @intake/client, invalid when it is no name/version.",
    labelNames: ["sdk", "version"] as const,
    registers: [this.#registry],
  });
  readonly #sdkLabels = new SdkLabels();
  readonly #commitSeconds = new Histogram({
    name: "intake_commit_seconds",
    help: "Time from the begin to the durable commit of a group of writes.",
    buckets: [...databaseSecondsBuckets],
    registers: [this.#registry],
  });
  readonly #groupWrites = new Histogram({
    name: "intake_commit_writes",
    help: "Writes in one group.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [this.#registry],
  });
  #lag = 0;
  #tickedAt = 0;
  readonly #ticking = new Periodic({
    turn: () => this.#measureLag(),
    every: lagMilliseconds,
    failed: "the lag of the event loop was not measured",
  });

  answered(route: string, status: number, code: string, started: number | undefined) {
    this.#requestsOf(route, status, code).inc();
    if (started !== undefined) this.#durations.observe(route, status, (performance.now() - started) / 1_000);
  }

  /** The labels are a closed set. Looking one up among those of prom-client takes a microsecond of every request. */
  #requestsOf(route: string, status: number, code: string): Counter.Internal {
    const key = `${route} ${status} ${code}`;
    let counter = this.#byAnswer.get(key);
    if (!counter) {
      counter = this.#requests.labels({ route, status, code });
      this.#byAnswer.set(key, counter);
    }
    return counter;
  }

  reported(project: string, outcome: string) {
    this.#reports.inc({ project, outcome });
  }

  sdkSeen(header: string, authenticated: boolean) {
    const { sdk, version } = this.#sdkLabels.of(header, authenticated);
    this.#sdkRequests.inc({ sdk, version });
  }

  settled({ state, attempted: { error }, disabled }: Settled) {
    this.#attempts.inc({ state, error: error ?? "" });
    if (state === "dead") this.#dead.inc();
    if (disabled !== undefined) this.#disabled.inc();
  }

  mailed({ state, fault }: SettledMail) {
    this.#mails.inc({ state, fault: fault ?? "" });
  }

  committed(writes: number, milliseconds: number) {
    this.#commitSeconds.observe(milliseconds / 1_000);
    this.#groupWrites.observe(writes);
  }

  /** Adds what is counted where rows are kept in a database. */
  observeDatabase(): DatabaseObserver {
    return databaseMetrics(this.#registry);
  }

  /** Adds the gauges whose values are read when somebody reads the metrics. */
  watch({
    trouble,
    walBytes,
    indexKeysBehind,
    lanes,
    shippedLog,
    clockTrusted,
    requestLogDropped,
    disk,
    roomSetAside,
    backlog,
    backups,
  }: {
    trouble: () => string | undefined;
    walBytes?: () => number;
    indexKeysBehind?: () => number;
    lanes?: () => Record<string, LaneCounts>;
    shippedLog?: () => LogCounts;
    clockTrusted: () => boolean;
    requestLogDropped: () => number;
    disk: () => { bytes: number; size: number };
    roomSetAside: () => number;
    backlog: () => Promise<Backlog | undefined>;
    backups: Parameters<typeof watchBackups>[1] | undefined;
  }) {
    this.#gauge("intake_storage_ready", "1 while storage can commit.", () => (trouble() ? 0 : 1));
    this.#gauge("intake_clock_trusted", "0 while nothing is deleted by age because the clock may be wrong.", () =>
      clockTrusted() ? 1 : 0,
    );
    this.#gauge("intake_free_bytes", "Room on the disk; below min(5 %, 512 MiB) reports are refused.", () => {
      return disk().bytes;
    });
    this.#gauge("intake_disk_size_bytes", "Size of the disk that intake_free_bytes is of.", () => disk().size);
    const setAside = "Room on the disk that is set aside for what uploads under way still bring.";
    this.#gauge("intake_set_aside_bytes", setAside, roomSetAside);
    if (walBytes) this.#gauge("intake_wal_bytes", "Write-ahead log in use.", walBytes);
    this.#gauge("intake_event_loop_lag_seconds", "How late the last timer came.", () => this.#lag);
    new Counter({
      name: "intake_request_log_dropped_total",
      help: "Entries of token request logs lost at overload.",
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(requestLogDropped());
      },
    });
    this.#watchBacklog(backlog);
    const keys = "Idempotency keys that wait to be written to their index; they are recognised all the same.";
    if (indexKeysBehind) this.#gauge("intake_index_keys_behind", keys, indexKeysBehind);
    if (lanes) watchLanes(this.#registry, lanes);
    if (backups) watchBackups(this.#registry, backups);
    if (shippedLog) watchShippedLog(this.#registry, shippedLog);
    watchProcess(this.#registry);
    new Gauge({
      name: "intake_build_info",
      help: "1, with the versions of the binary and of the Bun that it carries.",
      labelNames: ["version", "bun"] as const,
      registers: [this.#registry],
    }).set({ version, bun: Bun.version }, 1);
  }

  start() {
    this.#tickedAt = performance.now();
    this.#ticking.start();
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  contentType(): string {
    return this.#registry.contentType;
  }

  stop(): Promise<void> {
    return this.#ticking.stop();
  }

  #measureLag() {
    const now = performance.now();
    this.#lag = Math.max(0, now - this.#tickedAt - lagMilliseconds) / 1_000;
    this.#tickedAt = now;
  }

  #watchBacklog(backlog: () => Promise<Backlog | undefined>) {
    const counted = "counted up to 100,000, at most every 5 s.";
    this.#gauge("intake_deliveries_waiting", `Deliveries that wait for an attempt, ${counted}`, async () => {
      return (await backlog())?.deliveries;
    });
    this.#gauge("intake_mails_waiting", `Mails that wait to be sent, or to be tried again, ${counted}`, async () => {
      return (await backlog())?.mails;
    });
    this.#gauge("intake_index_cards_behind", `Cards that the search does not find yet, ${counted}`, async () => {
      return (await backlog())?.cards;
    });
    this.#gauge("intake_index_reports_behind", `Reports that queries do not find yet, ${counted}`, async () => {
      return (await backlog())?.reports;
    });
    new Gauge({
      name: "intake_subscribers",
      help: "Subscribers by state: active, paused, disabled; at most every 5 s.",
      labelNames: ["state"] as const,
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const [state, count] of Object.entries((await backlog())?.subscribers ?? {})) this.set({ state }, count);
      },
    });
    new Gauge({
      name: "intake_notices",
      help: "Open notices by rule; at most every 5 s.",
      labelNames: ["rule"] as const,
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const [rule, count] of Object.entries((await backlog())?.notices ?? {})) this.set({ rule }, count);
      },
    });
    new Gauge({
      name: "intake_runs",
      help: `Agent runs that are not over, by state; waiting is for credits, a repository or a runner; ${counted}`,
      labelNames: ["state"] as const,
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const [state, count] of Object.entries((await backlog())?.runs ?? {})) this.set({ state }, count);
      },
    });
  }

  /** A gauge that is left out while `read` returns undefined. */
  #gauge(name: string, help: string, read: () => number | Promise<number | undefined>) {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
}
