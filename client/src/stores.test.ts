import { expect, test } from "bun:test";
import fc from "fast-check";
import { IngestClient } from "./ingest.ts";
import { asyncStorageStore } from "./stores.ts";
import { dummyKey, recordingFetch } from "./testing.ts";

/** Texts by key, with keys of the app among them. */
function textStorage() {
  const texts = new Map([["theme", "dark"]]);
  return {
    texts,
    getAllKeys: async () => [...texts.keys()],
    getItem: async (key: string) => texts.get(key) ?? null,
    setItem: async (key: string, value: string) => void texts.set(key, value),
    removeItem: async (key: string) => void texts.delete(key),
  };
}

test("a storage of texts keeps any bytes, under its prefix alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const storage = textStorage();
      const store = asyncStorageStore(storage, "shop:");
      await store.write("0-1", bytes);
      expect([...storage.texts.keys()]).toEqual(["theme", "shop:0-1"]);
      expect(await store.names()).toEqual(["0-1"]);
      expect([...((await store.read("0-1")) ?? [])]).toEqual([...bytes]);
      await store.remove("0-1");
      expect([await store.names(), await store.read("0-1")]).toEqual([[], undefined]);
      expect(storage.texts.get("theme")).toBe("dark");
    }),
  );
});

test("a report that was not delivered is sent by the next client of the storage", async () => {
  const storage = textStorage();
  const client = (fetch: ReturnType<typeof recordingFetch>) =>
    new IngestClient({ ingestUrl: "http://127.0.0.1:9", key: dummyKey, fetch, store: asyncStorageStore(storage) });
  const offline = recordingFetch();
  offline.next.push(...Array.from({ length: 9 }, () => new Error("offline")));
  const first = client(offline);
  const reportId = first.capture(new Error("kept"));
  expect(await first.close(20)).toBe(false);
  expect(storage.texts.size).toBe(2);
  const online = recordingFetch();
  expect(await client(online).flush()).toBe(true);
  expect(online.reports.map(({ envelope }) => [envelope["reportId"], envelope["title"]])).toEqual([
    [reportId, "Error: kept"],
  ]);
  expect([...storage.texts.keys()]).toEqual(["theme"]);
});
