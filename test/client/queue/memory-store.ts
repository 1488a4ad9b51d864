import { type PersistentStore, persistent } from "@intake/client/stores";

interface MemoryStore extends PersistentStore {
  records: Map<string, Uint8Array>;
}

/** A store as apps write one. `failing` is asked at every call whether it fails. */
export function memoryStore(failing: (method: string) => boolean = () => false): MemoryStore {
  const records = new Map<string, Uint8Array>();
  const attempt = async (method: string) => {
    if (failing(method)) throw new Error(`${method} failed`);
  };
  return persistent({
    records,
    async names() {
      await attempt("names");
      return [...records.keys()];
    },
    async read(name: string) {
      await attempt("read");
      return records.get(name);
    },
    async write(name: string, bytes: Uint8Array) {
      await attempt("write");
      records.set(name, bytes.slice());
    },
    async remove(name: string) {
      await attempt("remove");
      records.delete(name);
    },
  });
}
