import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openSealing } from "../../../server/core/open-sealing.ts";
import { SsrfGuard } from "../../../server/webhooks/addresses/ssrf-guard.ts";
import { addSubscriber } from "../../../server/webhooks/subscribers/add-subscriber.ts";
import { answering, Receiver } from "../../support/receiver.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { expectClean, shoot } from "./looks.ts";
import {
  full,
  holds,
  inWindow,
  newApp,
  type ReportingApp,
  type ReportsScene,
  setReportsScene,
} from "./reports-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: ReportsScene;
let browser: Browser;
const screen = readFileSync(join(import.meta.dir, "../../screen.png"));

beforeAll(async () => {
  scene = await setReportsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

type Options = Parameters<typeof inWindow>[5] & { as?: "admin" | "member" };

/** Opens a report by its own address. */
async function onReport(
  members: Record<string, unknown>,
  work: (page: Page, app: ReportingApp, id: string) => Promise<void>,
  { as = "member", files = [], ...options }: Options & { files?: Parameters<ReportingApp["send"]>[1] } = {},
) {
  const app = await newApp(scene);
  const id = await app.send(members, files);
  await inWindow(
    browser,
    scene,
    as,
    `/reports/${id}`,
    async (page) => {
      await page.waitForSelector(".detail h2.title");
      await work(page, app, id);
    },
    options,
  );
}

const openTab = (page: Page, name: string) => page.click(`.detail [role=tab]:has-text("${name}")`);
const textOf = (page: Page, selector: string) => page.locator(selector).first().textContent();
/** Whether no script of a report has run: such a script would set `window.ran`. */
const nothingRan = (page: Page) => page.evaluate("window.ran === undefined");

describe("the summary", () => {
  test("has the receipt, the warnings first, then the error and what led to it", () => {
    const now = Date.now();
    const at = (before: number) => new Date(now - before).toISOString();
    const breadcrumbs = [
      ...Array.from({ length: 20 }, (_, i) => ({ timestamp: at(60_000 - i), category: "log", message: `step ${i}` })),
      { timestamp: at(6_000), category: "tap", message: "Apply code" },
      { timestamp: at(0), category: "exception", level: "error", message: "TypeError" },
    ];
    return onReport({ ...full, occurredAt: at(0), sentAt: at(-3_615_000), breadcrumbs }, async (page, app) => {
      await app.repeat();
      await page.waitForSelector(".receipt >> text=received 2×");
      expect(await textOf(page, ".receipt")).toMatch(
        /^Stored once\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}ios-store····\S{4}[\d.]+ kB/,
      );
      expect(await textOf(page, ".note")).toStartWith("1 warning. tags.build");
      expect(await page.locator(".note", { hasText: "clock was" }).textContent()).toContain("1 h ahead");
      expect(await page.locator(".frames .function").allTextContents()).toEqual(["totals", "CartBadge"]);
      expect(await textOf(page, ".frames .fault")).toContain("88return rows.reduce");
      await page.click("text=2 library frames");
      expect(await page.locator(".frames .function").allTextContents()).toEqual([
        ...["totals", "renderWithHooks", "beginWork", "CartBadge"],
      ]);
      expect(await page.locator(".breadcrumb").count()).toBe(10);
      expect(await page.locator(".breadcrumb time").allTextContents()).toContain("−6.0 s");
      expect(await textOf(page, ".breadcrumb.bad")).toContain("TypeError");
      await page.selectOption("[aria-label='Category of breadcrumbs']", "tap");
      expect(await page.locator(".breadcrumb").count()).toBe(1);
      await page.selectOption("[aria-label='Category of breadcrumbs']", "");
      await page.click("text=Show all 22");
      expect(await page.locator(".breadcrumb").count()).toBe(22);
    });
  });

  test("a tag, the release or a user leads to the reports with the same", () =>
    onReport(full, async (page, { list }) => {
      await page.click("[title='Show reports with tag.screen:checkout']");
      await page.waitForSelector(".report-row");
      expect(new URL(page.url()).pathname).toBe(list);
      expect(new URL(page.url()).searchParams.get("q")).toBe("tag.screen:checkout");
      // Opened beside the list, the value is added to the present query.
      await page.click(".report-row a");
      await page.waitForSelector(".detail h2.title");
      await page.click("[title='Show reports with user.id:u-4711']");
      await page.waitForSelector(".pill >> text=user.id:u-4711");
      expect(await page.locator(".query .pill").count()).toBe(2);
      expect(await page.locator(".detail h2.title").count()).toBe(1);
    }));

  test("a card is made in a form that is filled in; it warns of one that exists, and is opened or taken back", () =>
    onReport(full, async (page) => {
      const { store } = scene.installation.ctx;
      const link = page.locator(".cards-of a");
      const form = page.getByRole("dialog", { name: "Card from this report" });
      await page.keyboard.press("c");
      await form.waitFor();
      await holds(page, `document.activeElement.value === ${JSON.stringify(full.title)}`);
      expect(await form.getByLabel("Description").inputValue()).toContain("/reports/");
      expect(await form.getByLabel("Column").locator("option").allTextContents()).toContain("Board › To do");
      expect(await form.locator(".note").count()).toBe(0);
      // No card is created before the form is sent.
      await page.keyboard.press("Escape");
      await form.waitFor({ state: "detached" });
      expect(await link.count()).toBe(0);
      await page.keyboard.press("c");
      await form.getByLabel("Title").fill("The cart breaks");
      await form.getByLabel("Column").selectOption({ label: "Board › To do" });
      await page.keyboard.press("Enter");
      await form.waitFor({ state: "detached" });
      await link.waitFor();
      expect(await link.textContent()).toBe("The cart breaks");
      const id = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
      const made = "select t.title, c.name as column_name from ticket t join board_column c on c.id = t.column_id";
      expect(await store.one(`${made} where t.id = $1`, [id])).toEqual({
        title: "The cart breaks",
        column_name: "To do",
      });
      // The creation is undone.
      const toast = page.locator(".toast", { hasText: "Card created" });
      await toast.getByRole("button", { name: "Undo" }).click();
      await page.locator(".toast", { hasText: "The card is deleted again" }).waitFor();
      await link.waitFor({ state: "detached" });
      // Another report, which is opened.
      await page.keyboard.press("c");
      await form.getByRole("button", { name: "Create card" }).click();
      await link.waitFor();
      await page.keyboard.press("c");
      await form.locator(".note", { hasText: "This report has a card already" }).waitFor();
      expect(await form.locator(".note a").getAttribute("href")).toBe((await link.getAttribute("href")) as string);
      await page.keyboard.press("Escape");
      await form.waitFor({ state: "detached" });
      await toast.getByRole("link", { name: "Open" }).click();
      await page.waitForURL(`**${await page.evaluate<string>("location.pathname")}`);
      await page.locator(".panel h1, .panel .title").first().waitFor();
      expect(new URL(page.url()).pathname).toStartWith("/cards/");
    }));

  test("of a bare report says so", () =>
    onReport({}, async (page) => {
      expect(await textOf(page, ".detail h2.title")).toBe("(untitled)");
      await page.waitForSelector("text=The app sent neither a message nor an exception.");
      await openTab(page, "Attachments");
      await page.waitForSelector("text=This report was sent without attachments.");
      await openTab(page, "Deliveries");
      await page.waitForSelector("text=No subscriber wanted this report when it came.");
      await openTab(page, "Repeats");
      await page.waitForSelector("text=It was received once.");
    }));
});

/** Seconds of processor time of all processes that show pages, which other programs of the machine do not influence. */
async function computedByPages(): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

describe("the envelope", () => {
  test("is a tree for the keyboard: arrows open, close and walk; path and value are copied", () =>
    onReport(
      full,
      async (page) => {
        await openTab(page, "Envelope");
        await page.waitForSelector("[role=treeitem]");
        await page.focus("[role=tree]");
        const now = () => page.evaluate<string>("document.querySelector('.leaf.now').textContent");
        await page.keyboard.press("End");
        expect(await now()).toContain("frames");
        await page.keyboard.press("Home");
        expect(await now()).toContain("reportId");
        for (let i = 0; i < 60 && !(await now()).includes("madeUp"); i++) await page.keyboard.press("ArrowDown");
        expect(await now()).toContain("unknown");
        await page.keyboard.press("ArrowLeft");
        expect(await page.getAttribute(".leaf.now", "aria-expanded")).toBe("false");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        expect(await now()).toContain("deep");
        for (const key of ["Right", "Right", "Down", "Right", "Right"]) await page.keyboard.press(`Arrow${key}`);
        expect(await now()).toContain("herefound");
        await page.click("text=Copy path");
        await page.waitForSelector("text=Copied");
        expect(await page.evaluate("navigator.clipboard.readText()")).toBe("madeUp.deep[1].here");
        await page.click("text=Copy value");
        await holds(page, "navigator.clipboard.readText().then((text) => text === 'found')");
        await page.focus("[role=tree]");
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowLeft");
        expect(await now()).toContain("deep");
        expect(await page.locator(".leaf:has-text('build') .pill.warn").textContent()).toBe("wrong type");
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    ));

  test("is there as it was sent, and to be downloaded byte for byte", () => {
    const odd = `{ "title": "Odd",  "n": 12345678901234567890, "n": 1e400 ,"level":"error"}`;
    return onReport(JSON.parse('{"title":"Other"}'), async (page, app, id) => {
      await openTab(page, "Envelope");
      await page.waitForSelector("[role=treeitem]");
      const { ctx } = scene.installation;
      await ctx.store.write(function* (tx) {
        yield* tx.run("update envelope set encoding = 'identity', bytes = $1 where event_id = $2", [
          new TextEncoder().encode(odd),
          id,
        ]);
      });
      await page.reload();
      await openTab(page, "Envelope");
      await page.waitForSelector("text=12345678901234567890");
      expect(await page.locator(".leaf .key").allTextContents()).toEqual(["title", "n", "n", "level"]);
      await page.click("[role=tab]:has-text('Raw')");
      expect(await textOf(page, ".raw pre")).toBe(odd);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download")]);
      expect(readFileSync(await download.path(), "utf8")).toBe(odd);
      expect(app.projectId).not.toBe("");
    });
  });

  test("of 5 MB stays usable", () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => ({ i, text: "x".repeat(90) }));
    return onReport({ title: "Large", rows, message: "m".repeat(20_000) }, async (page) => {
      const before = await computedByPages();
      await openTab(page, "Envelope");
      await page.waitForSelector(".leaf:has-text('rows')");
      await page.click(".leaf:has-text('rows')");
      await page.waitForSelector(".leaf:has-text('the first 10,000')");
      for (let i = 0; i < 10; i++) {
        await page.evaluate(`document.querySelector(".tree").scrollTop = ${i * 20_000}`);
        await page.evaluate("new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))");
        expect(await page.locator(".leaf").count()).toBeLessThanOrEqual(60);
      }
      await page.click("[role=tab]:has-text('Raw')");
      await page.waitForSelector(".raw pre");
      await page.evaluate("document.querySelector('.raw').scrollTop = 1e9");
      await holds(page, "document.querySelector('.raw pre').textContent.endsWith('}')");
      expect((await computedByPages()) - before).toBeLessThan(5);
      await page.click(".detail [role=tab]:has-text('Summary')");
      await page.click("text=Show all 20,000 characters");
      expect((await textOf(page, ".folded p"))?.length).toBe(20_000);
    });
  });
});

