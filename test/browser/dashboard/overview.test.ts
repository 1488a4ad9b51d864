import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { expectClean, shoot } from "./looks.ts";
import { holds, inWindow, newApp, type ReportingApp, type ReportsScene, setReportsScene } from "./reports-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: ReportsScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setReportsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

type Options = Parameters<typeof inWindow>[5] & { as?: "admin" | "member"; busy?: boolean };

/** The overview of a project that got two reports and a repeat, unless it is a new one. */
async function onOverview(
  work: (page: Page, app: ReportingApp) => Promise<void>,
  { as = "member", busy = true, ...options }: Options = {},
) {
  const app = await newApp(scene);
  if (busy) {
    await app.send({ title: "One", level: "fatal" }, [{ name: "a.bin", body: "12345" }]);
    await app.send({ title: "Two", level: "error" });
    await app.repeat();
  }
  await inWindow(
    browser,
    scene,
    as,
    app.overview,
    async (page) => {
      await page.waitForSelector(".figure svg");
      await work(page, app);
    },
    options,
  );
}

const figure = (title: string) => `section.figure:has(h2:text-is("${title}"))`;
const number = (page: Page, title: string, name: string) =>
  page
    .locator(`${figure(title)} .numbers > div`, { has: page.locator(`dt:text-is("${name}")`) })
    .locator("dd")
    .textContent();

async function isNumber(page: Page, title: string, name: string, value: string) {
  await holds(
    page,
    `[...document.querySelectorAll(".figure")].some((one) => one.querySelector("h2").textContent === "${title}" &&
      [...one.querySelectorAll(".numbers > div")].some((row) =>
        row.querySelector("dt").textContent === "${name}" && row.querySelector("dd").textContent === "${value}"))`,
  );
}

describe("the overview", () => {
  test("counts what came, and follows what comes", () =>
    onOverview(async (page, app) => {
      await isNumber(page, "Reports by level", "Stored", "2");
      expect(await number(page, "Reports by level", "fatal")).toBe("1");
      await isNumber(page, "Repeats absorbed", "Of what was received", "33 %");
      expect(await number(page, "Storage", "Attachments")).toBe("5 B");
      await app.send({ title: "Three", level: "error" });
      await app.send({ title: "Four" });
      await isNumber(page, "Reports by level", "error", "2");
    }));

  test("says of each chart in one sentence what it shows, and has it as a table", () =>
    onOverview(async (page) => {
      await isNumber(page, "Reports by level", "Stored", "2");
      const charts = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.figure svg.chart')].map((one) => one.getAttribute('aria-label'))",
      );
      expect(charts.length).toBe(4);
      expect(charts[0]).toMatch(/^2 reports in the last 24 hours\. Most at .+: 2\.$/);
      expect(charts.every((sentence) => sentence.endsWith("."))).toBe(true);
      await page.click(`${figure("Reports by level")} >> text=View as table`);
      const table = page.locator(`${figure("Reports by level")} table`);
      expect(await table.locator("thead").textContent()).toBe("Timefatalerror");
      expect(await table.locator("tbody td").allTextContents()).toEqual(["1", "1"]);
      await page.click(`${figure("Reports by level")} >> text=View as chart`);
      expect(await page.locator(`${figure("Reports by level")} svg.chart`).count()).toBe(1);
    }));

  test("leads to what it counts", () =>
    onOverview(async (page, { list, overview }) => {
      await isNumber(page, "Reports by level", "fatal", "1");
      await page.click(`${figure("Reports by level")} dd a >> nth=0`);
      await page.waitForSelector(".report-row");
      expect(page.url()).toContain(`${list}?q=level%3Afatal&range=24h`);
      expect(await page.locator(".report-row a").allTextContents()).toEqual(["One"]);
      await page.goBack();
      await page.waitForSelector(".figure svg");
      expect(new URL(page.url()).pathname).toBe(overview);
      await page.click("text=Show repeated");
      await page.waitForSelector(".report-row");
      expect(await page.locator(".report-row a").allTextContents()).toEqual(["Two"]);
    }));

  test("looks further back, and the address says so", () =>
    onOverview(async (page) => {
      await page.click("[role=tab]:has-text('30 d')");
      await page.waitForSelector("svg[aria-label*='in the last 30 days']");
      expect(new URL(page.url()).search).toBe("?range=30d");
      await page.reload();
      await page.waitForSelector("svg[aria-label*='in the last 30 days']");
    }));

  test("a project that is not there looks like one that is not yours", () =>
    inWindow(browser, scene, "member", `/p/${crypto.randomUUID()}`, async (page) => {
      await page.waitForSelector("text=There is nothing here.");
    }));
});

