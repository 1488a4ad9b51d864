import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { seedReports } from "../../dashboard/reports/seed.ts";
import { until } from "../../support/until.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { expectClean, shoot } from "./looks.ts";
import {
  holds,
  inWindow,
  newApp,
  type ReportingApp,
  type ReportsScene,
  setReportsScene,
  shows,
  titlesIn,
} from "./reports-scene.ts";

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

async function onList(
  work: (page: Page, app: ReportingApp) => Promise<void>,
  {
    titles = ["Three", "Two", "One"],
    as = "member" as "admin" | "member",
    query = "",
    ...options
  }: { titles?: string[]; as?: "admin" | "member"; query?: string } & Parameters<typeof inWindow>[5] = {},
) {
  const app = await newApp(scene);
  for (const title of titles.toReversed()) await app.send({ title, level: "error" });
  await inWindow(
    browser,
    scene,
    as,
    app.list + query,
    async (page) => {
      await shows(page, titles);
      await work(page, app);
    },
    options,
  );
}

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");
const queryOf = (page: Page) => new URL(page.url()).searchParams.get("q");
const title = ".detail h2.title";

describe("the list", () => {
  test("by mouse: a row opens its report beside, another replaces it, Back leads to the list", () =>
    onList(async (page, { list }) => {
      await page.click("text=Two");
      await page.waitForSelector(`${title}:has-text("Two")`);
      expect(new URL(page.url()).pathname).toStartWith("/reports/");
      await page.click(".report-row >> text=One");
      await page.waitForSelector(`${title}:has-text("One")`);
      expect(await page.locator(".report-row[aria-current]").textContent()).toContain("One");
      await page.goBack();
      await page.waitForSelector(".detail h2.title", { state: "detached" });
      expect(new URL(page.url()).pathname).toBe(list);
      await shows(page, ["Three", "Two", "One"]);
    }));

  test("by keyboard alone: J and K walk, Enter opens, Escape gives the focus back", () =>
    onList(async (page) => {
      await page.keyboard.press("j");
      await holds(page, "document.activeElement.textContent === 'Three'");
      await page.keyboard.press("j");
      await holds(page, "document.activeElement.textContent === 'Two'");
      expect(await page.locator(title).count()).toBe(0);
      await page.keyboard.press("Enter");
      await page.waitForSelector(`${title}:has-text("Two")`);
      // While a report is open, the key opens the next one.
      await page.keyboard.press("j");
      await page.waitForSelector(`${title}:has-text("One")`);
      await page.keyboard.press("k");
      await page.waitForSelector(`${title}:has-text("Two")`);
      await page.keyboard.press("Escape");
      await page.waitForSelector(title, { state: "detached" });
      await holds(page, "document.activeElement.textContent === 'Two'");
      await page.keyboard.press("ArrowUp");
      await holds(page, "document.activeElement.textContent === 'Three'");
      expect(await focused(page)).toBe("Three");
    }));

  test("above it stands how many new reports a query does not find yet, until all are found", () =>
    onList(async (page) => {
      let behind: number | undefined = 2_000;
      await page.route(/\/reports\?.*q=/, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), behind } });
      });
      await page.fill("[data-query]", "two");
      const note = page.getByText("2,000 or more new reports are not found yet.");
      await note.waitFor();
      await page.hover(".report-row");
      behind = undefined;
      await note.waitFor({ state: "detached" });
      await shows(page, ["Two"]);
    }));

  test("tells of a row what it has, in words", () =>
    onList(
      async (page, app) => {
        await app.send({ title: "Full", level: "fatal", type: "crash", tags: { a: 1 } }, [{ name: "a", body: "x" }]);
        await app.repeat();
        await page.mouse.move(5, 5);
        await page.waitForSelector('.report-row:has-text("Full") .repeats:has-text("×2")');
        const row = page.locator(".report-row", { hasText: "Full" });
        expect(await row.textContent()).toMatch(/^Full\d\d:\d\d:\d\dfatalcrash/);
        expect(await row.locator(".repeats").getAttribute("title")).toBe("received 2 times, stored once");
        expect(await row.locator(".badges").textContent()).toContain("1 attachment");
        expect(await row.locator(".badges").textContent()).toContain("1 warning");
      },
      { titles: ["One"] },
    ));

  test("of many mounts at most 60 rows, and leaves none out", async () => {
    const { installation } = scene;
    const count = 1_000;
    await seedReports(installation, count, { every: 10_000 });
    await inWindow(browser, scene, "member", `/p/${installation.made.project.id}/reports`, async (page) => {
      await page.waitForSelector(".report-row a");
      const seen = new Set<string>();
      // The next rows are loaded as one scrolls, however long that takes.
      await until(async () => {
        for (const id of await page.evaluate<string[]>(
          "[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)",
        )) {
          seen.add(id);
        }
        expect(await page.locator(".report-row").count()).toBeLessThanOrEqual(60);
        await page.evaluate("document.querySelector('.list').scrollBy(0, 900)");
        await page.evaluate("new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))");
        return seen.size >= count || undefined;
      }, 120);
      expect(seen.size).toBe(count);
      await page.waitForSelector(`text=${count.toLocaleString("en")} reports in this time.`);
      // Back at the top, the row with the focus is still mounted.
      await page.evaluate("document.querySelector('.list').scrollTop = 0");
      await page.keyboard.press("j");
      await holds(page, "document.activeElement.dataset.row !== undefined");
      await page.evaluate("document.querySelector('.list').scrollTop = 20000");
      await holds(page, "document.querySelectorAll('.report-row').length > 10");
      expect(await page.evaluate("document.activeElement.dataset.row !== undefined")).toBe(true);
    });
  });
});

