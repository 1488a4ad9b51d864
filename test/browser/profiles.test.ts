import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { insecureHost, launchChromium, openPage } from "./chromium.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let browser: Browser;
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/": () => new Response("<!doctype html><title>Site</title>", { headers: { "content-type": "text/html" } }),
    "/worker.js": () => new Response("", { headers: { "content-type": "text/javascript" } }),
  },
});
const address = site.url.href;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await site.stop(true);
});

/** What a page finds in its profile. */
const found = `(async () => ({
  cookie: document.cookie,
  local: { ...localStorage },
  session: { ...sessionStorage },
  history: history.length,
  databases: await indexedDB.databases(),
  caches: "caches" in window ? await caches.keys() : [],
  workers: "serviceWorker" in navigator ? (await navigator.serviceWorker.getRegistrations()).length : 0,
  clipboard: navigator.permissions ? (await navigator.permissions.query({ name: "clipboard-read" })).state : "prompt",
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  width: innerWidth,
  online: navigator.onLine,
  year: new Date().getFullYear() > 2020,
  globals: Object.keys(window).filter((name) => name.startsWith("left")),
}))()`;

/** Leaves behind what a page can leave behind, also while it goes. */
const leave = `(async () => {
  document.cookie = "left=1; max-age=1000";
  localStorage.left = "1";
  sessionStorage.left = "1";
  window.leftGlobal = 1;
  await new Promise((done) => {
    const opening = indexedDB.open("left");
    opening.onsuccess = done;
  });
  if ("caches" in window) await (await caches.open("left")).put("/left", new Response("left"));
  if ("serviceWorker" in navigator) {
    await navigator.serviceWorker.register("/worker.js");
    await navigator.serviceWorker.ready;
  }
  addEventListener("pagehide", () => {
    localStorage.late = "1";
    document.cookie = "late=1; max-age=1000";
  });
})()`;

async function findings(url = address) {
  const { page, close } = await openPage(browser, url);
  const findings = await page.evaluate(found);
  await close();
  return findings;
}

/** Processes in which pages of this browser were or are shown. */
async function renderers(): Promise<number[]> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

for (const url of [address, address.replace("127.0.0.1", insecureHost)]) {
  test(`a page finds nothing that the one before it left (${new URL(url).hostname})`, async () => {
    const fresh = await browser.newContext();
    const first = await fresh.newPage();
    await first.goto(url);
    const expected = await first.evaluate(found);
    await fresh.close();
    for (let i = 0; i < 5; i++) {
      const { page, complaints, origins, close } = await openPage(browser, url, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      await page.evaluate(leave);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 500, height: 500 });
      await page.route("**/*", (route) => route.abort());
      const other = await page.context().newPage();
      await other.goto(url);
      await other.evaluate(leave);
      const heard = [complaints.length, origins.size];
      await close();
      expect(await findings(url)).toEqual(expected);
      // Nobody listens any more for a page that is closed.
      expect([complaints.length, origins.size]).toEqual(heard);
    }
  });
}

test("the page is a new one in the process of the one before it", async () => {
  const [one, two] = [await openPage(browser, address), await openPage(browser, address)];
  await one.close();
  await two.close();
  const before = await renderers();
  const again = await openPage(browser, address);
  expect([one.page, two.page]).not.toContain(again.page);
  expect(await renderers()).toEqual(before);
  await again.close();
});

test.each<[string, (page: Page) => Promise<unknown>]>([
  ["a clock", (page) => page.clock.install({ time: 0 })],
  ["a lost connection", (page) => page.context().setOffline(true)],
  ["a script for every page", (page) => page.context().addInitScript("window.leftScript = 1")],
  ["a function for every page", (page) => page.context().exposeFunction("leftFunction", () => {})],
  ["a route for every page", (page) => page.context().route("**/*", (route) => route.abort())],
])("%s ends with its test", async (_, change) => {
  const expected = await findings();
  const { page, close } = await openPage(browser, address);
  await change(page);
  await close();
  expect(await findings()).toEqual(expected);
});

test("closing twice leaves the page of the next test open", async () => {
  const { close } = await openPage(browser, address);
  await close();
  const next = await openPage(browser, address);
  await close();
  expect(await next.page.title()).toBe("Site");
  await next.close();
});

test("what a failed test still waits for ends with its page, and what is left open stays out of the way", async () => {
  const expected = await findings();
  const failed = await openPage(browser, address);
  const click = failed.page.click("button").catch((error: Error) => error.message);
  await openPage(browser, address).then(({ page }) => page.evaluate(leave));
  await failed.close();
  const { page, close } = await openPage(browser, address);
  await page.evaluate("document.body.append(document.createElement('button'))");
  expect(await click).toContain("closed");
  await close();
  expect(await findings()).toEqual(expected);
});

test("a page that crashed, or is gone, is not used again", async () => {
  for (const end of [
    (page: Page) => page.goto("chrome://crash").catch(() => {}),
    (page: Page) => page.close(),
    (page: Page) => page.context().close(),
  ]) {
    const { page, close } = await openPage(browser, address);
    await end(page);
    await close();
    const next = await openPage(browser, address);
    expect(await next.page.title()).toBe("Site");
    await next.close();
  }
});
