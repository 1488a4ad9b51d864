import { afterAll, beforeAll, describe } from "bun:test";
import { usualSchedule } from "../../server/webhooks/subscribers/retry-schedule.ts";
import { serve } from "./binary.ts";
import { onPostgres } from "./databases.ts";
import { documented } from "./documented.ts";
import { computed, computedBy } from "./in-time.ts";
import { type Installation, install } from "./installation.ts";

/** The three ways to reach a server: the contract is one suite, which runs over each of them. */
const ways = ["in process", "over loopback", "compiled binary"] as const;
type Way = (typeof ways)[number];

/** The three ways differ in what stands before the storage. With the other engine, one of them tells as much. */
const isWanted = (way: Way, only: readonly Way[]) => !onPostgres || way === only.at(-1);

export interface Target {
  way: Way;
  installation: Installation;
  /** The server's address, also in process. */
  url: string;
  send(path: string, init?: RequestInit): Promise<Response>;
}

interface RunningTarget extends Target {
  /** Milliseconds of processor time of the server's process so far. */
  computed(): number;
}

/**
 * Declares a suite for each way; inside the tests `target()` is a running server with an organisation. Every answer to
 * a public operation has to be in the OpenAPI document.
 */
export function describeTargets(
  title: string,
  suite: (target: () => RunningTarget) => void,
  only: readonly Way[] = ways,
  { rateLimits = true }: { rateLimits?: boolean } = {},
) {
  for (const way of only.filter((way) => isWanted(way, only))) {
    describe(`${title} (${way})`, () => {
      let running: (RunningTarget & { stop(): Promise<unknown> }) | undefined;
      beforeAll(async () => {
        const started = await start(way, await install(), rateLimits);
        running = {
          ...started,
          send: async (path, init) => documented(init?.method ?? "GET", path, await started.send(path, init)),
        };
      }, 180_000);
      afterAll(async () => {
        await running?.stop();
        await running?.installation.remove();
      }, 180_000);
      suite(() => {
        if (!running) throw new Error("the target has not started");
        return running;
      });
    });
  }
}

async function start(way: Way, installation: Installation, rateLimits: boolean) {
  if (way === "compiled binary") {
    const { url, stop, pid } = await serve(installation.folder, rateLimits ? [] : ["--rate-limits", "off"]);
    return {
      way,
      installation,
      url,
      stop: () => stop(),
      send: (path: string, init?: RequestInit) => fetch(url + path, init),
      computed: () => computedBy(pid),
    };
  }
  // The whole server takes a tenth of a second of processor time to load, which files of the binary alone need not.
  const { startServer } = await import("../../server/app/server.ts");
  const server = await startServer({
    data: installation.folder,
    databaseUrl: installation.databaseUrl,
    host: "127.0.0.1",
    port: 0,
    publicUrl: undefined,
    ingestUrl: undefined,
    trustedProxies: [],
    webhookAllow: ["127.0.0.0/8"],
    providerAllow: ["127.0.0.0/8"],
    webhookCa: [],
    mailCa: [],
    webhookSchedule: usualSchedule,
    metrics: "off",
    rateLimits,
    onFatal: (error) => {
      throw error;
    },
  });
  const { url, stop } = server;
  const send =
    way === "in process"
      ? async (path: string, init?: RequestInit) => server.fetch(new Request(url + path, init))
      : (path: string, init?: RequestInit) => fetch(url + path, init);
  return { way, installation, url, stop, send, computed };
}
