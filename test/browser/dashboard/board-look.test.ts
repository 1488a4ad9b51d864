import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { shoot } from "../shoot.ts";
import { internal, newPerson, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;
let card: string;

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
  card = await fill(scene);
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

/** Fills a board as in daily use; returns the card that has every field. */
async function fill({ installation, admin, member }: Scene): Promise<string> {
  const other = await newPerson(installation, "Developer 3", "member");
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const description = [
    "Job `unit` on `main` at `9d41c07` failed. 3 of 1,284 tests.",
    "```\nCartTotals › rounds to the nearest cent\n  expected  10.13\n  received  10.12   CartTotals.spec.ts:88\n```",
    "#### Since\n\n- First seen in [build 4127](https://ci.example.org/4127), green in 4126\n- Same three tests",
    "| run | time |\n|---|---|\n| 4127 | 12 s |",
    "> Rounds half to even\n\n- [x] seen\n- [ ] fixed",
  ].join("\n\n");
  const ids = await seedCards(scene, [
    { title: "Unit tests fail on main: CartTotals rounds half to even", by: "token", priority: "high", description },
    { title: "Bump image decoder to 3.2, CVE in WebP path", priority: "high", dueAt: day(7), by: "token" },
    { title: "Offline drafts are lost when the app is updated in the background", priority: "medium" },
    { title: "   " },
    { title: "عنوان من اليمين إلى اليسار", priority: "medium", assigneeId: other.id },
    { title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", priority: "low" },
    { title: "<script>alert(1)</script>" },
    ...Array.from({ length: 60 }, (_, i) => ({ title: `Another card, number ${i}, that fills the column` })),
    { title: "Crash in cart badge when quantity exceeds 99", column: "To do", dueAt: day(3), assigneeId: admin.id },
    { title: "Login button ignores the first tap", column: "In progress", dueAt: day(-2), assigneeId: member.id },
  ]);
  const [id = ""] = ids;
  const { agent } = (await internal(scene, "GET", `/projects/${installation.made.project.id}`)) as {
    agent: { id: string };
  };
  await internal(scene, "PATCH", `/cards/${id}`, { assigneeUserId: agent.id, dueAt: day(3) });
  const text = "Looks like **rounding**. @Max Member please look";
  await internal(scene, "POST", `/cards/${id}/comments`, { op: crypto.randomUUID(), text, mentions: [member.id] });
  return id;
}

interface View {
  name: string;
  path: () => string;
  /** What to do before the screenshot. */
  open?: (page: Page) => Promise<unknown>;
}

const views: View[] = [
  { name: "board", path: () => scene.board },
  {
    name: "board-filter",
    path: () => `${scene.board}?priority=high`,
    open: (page) => page.click(".tools button:has-text('Filter')"),
  },
  {
    name: "board-none",
    path: () => `${scene.board}?text=nothing`,
    open: (page) => page.waitForSelector("text=No card"),
  },
  { name: "board-writing", path: () => scene.board, open: (page) => page.click(".bar button:has-text('New card')") },
  {
    name: "board-menu",
    path: () => scene.board,
    open: (page) => page.click("[aria-label='Acts on this board']"),
  },
  {
    name: "board-ids",
    path: () => scene.board,
    async open(page) {
      await page.click("[aria-label='Acts on this board']");
      await page.click("[role=menuitem]:has-text('Copy ids')");
    },
  },
  {
    name: "board-create",
    path: () => scene.board,
    async open(page) {
      await page.click(".bar button:has-text('New card')");
      await page.click("text=More…");
      await page.waitForSelector("#create-card");
    },
  },
  { name: "card", path: () => `/cards/${card}` },
  {
    name: "card-assign",
    path: () => `/cards/${card}`,
    async open(page) {
      await page.click(".properties button:has-text('Assignee')");
      await page.waitForSelector(".popover [role=option]");
    },
  },
  {
    name: "card-move",
    path: () => `/cards/${card}`,
    async open(page) {
      await page.click("[aria-label='More acts']");
      await page.click("text=Move to…");
    },
  },
  {
    name: "card-writing",
    path: () => `/cards/${card}`,
    async open(page) {
      await page.hover(".description");
      await page.click("[aria-label='Edit description']");
    },
  },
];

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

for (const { name, path, open } of views) {
  describe(name, () => {
    for (const width of [1440, 390]) {
      test(`${width} wide: axe finds nothing in either theme, and nothing sticks out`, async () => {
        const viewport = { width, height: width === 390 ? 844 : 900 };
        const { page, complaints, origins, close } = await openAs(browser, scene, scene.admin, path(), {
          viewport,
          bypassCSP: true,
        });
        await page.waitForSelector(name.startsWith("card") ? ".panel .markdown" : ".column");
        await open?.(page);
        await inBothThemes(page, async (theme) => {
          await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
          await shoot(page, `${name}-${theme}-${width}`);
          expect(await violationsIn(page, rules)).toEqual([]);
          expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
        });
        expect(complaints).toEqual([]);
        expect([...origins]).toEqual([scene.server.url]);
        await close();
      });
    }
  });
}