describe("live", () => {
  test("what comes is on top by itself, when nobody is in the list", () =>
    onList(async (page, app) => {
      await page.mouse.move(5, 5);
      await app.send({ title: "Four" });
      await shows(page, ["Four", "Three", "Two", "One"]);
      // Each of the first three counts too where the page was open before the server told of it.
      await page.waitForSelector(".bar >> text=/[1-4] new in the last minute/");
    }));

  test("nothing moves under the pointer or the focus: new rows wait behind their number", () =>
    onList(async (page, app) => {
      await page.hover(".report-row >> text=Two");
      await app.send({ title: "Four" });
      await app.send({ title: "Five" });
      await page.waitForSelector("button:has-text('2 new')");
      expect(await titlesIn(page)).toEqual(["Three", "Two", "One"]);
      await page.click("button:has-text('2 new')");
      await shows(page, ["Five", "Four", "Three", "Two", "One"]);
      await page.mouse.move(5, 5);
      await page.keyboard.press("j");
      await app.send({ title: "Six" });
      await page.waitForSelector("button:has-text('1 new')");
    }));

  test("a repeat counts itself on its row, and adds none", () =>
    onList(async (page, app) => {
      await page.hover(".report-row >> text=Two");
      await app.repeat();
      await page.waitForSelector('.report-row:has-text("Three") .repeats:has-text("×2")');
      expect(await titlesIn(page)).toEqual(["Three", "Two", "One"]);
    }));
});

