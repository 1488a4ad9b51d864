import { type DropReason, IngestClient, type IngestOptions, type QueueStore, type Stats } from "@intake/client/ingest";
import { type PersistentStore, persistent } from "@intake/client/stores";
import { newCredential } from "../../../server/core/credential.ts";

export interface Watched {
  reports: IngestClient;
  /** Why each report was dropped, by `reportId`. */
  drops: Map<string, DropReason>;
  /** Moments at which `captured` differed from `sent + queued + dropped`, or a count decreased. */
  violations: string[];
  /** Checks the counts now. */
  look(when: string): void;
}

/** A client whose counts are checked at every event: a call, an answer, a call of its store. */
export function watchedClient({ store, fetch: own = fetch as never, ...options }: Partial<IngestOptions>): Watched {
  const drops = new Map<string, DropReason>();
  const violations: string[] = [];
  let last: Stats = { captured: 0, sent: 0, duplicates: 0, queued: 0, dropped: {} };
  const look = (when: string) => {
    const now = reports?.stats() ?? last;
    const { captured, sent, queued, dropped } = now;
    const given = total(dropped);
    const lost = captured < last.captured || sent < last.sent || given < total(last.dropped) || queued < 0;
    if (captured !== sent + queued + given || lost) violations.push(`${when}: ${JSON.stringify(now)}`);
    last = now;
  };
  // An act that throws before it returns a promise throws here too.
  const watch: Watch = (what, act) => {
    return (...given) => {
      look(`before ${what}`);
      return act(...given).finally(() => look(`after ${what}`));
    };
  };
  const log = (message: string, fields: Record<string, unknown>) => {
    look(message);
    if (message === "report dropped") drops.set(String(fields["reportId"]), fields["reason"] as DropReason);
  };

  let reports: IngestClient | undefined;
  reports = new IngestClient({
    ingestUrl: "http://127.0.0.1:1",
    key: newCredential("isk_"),
    ...options,
    fetch: watch("fetch", own),
    logger: { debug: log, info: log, warn: log, error: log },
    store: store && watchedStore(store, watch),
  });
  return { reports, drops, violations, look };
}

type Watch = <Given extends unknown[], T>(
  what: string,
  act: (...given: Given) => Promise<T>,
) => (...given: Given) => Promise<T>;

function watchedStore(store: QueueStore, watch: Watch): PersistentStore {
  return persistent<QueueStore>({
    names: watch("names", () => store.names()),
    read: watch("read", (name: string) => store.read(name)),
    write: watch("write", (name: string, bytes: Uint8Array) => store.write(name, bytes)),
    remove: watch("remove", (name: string) => store.remove(name)),
    ...(store.exclusive && {
      exclusive: watch("exclusive", (work: () => Promise<void>) => store.exclusive?.(work) ?? Promise.resolve(false)),
    }),
  });
}

export function total(drops: Stats["dropped"]): number {
  return Object.values(drops).reduce((sum, count) => sum + count, 0);
}

/** Flushes until nothing is queued any more, as an app does before it ends. */
export async function settled(reports: IngestClient, seconds = 60) {
  const end = performance.now() + seconds * 1_000;
  while (reports.stats().queued > 0) {
    if (performance.now() > end) throw new Error(`still queued after ${seconds} s: ${JSON.stringify(reports.stats())}`);
    await reports.flush(2_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
