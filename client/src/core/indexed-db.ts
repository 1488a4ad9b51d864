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
  put(value: unknown, key: string): Request<unknown>;
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
  onblocked: (() => void) | null;
}

/** Opens version 1 of a database. Reads `indexedDB` at each call, because it does not exist where a server renders the page. */
export function openRequest(name: string): OpenRequest {
  return (globalThis as unknown as { indexedDB: { open(name: string, version: number): OpenRequest } }).indexedDB.open(
    name,
    1,
  );
}
