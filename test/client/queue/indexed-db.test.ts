import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { IngestOptions } from "@intake/client/ingest";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium } from "../../browser/chromium.ts";
import { newSdkKey } from "../../support/ingest.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { type Fault, type FaultyWay, faultyWay } from "./faulty-way.ts";
import { storedEnvelopes } from "./stored.ts";
import { openTab, type Site, startSite } from "./tabs.ts";

// What hangs is found; a slow machine is no failure.
setDefaultTimeout(180_000);

let browser: Browser;
let site: Site;
beforeAll(async () => {
  browser = await launchChromium({ processPerPage: true });
  site = await startSite();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});

describeTargets("reports in IndexedDB", suite, ["compiled binary"], { rateLimits: false });

interface Prepared {
  context: BrowserContext;
  way: FaultyWay;
  /** Another tab of the same browser. */
  open: (more?: Partial<IngestOptions>) => ReturnType<typeof openTab>;
}

function suite(target: () => Target) {
  /** Runs a test with a browser profile of its own and a proxy to Intake. */
  async function prepared(faults: Fault[], work: (given: Prepared) => Promise<void>, script?: () => void) {
    const { installation, url } = target();
    const { key } = await newSdkKey(installation);
    const way = await faultyWay(url, faults);
    const context = await browser.newContext();
    if (script) await context.addInitScript(script);
    const options = { ingestUrl: way.url, key, timeoutMs: 60_000 };
    try {
      await work({ context, way, open: (more) => openTab(context, site, { ...options, ...more }) });
    } finally {
      await context.close();
      way.close();
    }
  }

  async function expectStoredOnce(ids: readonly string[]) {
    const stored = (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);
    expect(stored.filter((id) => ids.includes(id))).toEqual([...ids]);
  }

  const withoutLocks = () => {
    Object.defineProperty(Object.getPrototypeOf(navigator), "locks", { value: undefined });
  };
  const ways: [string, (() => void) | undefined][] = [
    ["Web Locks", undefined],
    ["a lease, where there are no Web Locks", withoutLocks],
  ];
  describe.each(ways)("with %s", (_, script) => {
    test("two tabs send each report once, in order", async () => {
      await prepared(
        ["stall"],
        async ({ way, open }) => {
          const first = await open();
          const ids = [await first.capture("1"), await first.capture("2")];
          await way.arrived(1);
          const second = await open();
          ids.push(await second.capture("3"), await second.capture("4", 70_000));
          expect(await second.flush(1_500)).toBe(false);
          expect(way.arrivals.length).toBe(1);
          await way.answer(0, "pass");
          expect(await first.flush(60_000)).toBe(true);
          expect(await second.flush(60_000)).toBe(true);
          expect(way.arrivals.map(({ envelope }) => envelope.reportId)).toEqual(ids);
          await expectStoredOnce(ids);
          expect(await first.kept()).toEqual({});
          expect((await second.stats()).dropped).toEqual({});
        },
        script,
      );
    });
  });

  test("a tab that is closed while it sends is followed by another at once", async () => {
    await prepared(["stall"], async ({ way, open }) => {
      const first = await open();
      const ids = [await first.capture("1"), await first.capture("2")];
      await way.arrived(1);
      const second = await open();
      ids.push(await second.capture("3"));
      await first.page.close();
      expect(await second.flush(60_000)).toBe(true);
      expect(way.arrivals.slice(1).map(({ envelope }) => envelope.reportId)).toEqual(ids);
      await expectStoredOnce(ids);
    });
  });

  test("without Web Locks it is followed when its lease is over", async () => {
    await prepared(
      ["stall"],
      async ({ way, open }) => {
        const first = await open();
        const ids = [await first.capture("1")];
        await way.arrived(1);
        await first.page.close();
        const second = await open();
        ids.push(await second.capture("2"));
        expect(await second.flush(1_500)).toBe(false);
        await second.page.evaluate(() => {
          const now = Date.now.bind(Date);
          Date.now = () => now() + 61_000;
        });
        expect(await second.flush(60_000)).toBe(true);
        await expectStoredOnce(ids);
      },
      withoutLocks,
    );
  });

  test("a reload in the middle of sending sends the same report again, and it is one event", async () => {
    await prepared(["lose", "stall"], async ({ way, open }) => {
      const tab = await open();
      const ids = [await tab.capture("1", 100), await tab.capture("2")];
      await way.arrived(2);
      const kept = Object.entries(await tab.kept());
      expect(kept.map(([name]) => name.slice(-36)).toSorted()).toEqual(ids.toSorted());
      for (const [name, bytes] of kept) expect(name + bytes).not.toMatch(/i[st]k_/);
      await tab.reload();
      expect(await tab.flush(60_000)).toBe(true);
      expect(await tab.stats()).toEqual({ captured: 2, sent: 2, duplicates: 1, queued: 0, dropped: {} });
      expect(way.arrivals[2]?.bytes).toBe(way.arrivals[0]?.bytes ?? 0);
      await expectStoredOnce(ids);
      expect(await tab.kept()).toEqual({});
    });
  });

  test("a page without a network keeps what it captures, and sends it when the network is back", async () => {
    await prepared([], async ({ context, way, open }) => {
      const tab = await open();
      await context.setOffline(true);
      const ids = [await tab.capture("1"), await tab.capture("2", 200_000)];
      await until(async () => Object.keys(await tab.kept()).length === 2 || undefined);
      expect(await tab.flush(300)).toBe(false);
      await context.setOffline(false);
      // The wait ends by itself.
      await way.arrived(2);
      expect(await tab.flush(60_000)).toBe(true);
      await expectStoredOnce(ids);
    });
  });

  test("what does not fit into the quota is sent from memory", async () => {
    await prepared(["stall"], async ({ context, way, open }) => {
      const tab = await open();
      const cdp = await context.newCDPSession(tab.page);
      await cdp.send("Storage.overrideQuotaForOrigin", { origin: site.url, quotaSize: 1_000 });
      const ids = [await tab.capture("1", 500_000), await tab.capture("2", 500_000)];
      expect(await tab.flush(500)).toBe(false);
      expect(await tab.kept()).toEqual({});
      await way.arrived(1);
      await way.answer(0, { status: 429, retryAfter: "1" });
      expect(await tab.flush(60_000)).toBe(true);
      expect((await tab.stats()).dropped).toEqual({});
      await expectStoredOnce(ids);
    });
  });

  test("a database that the browser clears is made anew, and what memory has is sent", async () => {
    await prepared(["stall"], async ({ context, way, open }) => {
      const tab = await open();
      const ids = [await tab.capture("before")];
      await until(async () => Object.keys(await tab.kept()).length === 1 || undefined);
      const cdp = await context.newCDPSession(tab.page);
      await cdp.send("Storage.clearDataForOrigin", { origin: site.url, storageTypes: "indexeddb" });
      ids.push(await tab.capture("after"));
      await until(async () => Object.keys(await tab.kept()).some((name) => name.endsWith(ids[1] ?? "?")) || undefined);
      // Until here the first report was under way, however long all this took: nothing was sent and removed meanwhile.
      await way.arrived(1);
      await way.answer(0, { status: 429, retryAfter: "1" });
      expect(await tab.flush(60_000)).toBe(true);
      await expectStoredOnce(ids);
    });
  });

  test("a database that the app deletes is let go of, and made anew", async () => {
    await prepared(["stall"], async ({ way, open }) => {
      const tab = await open();
      const ids = [await tab.capture("before")];
      await until(async () => Object.keys(await tab.kept()).length === 1 || undefined);
      expect(await tab.page.evaluate(deleteDatabase)).toBe("deleted");
      ids.push(await tab.capture("after"));
      await until(async () => Object.keys(await tab.kept()).some((name) => name.endsWith(ids[1] ?? "?")) || undefined);
      // Until here the first report was under way, however long all this took: nothing was sent and removed meanwhile.
      await way.arrived(1);
      await way.answer(0, { status: 429, retryAfter: "1" });
      expect(await tab.flush(60_000)).toBe(true);
      await expectStoredOnce(ids);
    });
  });

  test("a database that another holds in a newer version costs no report", async () => {
    await prepared([], async ({ context, open }) => {
      const other = await context.newPage();
      await other.goto(site.url);
      await other.evaluate(openNewer);
      const tab = await open({ timeoutMs: 1_000 });
      const ids = [await tab.capture("1"), await tab.capture("2")];
      expect(await tab.flush(60_000)).toBe(true);
      await expectStoredOnce(ids);
    });
  });

  test("a database that cannot be opened yet, because its deletion waits for another tab, costs no report", async () => {
    await prepared([], async ({ context, open }) => {
      const other = await context.newPage();
      await other.goto(site.url);
      await other.evaluate(openNewer);
      await other.evaluate(deleteInVain);
      const tab = await open({ timeoutMs: 1_000 });
      const ids = [await tab.capture("1")];
      expect(await tab.flush(60_000)).toBe(true);
      await expectStoredOnce(ids);
    });
  });
}

interface Opening {
  result: unknown;
  onsuccess: () => void;
  onerror: () => void;
  onblocked: () => void;
}
interface Databases {
  open(name: string, version: number): Opening;
  deleteDatabase(name: string): Opening;
}

function deleteDatabase(): Promise<string> {
  const request = (globalThis as unknown as { indexedDB: Databases }).indexedDB.deleteDatabase("intake");
  return new Promise((resolve) => {
    request.onsuccess = () => resolve("deleted");
    request.onerror = () => resolve("failed");
    request.onblocked = () => resolve("blocked");
  });
}

/** A tab that keeps the database open and ignores requests to close it. */
function openNewer(): Promise<void> {
  const request = (globalThis as unknown as { indexedDB: Databases }).indexedDB.open("intake", 7);
  return new Promise((resolve) => {
    request.onsuccess = () => {
      Object.assign(globalThis, { held: request.result });
      resolve();
    };
  });
}

function deleteInVain(): Promise<void> {
  const request = (globalThis as unknown as { indexedDB: Databases }).indexedDB.deleteDatabase("intake");
  return new Promise((resolve) => {
    request.onblocked = () => resolve();
  });
}
