import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { resolve } from "node:path";
import { requireUsable } from "../app/data-folder.ts";
import { allowFileThreads } from "../app/file-threads.ts";
import { databaseUrl } from "../app/place-variables.ts";
import { startServer } from "../app/server.ts";
import type { ServerOptions } from "../app/server-options.ts";
import { storedPublicUrl } from "../app/stored-public-url.ts";
import { requireApart } from "../backup/target-folder.ts";
import { onPostgres, requireBackupTarget } from "../core/backup-settings.ts";
import { configureLog, flushLog, log } from "../core/log.ts";
import { requirePublicUrl } from "../core/settings.ts";
import { requireAuthHeader } from "../http/auth-header.ts";
import { requireNetwork } from "../http/source-address.ts";
import { readSchedule, usualSchedule } from "../webhooks/subscribers/retry-schedule.ts";
import { type Command, command } from "./command.ts";
import { checked, choice, fallback, integer, many, parsed, text, UsageError } from "./options.ts";
import { providerAllowOption } from "./provider-allow.ts";
import { ingestUrlOption, publicUrlOption } from "./public-url.ts";
import { mailCaOption, providerCaOption, webhookCaOption } from "./trusted-certificates.ts";
import { unknownVariables } from "./unknown-variables.ts";
import { webhookAllowOption } from "./webhook-allow.ts";

const untrustedStorage = 70;

export const serveOptions = {
  host: fallback(text("H", "address to listen on", { env: "INTAKE_HOST" }), "127.0.0.1"),
  port: fallback(integer("N", "port; 0 picks a free one", { min: 0, max: 65_535, env: "INTAKE_PORT" }), 3_000),
  "public-url": publicUrlOption,
  "ingest-url": ingestUrlOption,
  "trusted-proxies": many(
    checked(
      "C",
      "address or range of a proxy whose X-Forwarded-For is trusted; repeat or separate by commas",
      requireNetworks,
      {
        env: "INTAKE_TRUSTED_PROXIES",
      },
    ),
  ),
  "auth-header": checked(
    "NAME",
    "header in which a trusted proxy names the e-mail address of who is signed in there; needs --trusted-proxies",
    requireAuthHeader,
    { env: "INTAKE_AUTH_HEADER" },
  ),
  "webhook-allow": webhookAllowOption,
  "webhook-ca": webhookCaOption,
  "mail-ca": mailCaOption,
  "provider-allow": providerAllowOption,
  "provider-ca": providerCaOption,
  "webhook-schedule": fallback(
    parsed(
      "S,…",
      "seconds to wait before each attempt of a delivery; one attempt for each number, the first is 0",
      readSchedule,
      {
        env: "INTAKE_WEBHOOK_SCHEDULE",
      },
    ),
    usualSchedule,
  ),
  "backup-to": checked(
    "DIR|s3://…",
    "where the server makes backups by itself; overrides the setting backup_to",
    requireGivenTarget,
    { env: "INTAKE_BACKUP_TO" },
  ),
  metrics: text("H:N", "address that answers /metrics, or off (127.0.0.1:9464)", { env: "INTAKE_METRICS" }),
  "database-connections": fallback(
    integer("N", "connections to PostgreSQL that this process opens at most", {
      min: 5,
      max: 500,
      env: "INTAKE_DATABASE_CONNECTIONS",
    }),
    17,
  ),
  drain: fallback(
    integer(
      "S",
      "seconds to go on taking requests after a signal to stop, while /readyz answers 503; behind a load balancer",
      {
        min: 0,
        max: 300,
        env: "INTAKE_DRAIN",
      },
    ),
    0,
  ),
  "rate-limits": fallback(
    choice(["on", "off"], "limits per minute; off is for benchmarks on loopback only", { env: "INTAKE_RATE_LIMITS" }),
    "on" as const,
  ),
};

