import { type PersistentStore, persistent } from "./persistence.ts";

/** The part of React Native's AsyncStorage that {@link asyncStorageStore} uses. */
export interface AsyncTextStorage {
  getAllKeys(): Promise<readonly string[]>;
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
}

/**
 * Keeps waiting reports in React Native's AsyncStorage, or in another storage of texts, as Base64. Its methods are called
 * on the storage. On Android AsyncStorage holds 6 MB unless set otherwise, so give `queue: { maxBytes: 4_000_000 }`.
 *
 * @param prefix of the keys. Use one prefix for each SDK key. Default: `intake:`.
 */
export function asyncStorageStore(storage: AsyncTextStorage, prefix = "intake:"): PersistentStore {
  return persistent({
    async names() {
      const keys = await storage.getAllKeys();
      return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    },
    async read(name) {
      const text = await storage.getItem(prefix + name);
      return text === null ? undefined : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    },
    async write(name, bytes) {
      await storage.setItem(prefix + name, btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
    },
    async remove(name) {
      await storage.removeItem(prefix + name);
    },
  });
}
