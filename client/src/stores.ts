export { type AsyncTextStorage, asyncStorageStore } from "./reports/async-storage.ts";
export { type PersistentStore, persistent } from "./reports/persistence.ts";
export type { QueueStore } from "./reports/queue-store.ts";