describe("attachments", () => {
  const files = [
    { name: "screen.png", body: screen, type: "image/png" },
    { name: "app.log", body: "\u001b[31mERROR\u001b[0m first\nsecond error\n<b>third</b>", type: "text/plain" },
    { name: "picture.svg", body: `<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"/>`, type: "image/svg+xml" },
    { name: "page.html", body: "<script>ran = 1</script>", type: "text/html" },
    { name: '"><img src=x onerror=ran=1>.bin', body: "\u0000\u0001", type: "image/png" },
  ];
  const listed = [
    { part: "attachment_0", filename: "screen.png", contentType: "image/png", kind: "screenshot" },
    { part: "attachment_1", filename: "app.log", contentType: "text/plain", kind: "log", size: 1 },
    { part: "attachment_9", filename: "lost.mp4", contentType: "video/mp4", kind: "recording" },
  ];
  const dropped = [{ filename: "run.mp4", size: 31_000_000, reason: "too_large" }];

  test("are shown where that is safe, else described; nothing in them runs", () =>
    onReport(
      { title: "Files", attachments: listed, dropped },
      async (page) => {
        expect(await page.locator(".note", { hasText: "left out" }).textContent()).toContain(
          "The app left out 1 file before sending: run.mp4, 31 MB, too large.",
        );
        await page.waitForSelector("button.attachment");
        expect(await page.locator("button.attachment").count()).toBe(6);
        await openTab(page, "Attachments");
        await holds(page, "document.querySelector('.picture')?.naturalWidth > 0");
        expect(await page.locator(".detail img").count()).toBe(1);
        expect(await page.locator(".detail video, .detail iframe, .detail object, .detail embed").count()).toBe(0);
        await page.waitForSelector("text=The envelope lists lost.mp4, but it did not arrive.");
        await page.waitForSelector("text=Size or digest differs from the envelope.");
        await page.waitForSelector("text=attachment_2 arrived without being listed.");
        await page.waitForSelector("pre.log:has-text('ERROR first')");
        await page.fill("[placeholder=Search] >> nth=0", "error");
        await page.waitForSelector("text=1 of 2");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=2 of 2");
        expect(await page.locator("mark").allTextContents()).toEqual(["ERROR", "error"]);
        expect(await nothingRan(page)).toBe(true);
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.click("figure:has-text('picture.svg') >> text=Download"),
        ]);
        expect(readFileSync(await download.path(), "utf8")).toBe(String(files[2]?.body));
        expect(download.suggestedFilename()).toBe("picture.svg");
      },
      { files },
    ));

  test("opened by their own address are downloaded, not shown, unless they are pictures", () =>
    onReport(
      { title: "Files" },
      async (page) => {
        await openTab(page, "Attachments");
        await page.waitForSelector("figure");
        const addresses = await page.evaluate<string[]>(
          "[...document.querySelectorAll('figure a[download]')].map((link) => link.href.split('?')[0])",
        );
        const types: (string | null)[] = [];
        for (const address of addresses) {
          const answer = await fetch(address, { headers: { cookie: scene.member } });
          expect(answer.headers.get("content-security-policy")).toContain("sandbox");
          types.push(answer.headers.get("content-disposition")?.split(";")[0] ?? null);
        }
        expect(types).toEqual(["inline", "attachment", "attachment", "attachment", "attachment"]);
      },
      { files },
    ));

  test("a view hierarchy is a tree", () =>
    onReport(
      {
        title: "Views",
        attachments: [
          { part: "attachment_0", filename: "views.json", contentType: "application/json", kind: "view_hierarchy" },
        ],
      },
      async (page) => {
        await openTab(page, "Attachments");
        await page.waitForSelector("[role=tree][aria-label='View hierarchy'] >> text=UIButton");
      },
      { files: [{ name: "views.json", body: '{"windows":[{"type":"UIButton"}]}', type: "application/json" }] },
    ));
});

