import { type PersistentStore, persistent } from "@intake/client/stores";

/** A store in memory, written as apps would, whose records a case can read. */
export function memoryStore(
  records = new Map<string, Uint8Array>(),
): PersistentStore & { records: Map<string, Uint8Array> } {
  return persistent({
    records,
    names: async () => [...records.keys()],
    read: async (name: string) => records.get(name),
    write: async (name: string, bytes: Uint8Array) => void records.set(name, bytes.slice()),
    remove: async (name: string) => void records.delete(name),
  });
}
