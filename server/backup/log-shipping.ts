import { readTriesTo } from "../core/backup-tries.ts";
import { log } from "../core/log.ts";
import { Periodic } from "../core/periodic.ts";
import type { Store } from "../core/store.ts";
import type { KeepLog, LogEvent } from "../store/log-events.ts";
import { spoolFolder } from "../store/spool-folder.ts";
import type { ShipEvent } from "./ship-worker.ts";

/** The write-ahead log of a data directory, as it can be kept for backups. */
export interface KeptLog {
  /** Keeps the log in a spool from now on; with undefined nothing of it any more. */
  keep(options: KeepLog | undefined): void;
  listen(heard: (event: LogEvent) => void): void;
}

interface Tools {
  store: Store;
  /** The data directory. */
  folder: string;
  kept: KeptLog;
  /** Where to; undefined when the log is not to be shipped. */
  plan: () => Promise<{ to: string | undefined }>;
  /** Makes a backup now: a chain of segments needs one to begin with. */
  backUpNow: () => void;
  now: () => number;
}

const lookMilliseconds = 10_000;
/** A segment is looked at every second, so that it covers 10 s at most. */
const segmentMilliseconds = 9_000;
/** Segments that wait while the target is down (1 GiB). */
const spoolBytesMax = 1024 ** 3;
/** What is left to ship when the server stops waits for the next start beyond this time. */
const finishMilliseconds = 5_000;

/** What the metrics tell of the log that is shipped. */
export interface LogCounts {
  /** Whether segments are made; undefined while nobody wants them. */
  kept: boolean | undefined;
  /** The seconds that would be lost with this machine; undefined while no chain has begun. */
  behindSeconds: number | undefined;
  segments: number;
  bytes: number;
  /** Chains that could not go on, and failures to ship. */
  gaps: number;
  failures: number;
}

/** What admins see of the log that is shipped. */
export interface LogState {
  /** Epoch milliseconds: what was answered before can be restored with the target alone. */
  upTo: number | undefined;
  /** Why no log is kept; undefined while one is. */
  stopped: string | undefined;
  /** Why nothing could be shipped at the last try. */
  failure: string | undefined;
  /** Epoch milliseconds: nothing since then can be restored yet, because the log could not go on. */
  lostSince: number | undefined;
  /** Moments of the target that cannot be restored, newest first. */
  gaps: readonly { from: string; to: string }[];
}

/** The page shows the newest gaps; `intake backup list` has all. */
const gapsMax = 20;

/**
 * Ships the write-ahead log to the backup target in segments while the settings ask for it. The thread of the checkpoints
 * makes them, another thread ships them; this one only tells both what to do.
 */