test("script in every member stays text", () => {
  const script = `<script>ran=1</script><img src=x onerror="ran=1"><svg/onload=ran=1>`;
  const hostile = {
    type: script,
    title: script,
    message: `javascript:ran=1 ${script}`,
    level: "fatal",
    app: { version: script, environment: script },
    device: { [script]: script },
    user: { id: script, email: script },
    tags: { [script]: script, ["__proto__"]: "x", mild: script },
    contexts: { [script]: { [script]: script } },
    breadcrumbs: [{ category: script, message: script, level: "error", data: { [script]: script } }],
    exception: {
      type: script,
      message: script,
      frames: [{ function: script, file: script, line: 1, inApp: true, context_line: script }],
    },
    dropped: [{ filename: script, reason: script }],
    attachments: [{ part: script, filename: script, contentType: script, kind: "log" }],
    [script]: script,
  };
  return onReport(
    hostile,
    async (page, { list }) => {
      await page.waitForSelector(".frames");
      await openTab(page, "Envelope");
      await page.waitForSelector("[role=treeitem]");
      await openTab(page, "Attachments");
      await page.waitForSelector("figure");
      await page.goto(scene.server.url + list);
      await page.waitForSelector(".report-row a");
      await page.click(".report-row a");
      await page.waitForSelector(".frames");
      expect(await page.locator("main script, main img, main svg[onload]").count()).toBe(0);
      expect(await nothingRan(page)).toBe(true);
      expect(await textOf(page, ".detail h2.title")).toContain("<script>");
    },
    { files: [{ name: script, body: script, type: "text/html" }] },
  );
});