describe("first steps", () => {
  test("are told until they are done or dismissed", () =>
    onOverview(
      async (page, app) => {
        const steps = page.locator("[aria-label='First steps'] li");
        await steps.first().waitFor();
        expect(await steps.allTextContents()).toEqual([
          "Create a ticket by APIShow the tokens",
          "Receive a reportShow the SDK keys",
          "Send reports on to a subscriberAdd a subscriber",
          "Invite somebody (done)",
        ]);
        await app.send({ title: "First" });
        await page.waitForSelector("text=Receive a report (done)");
        await page.click("text=Dismiss");
        await page.reload();
        await page.waitForSelector(".figure svg");
        await isNumber(page, "Reports by level", "Stored", "1");
        expect(await page.locator("[aria-label='First steps']").count()).toBe(0);
      },
      { as: "admin", busy: false },
    ));
});

describe("the project", () => {
  const choose = async (page: Page, item: string) => {
    await page.click("[aria-label='Acts on this project']");
    await page.click(`[role=menuitem]:has-text("${item}")`);
  };

  test("is renamed, archived and taken back by an admin", () =>
    onOverview(
      async (page) => {
        await choose(page, "Rename project");
        await page.waitForSelector("[role=dialog] input");
        await page.fill("[role=dialog] input", "שם <b>new</b>");
        await page.keyboard.press("Enter");
        await page.waitForSelector(".crumbs:has-text('שם <b>new</b>')");
        await choose(page, "Archive project");
        await page.waitForSelector("text=This project is archived");
        await page.click(".toast >> text=Undo");
        await page.waitForSelector("text=This project is archived", { state: "detached" });
      },
      { as: "admin" },
    ));

  test("members make boards in it, and nothing else", () =>
    onOverview(async (page, { projectId }) => {
      await page.click("[aria-label='Acts on this project']");
      expect(await page.locator("[role=menuitem]").allTextContents()).toEqual(["New board…"]);
      await page.click("[role=menuitem]");
      await page.fill("[role=dialog] input", "Triage");
      await page.keyboard.press("Enter");
      await page.waitForSelector("[role=dialog]", { state: "detached" });
      await holds(page, `location.pathname.startsWith("/p/${projectId}/boards/")`);
    }));

  test("an admin makes another one", () =>
    onOverview(
      async (page, { overview }) => {
        await choose(page, "New project");
        await page.fill("[role=dialog] input", "Second");
        await page.keyboard.press("Enter");
        await page.waitForSelector(".crumbs:has-text('Second')");
        expect(new URL(page.url()).pathname).not.toBe(overview);
      },
      { as: "admin" },
    ));
});

describe("looks right", () => {
  for (const width of [1440, 390, 320]) {
    test(`${width} wide, in both themes`, () =>
      onOverview(
        async (page) => {
          await page.waitForSelector("[aria-label='First steps']");
          await isNumber(page, "Reports by level", "Stored", "2");
          await inBothThemes(page, async (theme) => {
            await expectClean(page);
            await shoot(page, `overview-${theme}-${width}`);
          });
          while ((await page.locator("text=View as table").count()) > 0) await page.click("text=View as table");
          await inBothThemes(page, async (theme) => {
            await expectClean(page);
            await shoot(page, `overview-tables-${theme}-${width}`);
          });
        },
        { as: "admin", viewport: { width, height: width > 500 ? 900 : 844 } },
      ));
  }
});