describe("the filter", () => {
  const seeds = async (app: ReportingApp) => {
    await app.send({
      title: "Cart fails",
      level: "fatal",
      tags: { screen: "cart" },
      app: { environment: "production" },
    });
    await app.send({ title: "Cart is slow", level: "warning", tags: { screen: "cart" } });
  };

  test("suggests names and values with their counts; a choice is a pill and stands in the address", () =>
    onList(
      async (page, app) => {
        await seeds(app);
        await shows(page, ["Cart is slow", "Cart fails", "One"]);
        await page.keyboard.press("/");
        await page.keyboard.type("lev");
        await page.waitForSelector('[role=option]:has-text("level")');
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        expect(await page.inputValue("[data-query]")).toBe("level:");
        await page.waitForSelector('[role=option]:has-text("fatal")');
        await page.keyboard.type("fa");
        await holds(page, "document.querySelectorAll('[role=option]').length === 1");
        expect(await page.locator("[role=option]").textContent()).toBe("fatal1");
        await page.keyboard.press("ArrowDown");
        expect(await page.getAttribute("[data-query]", "aria-activedescendant")).toBe(
          await page.getAttribute("[role=option]", "id"),
        );
        await page.keyboard.press("Enter");
        await shows(page, ["Cart fails"]);
        expect(queryOf(page)).toBe("level:fatal");
        expect(await page.locator(".query .pill").textContent()).toContain("level:fatal");
        // The term is put back into the text field, to be changed.
        await page.keyboard.press("Backspace");
        expect(await page.inputValue("[data-query]")).toBe("level:fatal");
        await page.keyboard.type(",warning");
        await page.keyboard.press("Enter");
        await shows(page, ["Cart is slow", "Cart fails"]);
        await page.click("[aria-label='Remove level:fatal,warning']");
        await shows(page, ["Cart is slow", "Cart fails", "One"]);
      },
      { titles: ["One"] },
    ));

  test("holds for the numbers and the chart too", () =>
    onList(
      async (page, app) => {
        await seeds(app);
        const numbers = "[...document.querySelectorAll('.volume dt, .volume dd')].map((one) => one.textContent).join()";
        const sentence = "document.querySelector('.volume svg').getAttribute('aria-label')";
        await holds(page, `${numbers} === 'Stored,3,Fatal,1,Errors,1,Repeats absorbed,0'`);
        await page.keyboard.press("/");
        await page.keyboard.type("cart");
        await holds(page, `${numbers} === 'Found,2,Fatal,1,Errors,0,Repeats absorbed,0'`);
        await holds(page, `${sentence}.startsWith('2 reports in the last 24 hours, 0 repeats absorbed.')`);
        await page.locator("[role=status] >> text=2 reports found").waitFor();
        await page.keyboard.type(" -level:fatal ");
        await page.keyboard.press("Enter");
        await holds(page, `${numbers} === 'Found,1,Fatal,0,Errors,0,Repeats absorbed,0'`);
        expect(await page.locator(".volume table tbody tr").count()).toBe(1);
        await page.goto(`${scene.server.url}${app.list}?q=nowhere`);
        await holds(page, `${numbers} === 'Found,0,Fatal,0,Errors,0,Repeats absorbed,0'`);
      },
      { titles: ["One"] },
    ));

  test("of very many counts the newest, and says how far back", async () => {
    const app = await newApp(scene);
    await seedReports(
      { ...scene.installation, made: { ...scene.installation.made, project: { id: app.projectId } } },
      22_000,
      { every: 1_000 },
    );
    await inWindow(browser, scene, "member", `${app.list}?q=level:error`, async (page) => {
      await page.waitForSelector(".volume dd:has-text('10,000+')");
      await page.waitForSelector("text=/The newest 10,000, back to .+ Older ones are not counted./");
      expect(await page.locator(".volume svg").getAttribute("aria-label")).toStartWith("More than 10,000 reports in");
      const box = await page.locator(".chart .unknown").boundingBox();
      expect(box?.width).toBeGreaterThan(100);
      await shoot(page, "reports-uncounted");
    });
  });

  test("looks for text while it is typed", () =>
    onList(
      async (page, app) => {
        await seeds(app);
        await shows(page, ["Cart is slow", "Cart fails", "One"]);
        await page.keyboard.press("/");
        await page.keyboard.type("cart fai");
        await shows(page, ["Cart fails"]);
        expect(await page.inputValue("[data-query]")).toBe("cart fai");
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await page.keyboard.press("F");
        await shows(page, ["Cart is slow", "Cart fails", "One"]);
      },
      { titles: ["One"] },
    ));

  test("underlines what makes no sense and says why; the rest runs", () =>
    onList(
      async (page, app) => {
        await seeds(app);
        await page.keyboard.press("/");
        await page.keyboard.type("level:fatal foo:bar ");
        await page.keyboard.press("Enter");
        await shows(page, ["Cart fails"]);
        expect(await page.locator(".pill.bad").textContent()).toContain("foo:bar");
        expect(await page.locator(".problems").textContent()).toContain("There is no filter foo.");
        expect(await page.getAttribute("[data-query]", "aria-invalid")).toBe("true");
        const line = await page.evaluate(
          "getComputedStyle(document.querySelector('.pill.bad button')).textDecorationStyle",
        );
        expect(line).toBe("wavy");
      },
      { titles: ["One"] },
    ));

  test("that nothing fits names itself and offers to be cleared", () =>
    onList(
      async (page) => {
        await page.keyboard.press("/");
        await page.keyboard.type("nowhere-to-be-found");
        await page.waitForSelector("text=No report of the last 24 hours fits nowhere-to-be-found.");
        await page.click("text=Clear the filter >> nth=-1");
        await shows(page, ["One"]);
      },
      { titles: ["One"] },
    ));

  test("what others wrote into a tag is only ever text in it", () =>
    onList(
      async (page, app) => {
        const name = "<img src=x onerror=alert(1)>";
        await app.send({ title: "Hostile", tags: { [name]: "1", mild: `"><script>alert(1)</script>` } });
        await page.keyboard.press("/");
        await page.keyboard.type("tag.");
        await page.waitForSelector('[role=option]:has-text("tag.<img")');
        await page.keyboard.type("mild:");
        await page.waitForSelector('[role=option]:has-text("<script>")');
        expect(await page.locator(".choices img, .choices script").count()).toBe(0);
      },
      { titles: ["One"] },
    ));
});