describe("deliveries", () => {
  test("are told per subscriber; members learn no address", async () => {
    const refusing = await Receiver.listen({ behave: answering("500 Oops", [], "no") });
    const taking = await Receiver.listen();
    try {
      const { ctx, folder } = scene.installation;
      const app = await newApp(scene);
      const tools = {
        sealing: await openSealing(folder, ctx.store),
        addresses: new SsrfGuard({ allow: ["127.0.0.0/8"] }),
      };
      for (const url of [`${refusing.url()}/secret-path`, `${taking.url()}/secret-path`]) {
        const input = { projectId: app.projectId, url, types: ["report.received" as const], reportTypes: [] };
        await addSubscriber({ ctx, tools, input });
      }
      const id = await app.send(full);
      for (const as of ["admin", "member"] as const) {
        await inWindow(browser, scene, as, `/reports/${id}`, async (page) => {
          await page.waitForSelector(".sent .attempt-dots[aria-label='Attempts: delivered']");
          await page.waitForSelector(".sent .attempt-dots[aria-label*='failed']");
          await openTab(page, "Deliveries");
          const table = page.locator(".detail table");
          await table.waitFor();
          expect(await table.textContent()).toContain("Delivered");
          expect(await table.textContent()).toContain("Waiting");
          expect(await page.content()).not.toContain(as === "member" ? "secret-path" : "never");
          expect(await table.locator("a[href^='/subscribers/']").count()).toBe(as === "admin" ? 2 : 0);
        });
      }
    } finally {
      await refusing.close();
      await taking.close();
    }
  });

  test("repeats say when they came, by which key, and what they lacked", () =>
    onReport({ title: "Again" }, async (page, app) => {
      await app.repeat();
      await page.waitForSelector(".receipt >> text=received 2×");
      await openTab(page, "Repeats");
      expect(await textOf(page, ".detail tbody tr")).toContain("ios-store");
      expect(await textOf(page, ".detail tbody tr")).toContain("nothing");
    }));
});

