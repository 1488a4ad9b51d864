import type { PasswordThrottle } from "../accounts/sign-in-throttle.ts";
import type { KeptLog } from "../backup/log-shipping.ts";
import type { ChangeEvent } from "../core/change-event.ts";
import type { Limits } from "../core/limiter.ts";
import type { Store } from "../core/store.ts";
import type { UploadPlaces } from "../ingest/uploads.ts";
import type { RecentRequestsOfOthers } from "../live/recent-requests.ts";
import type { SetupSecrets } from "../organisation/setup-link.ts";
import type { Files } from "../store/files.ts";
import type { freeSpace } from "../store/free-space.ts";
import type { DatabaseObserver, LaneCounts } from "../store/postgres/observer.ts";
import type { ReplayJobs } from "../webhooks/deliveries/replay-jobs.ts";

/** Called while a place is open. */
export interface PlaceOptions {
  /** Called when storage can no longer be trusted: the process must end without another answer. */
  onFatal: (error: unknown) => void;
  /** Called with the reason when nothing can be committed, and with undefined when writes work again. */
  onTrouble?: (reason: string | undefined) => void;
  /** Called with each group of writes that is durable, and the time from its begin. */
  onCommit?: (writes: number, milliseconds: number) => void;
  /** How many connections to a database this process may open. */
  databaseConnections?: number | undefined;
  /** Asked once by a place in a database: who counts what happens on the way there. */
  observeDatabase?: () => DatabaseObserver;
}

/** Work that runs beside the requests while the server runs. */
export interface Work {
  start(): void | Promise<void>;
  /** Resolves once the work has ended. May be called before a start. */
  stop(): Promise<void>;
}

/** What a process is asked for and told while it listens to others that use the same store. */
export interface PeerListeners {
  /** Whether anybody here waits to hear of changes: nothing is read otherwise. */
  listening: () => boolean;
  heard: (changes: readonly ChangeEvent[]) => void;
  /** Called when anything may have changed, and what it was is not known. */
  lost: () => void;
  /** Called when nobody has listened for so long that what was heard until then is no longer all there is. */
  forget: () => void;
  /** Called when other processes have ended: what they had claimed is free. */
  gone: () => void;
}

/** This process among others that use the same store. Works once it was started. */
export interface Peers extends Work {
  /** Names this process in what it claims. */
  readonly id: string;
  /** Whether the others certainly count this process as alive: otherwise they may have taken what it had claimed. */
  readonly alive: () => boolean;
  /** Tells the others what was stored. */
  readonly tell: (change: ChangeEvent) => void;
  /** To be called before the start. */
  connect(listeners: PeerListeners): void;
}

/**
 * Where an installation keeps what it stores, opened by a server: all in a folder on this machine's disk, or rows in a
 * database that many processes share.
 */
export interface Place {
  readonly store: Store;
  readonly files: Files;
  /** This process's own folder, for unfinished uploads and the setup link. */
  readonly folder: string;
  /** The file with the key that secrets are sealed with; all processes of an installation have the same key. */
  readonly secretKey: string;
  /** Undefined where no other server can use the store: what an earlier process had under way is under way no more. */
  readonly peers: Peers | undefined;
  /** Work that one process at a time does: runs while this process has the duty of that name. */
  duty(name: string, work: Work): Work;
  /** The store for steps of a duty that must not be done beside those of another process: writes nothing once it is lost. */
  storeOfDuty(name: string): Store;
  /** Epoch milliseconds by the clock that all processes have in common. */
  readonly now: () => number;
  /** Why this process should get no requests although storage commits, as a sentence; undefined when all is well. */
  readonly trouble: () => string | undefined;
  /** Limits per minute, counted over all processes that use the store. */
  readonly limits: Limits;
  /** Counted over all processes as well: tries of passwords, uploads at once, replays of many deliveries. */
  readonly passwords: PasswordThrottle;
  readonly uploads: UploadPlaces;
  readonly replayJobs: ReplayJobs;
  /** A new installation is set up with the link of any process. */
  readonly setupSecrets: SetupSecrets;
  /** Undefined where no other process answers requests. */
  readonly othersRequests: RecentRequestsOfOthers | undefined;
  /** What keeping things here needs done from time to time. */
  readonly work: readonly Work[];
  /** The write-ahead log, which can be shipped to where backups are; undefined where rows are in a database. */
  readonly keptLog: KeptLog | undefined;
  /** A number that differs once another process has changed what is stored. */
  outsideVersion(): number;
  /** Room on the disk that uploads are written to. */
  space(): ReturnType<typeof freeSpace>;
  databaseBytes(): Promise<number>;
  /** Gauges of this kind of place alone; undefined where there is no such thing. */
  readonly gauges: {
    walBytes?: () => number;
    indexKeysBehind?: () => number;
    /** Connections to a database, by what they are for. */
    lanes?: () => Record<string, LaneCounts>;
  };
  /** Tells commands on this machine where the server answers. */
  serving(urls: {
    url: string;
    metricsUrl: string | undefined;
    publicUrl: string | undefined;
    ingestUrl: string | undefined;
    backupTo: string | undefined;
  }): void;
  /** To be called at the end of a start, during which locks of other processes may be waited for longer. */
  readonly started?: () => void;
  /** To be called when a stop begins to write down what is in memory; undefined where no lock is waited for. */
  readonly stopping?: () => void;
  /** To be called last, after the store was closed: lets another process have what only one may have. */
  release(): void;
}