describe("the range", () => {
  test("is chosen, stands in the address, and holds for list and chart", () =>
    onList(
      async (page) => {
        await page.click("[role=tab]:has-text('7 d')");
        await holds(page, "location.search === '?range=7d'");
        await page.waitForSelector("svg[aria-label*='in the last 7 days']");
        await shows(page, ["One"]);
        await page.click("[role=tab]:has-text('Custom')");
        await page.waitForSelector("[role=dialog]");
        await page.fill("[role=dialog] input >> nth=0", "2020-01-01T00:00");
        await page.fill("[role=dialog] input >> nth=1", "2020-01-02T00:00");
        await page.click("text=Show >> nth=-1");
        await page.waitForSelector("text=No report was received in");
        expect(new URL(page.url()).searchParams.get("since")).toBe("2020-01-01T00:00:00.000Z");
        await page.goBack();
      },
      { titles: ["One"], timezoneId: "UTC" },
    ));

  test("is pulled over the chart", () =>
    onList(
      async (page) => {
        const box = await page.locator(".volume svg").boundingBox();
        if (!box) throw new Error("no chart");
        await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
        expect(await page.locator(".chart .mark").count()).toBe(1);
        await page.mouse.up();
        await holds(page, "location.search.includes('since=')");
        const { searchParams } = new URL(page.url());
        const hours =
          (Date.parse(searchParams.get("until") ?? "") - Date.parse(searchParams.get("since") ?? "")) / 3.6e6;
        expect(Math.round(hours)).toBe(6);
        await page.waitForSelector("text=No report was received in");
        await page.click("text=Show the last 30 days");
        await shows(page, ["One"]);
      },
      { titles: ["One"] },
    ));

  test("has its numbers in a table for those who do not see the chart", () =>
    onList(
      async (page) => {
        await holds(page, "document.querySelector('.volume dd')?.textContent === '1'");
        const rows = await page.locator(".volume table tbody tr").allTextContents();
        expect(rows.length).toBe(1);
        expect(await page.locator(".volume table thead").textContent()).toBe("Timeerrorrepeats");
      },
      { titles: ["One"] },
    ));
});

test("without a connection what was loaded stays, Retry says so again, and the rest comes once there is one", () =>
  onList(async (page) => {
    await page.context().setOffline(true);
    await page.click("[role=tab]:has-text('30 d')");
    await page.waitForSelector(".pane .state:has-text('No answer came.')");
    expect(await titlesIn(page)).toEqual(["Three", "Two", "One"]);
    // The call has to fail before the connection is back.
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/reports?"));
    await page.click(".pane .state >> text=Retry");
    await failed;
    await page.waitForSelector(".pane .state:has-text('No answer came.')");
    await page.context().setOffline(false);
    await page.waitForSelector(".pane .state", { state: "detached" });
    await shows(page, ["Three", "Two", "One"]);
  }));