describe("deleting", () => {
  test("is for admins, says what it does, and leads to the list", () =>
    onReport(
      full,
      async (page, { list }, id) => {
        await page.click("[aria-label=More]");
        await page.click("[role=menuitem]:has-text('Delete report')");
        const dialog = page.locator("[role=dialog]");
        expect(await dialog.textContent()).toContain("stays suppressed until");
        expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Cancel");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=Report deleted");
        expect(new URL(page.url()).pathname).toBe(list);
        await page.goto(`${scene.server.url}/reports/${id}`);
        await page.waitForSelector("text=There is nothing here.");
      },
      { as: "admin" },
    ));

  test("is not offered to members", () =>
    onReport(full, async (page) => {
      await page.click("[aria-label=More]");
      await page.waitForSelector("[role=menuitem]:has-text('Copy id')");
      expect(await page.locator("[role=menuitem]:has-text('Delete')").count()).toBe(0);
    }));
});

describe("looks right", () => {
  const message = `${"Ein Satz aus vielen Wörtern. ".repeat(700)}`.slice(0, 20_000);
  for (const width of [1440, 390, 320]) {
    test(`${width} wide, in both themes`, () =>
      onReport(
        { ...full, title: `שלום ${"ל".repeat(150)} ${full.title}`, message },
        async (page) => {
          await page.waitForSelector("button.attachment");
          for (const name of ["Summary", "Envelope", "Attachments", "Deliveries", "Repeats"]) {
            await openTab(page, name);
            if (name === "Envelope") await page.waitForSelector("[role=treeitem]");
            await inBothThemes(page, async (theme) => {
              await expectClean(page);
              await shoot(page, `report-${name.toLowerCase()}-${theme}-${width}`);
            });
          }
        },
        {
          viewport: { width, height: width > 500 ? 900 : 844 },
          files: [{ name: `${"lang".repeat(40)}.png`, body: screen, type: "image/png" }],
        },
      ));
  }
});
