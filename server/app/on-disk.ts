import { statSync } from "node:fs";
import { SignInThrottle } from "../accounts/sign-in-throttle.ts";
import { requireRestored } from "../backup/restore-mark.ts";
import { logAtOnce } from "../core/log.ts";
import { keyPath } from "../core/open-sealing.ts";
import { Periodic } from "../core/periodic.ts";
import { RateLimiter } from "../http/rate-limit.ts";
import { Uploads } from "../ingest/uploads.ts";
import { OwnSetupSecrets } from "../organisation/setup-link.ts";
import { Ballast } from "../store/ballast.ts";
import { spaceOf } from "../store/free-space.ts";
import { holdLog } from "../store/hold-log.ts";
import { IndexKeys } from "../store/index-keys.ts";
import { LocalFiles } from "../store/local-files.ts";
import type { LogEvent } from "../store/log-events.ts";
import { databasePath, migrate } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { discardSpool, spoolFolder } from "../store/spool-folder.ts";
import { SqliteStore } from "../store/sqlite.ts";
import { OwnReplayJobs } from "../webhooks/deliveries/replay-jobs.ts";
import { makeDataFolder } from "./data-folder.ts";
import { DataLock } from "./lock.ts";
import { requireNotMoved } from "./moved-folder.ts";
import type { Place, PlaceOptions, Work } from "./place.ts";

const ballastMilliseconds = 5_000;
/** After a kill, the first one to open the database holds its lock while it recovers the log: a backup may be it. */
const startLockedMilliseconds = 15_000;

/** Takes a data directory for this server alone, and migrates its database: everything is stored in the directory. */
export function openOnDisk(data: string, options: PlaceOptions): Place {
  const folder = makeDataFolder(data);
  const lock = new DataLock(folder, "serve");
  let held: ReturnType<typeof holdLog>;
  try {
    requireNotMoved(folder);
    requireRestored(folder);
    held = holdLog(folder);
    migrate(folder, migrations, logAtOnce);
    let heard: (event: LogEvent) => void = () => {};
    const store = new SqliteStore(databasePath(folder), {
      ...options,
      onLog(event) {
        // The spool holds the log itself by now, or nothing holds it any more.
        held?.release();
        heard(event);
      },
      busyMs: startLockedMilliseconds,
      checkpoints: true,
      ballast: new Ballast(folder),
    });
    return {
      store,
      files: new LocalFiles(folder),
      folder,
      secretKey: keyPath(folder),
      peers: undefined,
      duty: (_, work) => work,
      storeOfDuty: () => store,
      now: () => Date.now(),
      trouble: () => undefined,
      limits: () => new RateLimiter(),
      passwords: new SignInThrottle(),
      uploads: new Uploads(),
      replayJobs: new OwnReplayJobs(),
      setupSecrets: new OwnSetupSecrets(),
      othersRequests: undefined,
      work: [new IndexKeys(store, store.idempotencyKeys), ballastKeeper(store)],
      keptLog: {
        keep(log) {
          store.keepLog(log);
          if (log) return;
          held?.release();
          discardSpool(spoolFolder(folder));
        },
        listen: (listener) => {
          heard = listener;
        },
      },
      outsideVersion: () => store.outsideVersion(),
      space: spaceOf(folder),
      databaseBytes: async () => sizeOf(databasePath(folder)) + sizeOf(`${databasePath(folder)}-wal`),
      gauges: { walBytes: () => store.logBytes(), indexKeysBehind: () => store.idempotencyKeys.waiting },
      serving: (urls) => lock.serving(urls),
      started: () => store.started(),
      stopping: () => store.stopping(),
      release() {
        held?.release();
        lock.release();
      },
    };
  } catch (error) {
    held?.release();
    lock.release();
    throw error;
  }
}

function ballastKeeper(store: SqliteStore): Work {
  const keeping = new Periodic({
    turn: () => store.keepBallast(),
    every: ballastMilliseconds,
    failed: "the ballast could not be made and will be tried again",
  });
  return {
    start() {
      keeping.start();
      // Begins after the first answers: writing the ballast of 64 MiB must delay neither the start nor a stop.
      void keeping.wake();
    },
    async stop() {
      void keeping.stop();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
