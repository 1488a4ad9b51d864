import { type Database, type ObjectStore, openRequest, type Request } from "./core/indexed-db.ts";
import type { QueueStore } from "./reports/queue-store.ts";

export type { QueueStore } from "./reports/queue-store.ts";

/** In browsers without Web Locks: a tab that did not renew its lease for so long is taken to be closed. */
const leaseMs = 60_000;
const records = "records";
const leases = "leases";

/**
 * Keeps waiting reports in the browser's IndexedDB, across reloads. All tabs of an origin share them; one tab sends.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, store: indexedDbStore(), flushOnHide: true });
 * ```
 *
 * @param name of the database. Use one database for each SDK key. Default: `intake`.
 */
export function indexedDbStore(name = "intake"): QueueStore {
  let opened: Promise<Database> | undefined;
  const me = Math.random();

  const forget = () => {
    opened = undefined;
  };

  const database = () => {
    opened ??= open(name, forget);
    opened.catch(forget);
    return opened;
  };

  const use = async <T>(store: string, mode: "readonly" | "readwrite", act: (store: ObjectStore) => Request<T>) => {
    const transaction = (await database()).transaction(store, mode);
    const request = act(transaction.objectStore(store));
    return new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  };

  /** Takes or renews the lease in one transaction, so that two tabs never hold it. */
  const lease = async () => {
    const transaction = (await database()).transaction(leases, "readwrite");
    const store = transaction.objectStore(leases);
    let mine = false;
    const request = store.get<{ owner: number; until: number }>("sender");
    request.onsuccess = () => {
      const { result } = request;
      mine = !result || result.owner === me || result.until < Date.now();
      if (mine) store.put({ owner: me, until: Date.now() + leaseMs }, "sender");
    };
    return new Promise<boolean>((resolve, reject) => {
      transaction.oncomplete = () => resolve(mine);
      transaction.onabort = () => reject(transaction.error);
    });
  };

  return {
    names: () => use(records, "readonly", (store) => store.getAllKeys()),
    read: (record) => use(records, "readonly", (store) => store.get(record)),
    write: async (record, bytes) => void (await use(records, "readwrite", (store) => store.put(bytes, record))),
    remove: (record) => use(records, "readwrite", (store) => store.delete(record)),
    async exclusive(work) {
      const { locks } = navigator;
      if (locks) {
        return locks.request(`intake:${name}`, { ifAvailable: true }, async (lock) => {
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
        await use(leases, "readwrite", (store) => store.delete("sender"));
      }
      return true;
    },
  };
}

/** Opens the database. `closed` is called when the app deletes it or the browser clears it; the next use then creates it again. */
function open(name: string, closed: () => void): Promise<Database> {
  return new Promise((resolve, reject) => {
    const request = openRequest(name);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(records);
      request.result.createObjectStore(leases);
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = closed;
      database.onversionchange = () => {
        database.close();
        closed();
      };
      resolve(database);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("The database is held by another tab."));
  });
}
