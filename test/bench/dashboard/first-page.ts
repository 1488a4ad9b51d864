import { median } from "../median.ts";
import { progress } from "../progress.ts";
import { newContext, type Scene } from "./scene.ts";

/** Milliseconds since the navigation began; medians. */
export interface FirstPage {
  name: string;
  paint: number;
  /** The first card is there, with everything around it. */
  usable: number;
  requests: number;
  scriptBytes: number;
  styleBytes: number;
  /** Scripts that the page did not name, so that they were found late. */
  foundLate: number;
}

const loads = 20;
const slowLoads = 5;
/** Of a server that is not next door, there and back. */
const farMilliseconds = 50;

interface Load extends Omit<FirstPage, "name"> {}

/** A board, by a browser that was never there, by one that was, and from afar. */
export async function measureFirstPage(scene: Scene): Promise<FirstPage[]> {
  progress("opening a board");
  const [cold, warm, far]: [Load[], Load[], Load[]] = [[], [], []];
  for (let i = 0; i < loads; i++) {
    const [first, again] = await openTwice(scene);
    cold.push(first);
    warm.push(again);
  }
  for (let i = 0; i < slowLoads; i++) far.push((await openTwice(scene, farMilliseconds))[0]);
  return [
    summarise("first visit", cold),
    summarise("again", warm),
    summarise(`first visit, ${farMilliseconds} ms away`, far),
  ];
}

/** Notes when the first card is there; the page's own policy does not hold for what is put in from outside. */
const watch = `
window.usable = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector("[data-card]")) return;
    observer.disconnect();
    resolve(performance.now());
  }).observe(document, { childList: true, subtree: true });
});
window.paint = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
  }).observe({ type: "paint", buffered: true });
});`;

const read = `Promise.all([paint, usable]).then(([paint, usable]) => {
  const all = performance.getEntriesByType("resource");
  const named = new Set([...document.querySelectorAll("link[rel=modulepreload]:not([crossorigin]), script[src]")].map((one) => one.href || one.src));
  const bytes = (end) => all.filter(({ name }) => name.endsWith(end)).reduce((sum, one) => sum + one.encodedBodySize, 0);
  return {
    paint,
    usable,
    requests: all.length + 1,
    scriptBytes: bytes(".js"),
    styleBytes: bytes(".css"),
    foundLate: all.filter(({ name }) => name.endsWith(".js") && !named.has(name)).length,
  };
})`;

async function openTwice(scene: Scene, latency = 0): Promise<[Load, Load]> {
  const context = await newContext(scene);
  await context.addInitScript(watch);
  const visit = async () => {
    const page = await context.newPage();
    if (latency > 0) {
      const devtools = await context.newCDPSession(page);
      const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 };
      await devtools.send("Network.enable");
      await devtools.send("Network.emulateNetworkConditions", conditions);
    }
    await page.goto(scene.server.url + scene.board);
    const load = await page.evaluate<Load>(read);
    await page.close();
    return load;
  };
  const both: [Load, Load] = [await visit(), await visit()];
  await context.close();
  return both;
}

function summarise(name: string, loads: readonly Load[]): FirstPage {
  const middle = (of: keyof Load) => median(loads.map((load) => load[of]));
  return {
    name,
    paint: middle("paint"),
    usable: middle("usable"),
    requests: middle("requests"),
    scriptBytes: middle("scriptBytes"),
    styleBytes: middle("styleBytes"),
    foundLate: middle("foundLate"),
  };
}
