/** The part of IndexedDB that `queue.ts` uses, declared here so that apps compile without the types of the DOM. */
export interface Database {
  onversionchange: (() => void) | null;
  onclose: (() => void) | null;
  close(): void;
  createObjectStore(name: string): ObjectStore;
  transaction(store: string, mode: "readonly" | "readwrite"): Transaction;
}

interface Transaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): ObjectStore;
}

export interface ObjectStore {
  getAllKeys(): Request<string[]>;
  get<T>(key: string): Request<T | undefined>;
  /** Its result, the key, is not used. */
  put(value: unknown, key: string): Request<void>;
  delete(key: string): Request<void>;
}

export interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface OpenRequest extends Request<Database> {
  onupgradeneeded: (() => void) | null;
}

/**
 * Opens version 1 of a database with these stores. `closed` is called when the app deletes the database or the browser clears it. Reads
 * `indexedDB` at each call, because it does not exist where a server renders the page.
 */
export function openDatabase(name: string, stores: string[], closed: () => void): Promise<Database> {
  return new Promise((resolve, reject) => {
    const { indexedDB } = globalThis as unknown as { indexedDB: { open(name: string, version: number): OpenRequest } };
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store);
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
  });
}
