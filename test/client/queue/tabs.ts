import type { Stats } from "@intake/client/ingest";
import type { BrowserContext, Page } from "playwright-core";
import { bundle } from "../bundle.ts";
import type { Tab, TabOptions } from "./page.ts";

export interface Site {
  url: string;
  stop(): Promise<void>;
}

/** A site whose pages have the client, on another origin than Intake's. */
export async function startSite(): Promise<Site> {
  const script = await bundle("queue/page.ts");
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/": () => new Response(html, { headers: { "content-type": "text/html" } }),
      "/page.js": () => new Response(Uint8Array.from(script), { headers: { "content-type": "text/javascript" } }),
    },
  });
  return { url: server.url.origin, stop: () => server.stop(true) };
}

/** A tab with a client that has been started, and functions to drive it. */
export async function openTab(context: BrowserContext, { url }: Site, options: TabOptions) {
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate((given) => (globalThis as unknown as { tab: Tab }).tab.begin(given), options);
  return handsOn(page, options);
}

export type OpenTab = Awaited<ReturnType<typeof openTab>>;

function handsOn(page: Page, options: TabOptions) {
  return {
    page,
    capture: (title: string, bytes = 0) =>
      page.evaluate(([what, size]) => (globalThis as unknown as { tab: Tab }).tab.capture(what, size), [
        title,
        bytes,
      ] as const),
    flush: (ms: number): Promise<boolean> =>
      page.evaluate((most) => (globalThis as unknown as { tab: Tab }).tab.reports.flush(most), ms),
    stats: (): Promise<Stats> => page.evaluate(() => (globalThis as unknown as { tab: Tab }).tab.reports.stats()),
    async reload() {
      await page.reload();
      await page.evaluate((given) => (globalThis as unknown as { tab: Tab }).tab.begin(given), options);
    },
    /** Names and contents of all records in the page's store, a character for each byte. */
    kept: (): Promise<Record<string, string>> => page.evaluate(readRecords),
  };
}

/** Runs in the page, beside the client. */
async function readRecords(): Promise<Record<string, string>> {
  const { indexedDB } = globalThis as unknown as { indexedDB: PageDatabases };
  const answer = <T>(request: PageRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const db = await answer(indexedDB.open("intake"));
  const all: Record<string, string> = {};
  for (const name of db.objectStoreNames) {
    const store = db.transaction(name).objectStore(name);
    for (const key of await answer(store.getAllKeys())) {
      const value = await answer(store.get(key));
      all[String(key)] =
        value instanceof Uint8Array
          ? Array.from(value, (byte) => String.fromCharCode(byte)).join("")
          : JSON.stringify(value);
    }
  }
  db.close();
  return all;
}

interface PageRequest<T> {
  result: T;
  error: unknown;
  onsuccess: () => void;
  onerror: () => void;
}

interface PageDatabases {
  open(name: string): PageRequest<{
    objectStoreNames: Iterable<string>;
    close(): void;
    transaction(name: string): {
      objectStore(name: string): { getAllKeys(): PageRequest<unknown[]>; get(key: unknown): PageRequest<unknown> };
    };
  }>;
}
