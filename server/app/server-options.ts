import type { ProviderOptions } from "./make-providers.ts";
import type { WebhookOptions } from "./make-webhooks.ts";
import type { MetricsAddress } from "./open-metrics.ts";

export interface ServerOptions extends WebhookOptions, ProviderOptions {
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
  /** The header in which a trusted proxy names the e-mail address of who is signed in there. */
  authHeader?: string | undefined;
  /** Certificates that mail servers may have beside the usual ones, PEM. */
  mailCa: readonly string[];
  /** Where backups are made to; what the setting says when undefined. */
  backupTo?: string | undefined;
  metrics: MetricsAddress;
  rateLimits: boolean;
  /** Seconds that a stop goes on taking requests while `/readyz` says that they should go elsewhere. */
  drain?: number;
  /** Called when storage can no longer be trusted: end the process without another answer. */
  onFatal: (error: unknown) => void;
}

export interface RunningServer {
  url: string;
  metricsUrl: string | undefined;
  setupUrl: string | undefined;
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  /** Waits up to 25 s for the requests in flight, then stops all work, writes down what is in memory and releases the folder. */
  stop(): Promise<void>;
}
