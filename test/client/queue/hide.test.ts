import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium } from "../../browser/chromium.ts";
import { newSdkKey } from "../../support/ingest.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { type Fault, type FaultyWay, faultyWay } from "./faulty-way.ts";
import { storedEnvelopes } from "./stored.ts";
import { type OpenTab, openTab, type Site, startSite } from "./tabs.ts";

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

describeTargets("a page that goes", suite, ["compiled binary"], { rateLimits: false });

interface Prepared {
  context: BrowserContext;
  way: FaultyWay;
  tab: OpenTab;
}

function suite(target: () => Target) {
  async function prepared(faults: Fault[], work: (given: Prepared) => Promise<void>) {
    const { installation, url } = target();
    const { key } = await newSdkKey(installation);
    const way = await faultyWay(url, faults);
    const context = await browser.newContext();
    const options = { ingestUrl: way.url, key, timeoutMs: 60_000, sendsWhenHidden: true };
    try {
      await work({ context, way, tab: await openTab(context, site, options) });
    } finally {
      await context.close();
      way.close();
    }
  }

  const idsIn = ({ arrivals }: FaultyWay) => arrivals.map(({ envelope }) => envelope.reportId);

  async function expectStored(ids: readonly string[]) {
    const wanted = ids.toSorted();
    await until(async () => {
      const stored = (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);
      const mine = stored.filter((id) => ids.includes(id)).toSorted();
      return Bun.deepEquals(mine, wanted) || undefined;
    });
  }

  /** Reports that wait behind one that is not answered; all of them are packed and stored. */
  async function waitingBehind({ way, tab }: Prepared, sizes: readonly number[], bytes = 0): Promise<string[]> {
    const head = await tab.capture("head", bytes);
    await way.arrived(1);
    const ids: string[] = [];
    for (const size of sizes) ids.push(await tab.capture(`waits, ${size}`, size));
    await until(async () => Object.keys(await tab.kept()).length === sizes.length + 1 || undefined);
    return [head, ...ids];
  }

  const goings: Record<string, (tab: OpenTab) => Promise<unknown>> = {
    "is left for another": ({ page }) => page.goto("about:blank"),
    "is closed": ({ page }) => page.close({ runBeforeUnload: true }),
    "is hidden": ({ page }) => page.evaluate(hide),
    "is left, where no page is told that it is hidden": async ({ page }) => {
      await page.evaluate(deafen);
      await page.goto("about:blank");
    },
  };
  test.each(Object.entries(goings))("because it %s sends what waits", async (_, go) => {
    await prepared(["stall"], async (given) => {
      const [, ...ids] = await waitingBehind(given, [0, 10_000, 20_000]);
      await go(given.tab);
      await until(() => ids.every((id) => idsIn(given.way).includes(id)) || undefined);
      await expectStored(ids);
    });
  });

  test("asks for what is small to outlive it, also while something large is under way", async () => {
    await prepared(["stall"], async (given) => {
      const { tab } = given;
      await tab.page.evaluate(noteRequests);
      const [, ...ids] = await waitingBehind(given, [0, 10_000], 100_000);
      await tab.page.evaluate(hide);
      const noted = await tab.page.evaluate(() => (globalThis as unknown as Noting).noted);
      expect(noted.map(({ keepalive }) => keepalive)).toEqual([false, true, true]);
      await expectStored(ids);
    });
  });

  test("sends what platforms let outlive it, and keeps the rest for the next one", async () => {
    await prepared(["stall"], async (given) => {
      const { context, way, tab } = given;
      const sizes = [1_000, 25_000, 25_000, 25_000, 70_000, 1_000];
      const ids = await waitingBehind(given, sizes);
      await tab.page.goto("about:blank");
      // The first request is under way too, so that two of 25,000 bytes fit and the third does not.
      await until(() => way.arrivals.filter(({ answeredAt }) => answeredAt).length >= 3 || undefined);
      await tab.page.goto(site.url);
      await tab.reload();
      expect(await tab.flush(60_000)).toBe(true);
      await expectStored(ids);
      expect(await tab.kept()).toEqual({});
      expect(context.pages()).toHaveLength(1);
    });
  });

  test("asks for no more than 60,000 bytes to outlive it", async () => {
    await prepared(["stall"], async (given) => {
      const { tab } = given;
      await tab.page.evaluate(noteRequests);
      await waitingBehind(given, [20_000, 20_000, 20_000, 20_000, 59_000]);
      await tab.page.evaluate(hide);
      const noted = await tab.page.evaluate(() => (globalThis as unknown as Noting).noted);
      const lasting = noted.filter(({ keepalive }) => keepalive).map(({ bytes }) => bytes);
      expect(lasting.length).toBeGreaterThanOrEqual(2);
      expect(lasting.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60_000);
    });
  });

  test("sends nothing while its key is held, and the next one sends it", async () => {
    await prepared([{ status: 429, retryAfter: "3600" }], async ({ way, tab }) => {
      const ids = [await tab.capture("1"), await tab.capture("2")];
      await until(() => way.arrivals[0]?.answeredAt);
      expect(await tab.flush(300)).toBe(false);
      await tab.page.evaluate(hide);
      expect(await tab.flush(300)).toBe(false);
      expect(way.arrivals.length).toBe(1);
      await tab.reload();
      expect(await tab.flush(60_000)).toBe(true);
      expect(idsIn(way).slice(1)).toEqual(ids);
      await expectStored(ids);
    });
  });

  test("and comes back goes on as if nothing had been, and sends nothing twice", async () => {
    await prepared(["stall"], async (given) => {
      const { way, tab } = given;
      const ids = await waitingBehind(given, [0, 100]);
      await tab.page.evaluate(hide);
      await tab.page.evaluate(hide);
      await way.arrived(3);
      await way.answer(0, "pass");
      expect(await tab.flush(60_000)).toBe(true);
      expect(idsIn(way).toSorted()).toEqual(ids.toSorted());
      expect(await tab.stats()).toEqual({ captured: 3, sent: 3, duplicates: 0, queued: 0, dropped: {} });
      await expectStored(ids);
    });
  });
}

/** A tab of a browser without a window is never hidden, so the test dispatches the event. */
function hide() {
  const { document } = globalThis as unknown as { document: EventTarget };
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Some browsers do not tell a page that it is being left. */
function deafen() {
  globalThis.addEventListener("visibilitychange", (event) => event.stopImmediatePropagation(), true);
}

interface Noting {
  noted: { bytes: number; keepalive: boolean }[];
}

function noteRequests() {
  const noted: Noting["noted"] = [];
  const { fetch } = globalThis;
  const noting = (url: string, init: RequestInit) => {
    noted.push({ bytes: (init.body as ArrayBuffer).byteLength, keepalive: init.keepalive === true });
    return fetch(url, init);
  };
  Object.assign(globalThis, { noted, fetch: noting });
}