describe("several at once", () => {
  test("are picked by X and Shift+J, and made into one card", () =>
    onList(async (page) => {
      await page.keyboard.press("j");
      await holds(page, "document.activeElement.textContent === 'Three'");
      await page.keyboard.press("x");
      await page.keyboard.press("J");
      await page.waitForSelector("text=2 selected");
      expect(await page.locator("text=Delete").count()).toBe(0);
      await page.click(".bulk >> text=Create card");
      const form = page.getByRole("dialog", { name: "Card from 2 reports" });
      await holds(page, "document.activeElement.value === 'Three'");
      await form.getByRole("button", { name: "Create card" }).click();
      await page.waitForSelector("text=Card created from 2 reports");
      await page.waitForSelector(".bulk", { state: "detached" });
      for (const name of ["Three", "Two"]) {
        await page.click(`.report-row >> text=${name}`);
        await page.waitForSelector(`${title}:has-text("${name}")`);
        await page.waitForSelector(".cards-of a[href^='/cards/']");
      }
    }));

  test("are deleted by an admin, once that is confirmed", () =>
    onList(
      async (page) => {
        await page.hover(".report-row:has-text('Two')");
        await page.check("[aria-label='Select Two']");
        await page.check("[aria-label='Select One']");
        // With Shift held, the rows in between are selected too.
        await page.click("[aria-label='Select Three']", { modifiers: ["Shift"] });
        await page.waitForSelector("text=3 selected");
        await page.uncheck("[aria-label='Select Three']");
        await page.click(".bulk >> text=Delete");
        await page.waitForSelector("[role=dialog]:has-text('Delete 2 reports?')");
        expect(await focused(page)).toBe("Cancel");
        await page.keyboard.press("Escape");
        await page.waitForSelector("[role=dialog]", { state: "detached" });
        await page.click(".bulk >> text=Delete");
        await page.click("[role=dialog] >> text=Delete 2 reports >> nth=-1");
        await shows(page, ["Three"]);
      },
      { as: "admin" },
    ));
});

describe("looks right", () => {
  for (const width of [1440, 900, 390, 320]) {
    test(`${width} wide, in both themes`, () =>
      onList(
        async (page, app) => {
          const look = (name: string) =>
            inBothThemes(page, async (theme) => {
              await expectClean(page);
              await shoot(page, `${name}-${theme}-${width}`);
            });
          await app.send({ title: `Ein${"sehr".repeat(80)}langes Wort`, level: "fatal", type: "crash" });
          await app.send({ title: "שלום \u202e עולם", level: "warning", app: { version: "1.0.0" } });
          await page.waitForSelector(".report-row >> text=שלום");
          await page.waitForSelector(".volume svg");
          await look("reports");
          await page.fill("[data-query]", "foo:bar ");
          await page.waitForSelector(".problems");
          await look("reports-problems");
          await page.keyboard.press("Escape");
          await page.click(".report-row a >> nth=0");
          await page.waitForSelector(title);
          await look("reports-open");
        },
        { viewport: { width, height: width > 500 ? 900 : 844 } },
      ));
  }
});

test("a phone has two views: the report covers the list, and goes back to it", () =>
  onList(
    async (page) => {
      await page.click(".report-row >> text=Two");
      await page.waitForSelector(`${title}:has-text("Two")`);
      const box = await page.locator(".detail").boundingBox();
      expect([box?.x, box?.y, box?.width]).toEqual([0, 0, 390]);
      await page.click("[aria-label='Back to the reports']");
      await page.waitForSelector(title, { state: "detached" });
      await page.click("[aria-label^='Time range'], .only-narrow .btn");
      await page.click("[role=menuitem]:has-text('the last 7 days')");
      await holds(page, "location.search === '?range=7d'");
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  ));
