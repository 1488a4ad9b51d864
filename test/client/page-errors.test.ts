import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { newCredential } from "../../server/core/credential.ts";
import { launchChromium } from "../browser/chromium.ts";
import { until } from "../support/until.ts";
import { bundle } from "./bundle.ts";
import { readForm } from "./queue/read-form.ts";

setDefaultTimeout(180_000);

interface Sent {
  title?: string;
  type?: string;
  level?: string;
  reportId: string;
  exception: { type?: string; value: string; stack?: string; causes?: { value: string }[] };
  breadcrumbs: { category: string; message: string }[];
  contexts?: { react: { componentStack: string } };
}

const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
let sent: Sent[] = [];
let browser: Browser;
let page: Page;
let complaints: string[] = [];

/** Takes reports from pages of any origin, and serves the page and a script that fails. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/": () =>
      new Response(
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
        html,
      ),
    "/page.js": async () =>
      new Response(Uint8Array.from(await script), { headers: { "content-type": "text/javascript" } }),
    "/failing.js": () => new Response("null.far", { headers: { "content-type": "text/javascript" } }),
    "/api/ingest": async (request) => {
      if (request.method === "OPTIONS") return new Response(null, { headers: cors });
      sent.push(readForm(await request.bytes()).envelope as unknown as Sent);
      const answer = { status: "received", eventId: crypto.randomUUID(), deliveryCount: 0, idempotent: false };
      return Response.json(answer, { headers: cors });
    },
  },
});
const html = { headers: { "content-type": "text/html" } };
const script = bundle("page-script.mjs");

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
  page.on("pageerror", ({ message }) => complaints.push(message));
});
afterAll(async () => {
  await browser.close();
  await server.stop(true);
});
beforeEach(async () => {
  [sent, complaints] = [[], []];
  await page.goto(server.url.href);
});

/** Starts to capture; runs an expression in the page; returns the reports once there are so many. */
async function captured(expression: string, count = 1, ignored?: string): Promise<Sent[]> {
  const given = [server.url.origin, newCredential("isk_"), ignored];
  await page.evaluate(`driven.begin(...${JSON.stringify(given.filter((one) => one !== undefined))})`);
  await page.evaluate(expression);
  await until(() => sent.length >= count || undefined);
  return sent;
}

test("an error that nobody handles is captured with its causes, and the browser tells of it as before", async () => {
  const [report] = await captured('driven.throwLater("total is undefined")');
  expect(report).toMatchObject({ type: "crash", level: "error", title: "TypeError: total is undefined" });
  expect(report?.exception.causes?.map(({ value }) => value)).toEqual(["why"]);
  expect(report?.exception.stack).toContain("/page.js:");
  await until(() => complaints.length > 0 || undefined);
  expect(complaints).toEqual(["total is undefined"]);
});

test("a rejection is captured, whatever it was rejected with", async () => {
  const reports = await captured('for (const reason of ["text", { code: 7 }, undefined]) driven.reject(reason)', 3);
  expect(reports.map(({ title }) => title)).toEqual(["text", '{"code":7}', "undefined"]);
});

test("an error of a frame is an error", async () => {
  const [report] = await captured("driven.rejectFromFrame()");
  expect(report).toMatchObject({ title: "RangeError: from a frame", exception: { type: "RangeError" } });
});

test("of a script from another origin is told what the browser tells", async () => {
  const elsewhere = server.url.origin.replace("127.0.0.1", "localhost");
  const [report] = await captured(`driven.loadFailing("${elsewhere}/failing.js")`);
  expect(report?.title).toStartWith("Script error.");
});

test("what is ignored is not captured; an ignore that throws ignores nothing", async () => {
  const reports = await captured('driven.reject("noise"); driven.reject("signal")', 1, "noise");
  expect(reports.map(({ title }) => title)).toEqual(["signal"]);
  await page.goto(server.url.href);
  expect((await captured('driven.reject("once more")', 2, "throws")).at(-1)?.title).toBe("once more");
});

test("nothing is captured once it is stopped", async () => {
  const reports = await captured(
    'driven.reject("before"); setTimeout(() => { driven.stop(); driven.throwLater("after") }, 20)',
  );
  await until(() => complaints.length > 0 || undefined);
  expect(await page.evaluate("driven.flush()")).toBe(true);
  expect(reports.map(({ title }) => title)).toEqual(["before"]);
});

test("a report tells what happened before it, and no query of an address", async () => {
  const doing = 'console.warn("nearly"); fetch("/failing.js?secret=1").then(() => driven.reject("then"))';
  const [report] = await captured(doing);
  expect(report?.breadcrumbs.map(({ category, message }) => [category, message])).toEqual([
    ["console", "nearly"],
    ["fetch", "GET /failing.js: 200"],
  ]);
});

test("a React boundary captures what fails below it, shows the fallback, and renders again on reset", async () => {
  const [report] = await captured('driven.render("no cart")');
  expect(report).toMatchObject({ type: "crash", title: "Error: no cart" });
  expect(report?.contexts?.react.componentStack).toContain("Broken");
  expect(await page.evaluate("driven.captured")).toBe(report?.reportId ?? "none");
  const button = page.locator("#react button");
  expect(await button.textContent()).toBe("Error: no cart");
  await page.evaluate("driven.broken = false");
  await button.click();
  expect(await page.locator("#react").textContent()).toBe("mended");
});