export const serveCommand = command({
  name: "serve",
  summary: "run the server; migrates the database first",
  options: serveOptions,
  example: "intake serve --data /var/lib/intake --public-url https://intake.example.org",
  notes:
    "The server prints one line, `listening on http://…`, to stdout and logs JSON lines to stderr. On SIGTERM, SIGINT or SIGHUP it finishes the requests in flight (25 s at most) and stops; a second signal stops it immediately.",
  async run({ options, commands }) {
    allowFileThreads();
    const loopback = isLoopback(options.host);
    // Checked before SQLite opens the database to read the setting; `requireUsable` says why.
    if (existsSync(options.data)) requireUsable(options.data);
    const database = databaseUrl();
    const publicUrl = options["public-url"] ?? usablePublicUrl(await storedPublicUrl(options.data, database));
    if (!loopback && publicUrl === undefined) {
      throw new UsageError(
        `--public-url is required with --host ${options.host}: links are never taken from a request`,
      );
    }
    if (!loopback && options["rate-limits"] === "off") {
      throw new UsageError("--rate-limits off is for benchmarks, with a loopback --host only");
    }
    const trustedProxies = options["trusted-proxies"].flatMap((list) => list.split(","));
    if (options["auth-header"] !== undefined && trustedProxies.length === 0) {
      throw new UsageError("--auth-header needs --trusted-proxies: only what they send may say who somebody is");
    }
    const backupTo = options["backup-to"];
    if (backupTo !== undefined) requireApart(options.data, backupTo);
    const metrics = metricsAddress(options.metrics);
    configureLog();
    if (options["rate-limits"] === "off") log.warn("rate limits are off; this is for benchmarks only");
    if (database !== undefined && backupTo !== undefined) log.warn(onPostgres);
    for (const { name, nearest } of await strayVariables(commands)) {
      log.warn("unknown variable in the environment", { variable: name, ...(nearest ? { nearest } : {}) });
    }
    endOnStrayErrors();

    const server = await startServer({
      data: options.data,
      databaseUrl: database,
      databaseConnections: options["database-connections"],
      host: options.host,
      port: options.port,
      publicUrl: options["public-url"],
      ingestUrl: options["ingest-url"],
      trustedProxies,
      authHeader: options["auth-header"],
      webhookAllow: options["webhook-allow"].flatMap((list) => list.split(",")),
      webhookCa: options["webhook-ca"] ?? [],
      providerAllow: options["provider-allow"].flatMap((list) => list.split(",")),
      providerCa: options["provider-ca"] ?? [],
      webhookSchedule: options["webhook-schedule"],
      mailCa: options["mail-ca"] ?? [],
      backupTo,
      metrics,
      rateLimits: options["rate-limits"] === "on",
      drain: options.drain,
      onFatal: (error) => {
        log.fatal("storage can no longer be trusted, ending without another answer", { error });
        void flushLog().then(() => process.exit(untrustedStorage));
      },
    });
    const signal = nextSignal();
    process.stdout.write(`listening on ${server.url}\n`);
    log.info("started", { url: server.url, ...(server.metricsUrl ? { metrics: server.metricsUrl } : {}) });
    if (server.setupUrl) {
      process.stderr.write(
        `There is no organisation yet. For 30 minutes it can be set up with this link (also in ${options.data}/setup-link):\n  ${server.setupUrl}\n`,
      );
    }

    log.info("stopping", { signal: await signal });
    await server.stop();
    log.info("stopped");
    await flushLog();
    // All work has stopped; whatever still occupies the event loop must not keep the process alive.
    process.exit(0);
  },
});

/** Variables that no command knows. The other commands are loaded only when there is one that `serve` does not know. */
async function strayVariables(commands: () => Promise<readonly Command[]>) {
  const strange = unknownVariables([serveCommand], process.env);
  return strange.length === 0 ? strange : unknownVariables(await commands(), process.env);
}

/** Throws when the stored public URL has a path: it was stored before paths were refused, and its links lead nowhere. */
function usablePublicUrl(stored: string | undefined): string | undefined {
  try {
    return stored && requirePublicUrl(stored);
  } catch (error) {
    throw new UsageError(
      `the setting public_url is ${stored}: it ${(error as Error).message}. Change it with: intake settings set public_url https://…`,
    );
  }
}

/** Resolves with the first signal to stop; the second one ends the process at once. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    let seen = false;
    for (const signal of ["SIGTERM", "SIGINT", ...(ignoresHangup() ? [] : (["SIGHUP"] as const))] as const) {
      process.on(signal, () => {
        if (seen) process.exit(1);
        seen = true;
        resolve(signal);
      });
    }
  });
}

/** Whether `nohup` or a similar program made this process ignore SIGHUP; on Linux the kernel reports that. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** Logs an unexpected error as JSON and ends the process; without this Bun would print a trace that is not JSON. */
function endOnStrayErrors() {
  const end = (error: unknown) => {
    log.fatal("an error that nobody caught", { error });
    void flushLog().then(() => process.exit(1));
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function requireNetworks(list: string): string {
  return list
    .split(",")
    .map((network) => requireNetwork(network.trim()))
    .join(",");
}

/** A folder may be relative here, and the region of a bucket may come from the environment. */
function requireGivenTarget(given: string): string {
  return given.startsWith("s3:") ? requireBackupTarget(given, process.env) : requireBackupTarget(resolve(given));
}

function metricsAddress(given: string | undefined): ServerOptions["metrics"] {
  if (given === undefined || given === "off") return given;
  const [, hostname = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(given) ?? [];
  const port = Number(digits);
  if (hostname === "" || port > 65_535)
    throw new UsageError("--metrics must be an address like 127.0.0.1:9464, or off");
  return { hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port };
}
