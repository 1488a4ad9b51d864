import { type Database, type ObjectStore, openDatabase, type Request } from "./core/indexed-db.ts";
import { type PersistentStore, persistent } from "./reports/persistence.ts";

export type { PersistentStore } from "./reports/persistence.ts";
export type { QueueStore } from "./reports/queue-store.ts";

/** In browsers without Web Locks: a tab that did not renew its lease for so long is taken to be closed. */
const leaseMs = 60_000;
const records = "records";
const leases = "leases";

/**
 * Keeps waiting reports in the browser's IndexedDB, across reloads. All tabs of an origin share them; one tab sends.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, store: indexedDbStore() });
 * ```
 *
 * @param name of the database. Use one database for each SDK key. Default: `intake`.
 */
export function indexedDbStore(name = "intake"): PersistentStore {
  let opened: Promise<Database> | undefined;
  const me = Math.random();

  /** Uses one store in a transaction of its own; resolves to the result of the request when the transaction is complete. */
  const use = async <T>(
    store: string,
    act: (store: ObjectStore) => Request<T>,
    mode: "readonly" | "readwrite" = "readwrite",
  ) => {
    const forget = () => {
      opened = undefined;
    };
    // The app may have deleted the database, or the browser cleared it: the next use then creates it again.
    opened ??= openDatabase(name, [records, leases], forget);
    opened.catch(forget);
    const transaction = (await opened).transaction(store, mode);
    const request = act(transaction.objectStore(store));
    return new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  };

  /** Takes or renews the lease in one transaction, so that two tabs never hold it. */
  const lease = async () => {
    let mine = false;
    await use(leases, (store) => {
      const request = store.get<{ owner: number; until: number }>("sender");
      request.onsuccess = () => {
        const { result } = request;
        mine = !result || result.owner === me || result.until < Date.now();
        if (mine) store.put({ owner: me, until: Date.now() + leaseMs }, "sender");
      };
      return request;
    });
    return mine;
  };

  return persistent({
    names: () => use(records, (store) => store.getAllKeys(), "readonly"),
    read: (record) => use(records, (store) => store.get(record), "readonly"),
    write: (record, bytes) => use(records, (store) => store.put(bytes, record)),
    remove: (record) => use(records, (store) => store.delete(record)),
    async exclusive(work) {
      if (navigator.locks) {
        return navigator.locks.request(`intake:${name}`, { ifAvailable: true }, async (lock) => {
          if (lock) await work();
          return lock !== null;
        });
      }
      if (!(await lease())) return false;
      const renewal = setInterval(() => lease().catch(() => {}), leaseMs / 3);
      try {
        await work();
      } finally {
        clearInterval(renewal);
        await use(leases, (store) => store.delete("sender"));
      }
      return true;
    },
  });
}