export class LogShipping {
  readonly #tools: Tools;
  readonly #looking = new Periodic({
    turn: () => this.#turn(),
    every: lookMilliseconds,
    failed: "whether the log is to be shipped could not be looked at",
  });
  /** Null before the first look at the settings. */
  #to: string | undefined | null = null;
  #worker: Worker | undefined;
  #chain: string | undefined;
  /** Epoch milliseconds up to which segments are complete, and up to which they are shipped. */
  #cut: { number: number; end: number } | undefined;
  #evenAt = 0;
  #begunAt = 0;
  #shippedEnd: number | undefined;
  #shippedNumber = 0;
  #failed = "";
  #wantsBase = false;
  /** Why no log is kept. */
  #stopped: string | undefined;
  /** Epoch milliseconds: what was answered before is in a chain that has ended, or was before there was one. */
  #lostSince = 0;
  #hasGap = false;
  #gaps: LogState["gaps"] = [];
  #gapsLookedAt: string | undefined;
  readonly #counts = { segments: 0, bytes: 0, gaps: 0, failures: 0 };

  constructor(tools: Tools) {
    this.#tools = tools;
    tools.kept.listen((event) => this.#heard(event));
  }

  start() {
    this.#looking.start();
    void this.#looking.wake();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  /** Looks at the settings again. */
  look() {
    void this.#looking.wake();
  }

  counts(): LogCounts {
    const kept = typeof this.#to === "string" ? this.#chain !== undefined : undefined;
    return { kept, behindSeconds: this.#behindSeconds(), ...this.#counts };
  }

  /** Undefined while nobody wants the log to be shipped. */
  state(): LogState | undefined {
    const upTo = this.#upTo();
    if (upTo === undefined) return undefined;
    return {
      upTo,
      stopped: this.#stopped,
      failure: this.#failed === "" ? undefined : this.#failed,
      lostSince: this.#hasGap ? this.#lostSince : undefined,
      gaps: this.#gaps,
    };
  }

  /** Ships what the store has made complete when it was closed; to be called after that. */
  async finish(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, finishMilliseconds);
    worker.onmessage = ({ data }: MessageEvent<ShipEvent>) => {
      if (data === "stopped") resolve();
    };
    worker.onerror = () => resolve();
    worker.postMessage("stop");
    await promise;
    clearTimeout(late);
    worker.terminate();
  }

  async #turn(): Promise<void> {
    const { kept, folder, plan, store, backUpNow } = this.#tools;
    const { to } = await plan();
    if (to !== this.#to) {
      this.#worker?.terminate();
      this.#worker = undefined;
      this.#shippedEnd = undefined;
      // Segments of one chain go to one target.
      if (to === undefined || this.#to !== null) kept.keep(undefined);
      this.#chain = undefined;
      this.#to = to;
      [this.#stopped, this.#hasGap, this.#gaps] = [undefined, false, []];
      this.#gapsLookedAt = undefined;
      this.#lostSince = this.#tools.now();
      if (to !== undefined) {
        kept.keep({ folder: spoolFolder(folder), every: segmentMilliseconds, bytesMax: spoolBytesMax });
      }
    }
    if (to === undefined) return;
    this.#worker ??= this.#startWorker(to);
    if (this.#chain === undefined) return;
    if (!this.#wantsBase) return this.#lookAtGaps(to, this.#chain);
    const { made, tries } = await readTriesTo(store, to);
    this.#wantsBase = made === undefined || made.startedAt < timeOfChain(this.#chain);
    if (!this.#wantsBase) this.#hasGap = false;
    // A try that has failed is made again by the schedule, one that was killed with the server is not so soon.
    if (this.#wantsBase && !tries.some(({ startedAt }) => startedAt >= this.#begunAt)) backUpNow();
  }

  #heard(event: LogEvent) {
    if (event.keptLog === "begun") {
      const { chain, number, continued, gap } = event;
      this.#chain = chain;
      this.#stopped = undefined;
      if (continued) this.#hasGap = false;
      this.#begunAt = this.#evenAt = this.#tools.now();
      this.#cut = undefined;
      this.#shippedNumber = number - 1;
      this.#wantsBase = true;
      if (gap !== null) {
        this.#counts.gaps++;
        this.#hasGap = true;
        log.warn("the log of backups has a gap: a new one begins, with a new backup", { reason: gap, chain });
      } else if (!continued) log.info("the log of backups begins", { chain });
      void this.#looking.wake();
    } else if (event.keptLog === "cut") {
      this.#cut = { number: event.number, end: event.end };
      this.#evenAt = event.end;
      this.#worker?.postMessage("wake");
    } else if (event.keptLog === "even") this.#evenAt = event.at;
    else {
      if (this.#chain !== undefined) [this.#lostSince, this.#hasGap] = [this.#upTo() ?? this.#lostSince, true];
      this.#chain = undefined;
      this.#stopped = event.reason;
      log.error("the log is not kept for backups for now", { reason: event.reason });
    }
  }

  #startWorker(to: string): Worker {
    const worker = new Worker(workerUrl().href);
    worker.onmessage = ({ data }: MessageEvent<ShipEvent>) => {
      if (data === "stopped") return;
      if ("failed" in data) return this.#shipFailed(data.failed);
      const { number, end, bytes, chain } = data.shipped;
      this.#counts.segments++;
      this.#counts.bytes += bytes;
      this.#shippedEnd = end;
      if (chain === this.#chain) this.#shippedNumber = number;
      if (this.#failed !== "") log.info("the log is shipped again");
      this.#failed = "";
    };
    worker.onerror = () => {
      worker.terminate();
      if (this.#worker === worker) this.#worker = undefined;
      this.#shipFailed("its thread ended");
    };
    worker.unref();
    worker.postMessage({ data: this.#tools.folder, to });
    return worker;
  }

  #shipFailed(reason: string) {
    this.#counts.failures++;
    if (reason !== this.#failed) log.warn("the log could not be shipped and will be tried again", { reason });
    this.#failed = reason;
  }

  /** A target that cannot be listed is told by what is shipped there. */
  async #lookAtGaps(to: string, chain: string): Promise<void> {
    if (this.#gapsLookedAt === chain) return;
    this.#gapsLookedAt = chain;
    const [{ listMoments }, { openTarget }] = await Promise.all([
      import("./find-moment.ts"),
      import("./open-target.ts"),
    ]);
    const listed = await listMoments(openTarget(to)).catch(() => undefined);
    if (listed) this.#gaps = listed.gaps.slice(0, gapsMax);
  }

  #behindSeconds(): number | undefined {
    const upTo = this.#upTo();
    return upTo === undefined ? undefined : Math.max(0, this.#tools.now() - upTo) / 1_000;
  }

  /** Epoch milliseconds: what was answered before is in the target. */
  #upTo(): number | undefined {
    if (typeof this.#to !== "string") return undefined;
    if (this.#chain === undefined) return this.#lostSince;
    const all = this.#cut === undefined || this.#shippedNumber >= this.#cut.number;
    return all ? this.#evenAt : (this.#shippedEnd ?? timeOfChain(this.#chain));
  }
}

/** When a chain began, which its name says, in epoch milliseconds. */
function timeOfChain(chain: string): number {
  return Date.parse(chain.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z.*$/, "$1-$2-$3T$4:$5:$6.$7Z"));
}

/** In the binary this module stands at the root, and the worker where it stood in the sources. */
function workerUrl(): URL {
  const bundled = !import.meta.url.endsWith("/log-shipping.ts");
  return new URL(bundled ? "./server/backup/ship-worker.js" : "./ship-worker.ts", import.meta.url);
}
