import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { newToken } from "../../support/tickets.ts";
import { launchChromium } from "../chromium.ts";
import { cardsIn, freshBoard, isStored, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";
import { shoot } from "./looks.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

async function onBoard(
  seeds: Parameters<typeof seedCards>[1],
  work: (page: Page, board: Scene) => Promise<void>,
  options: Parameters<typeof openAs>[4] = {},
) {
  const board = await freshBoard(scene);
  await seedCards(board, seeds);
  const { page, close } = await openAs(browser, board, board.member, board.board, options);
  try {
    await page.waitForSelector(".card");
    await work(page, board);
  } finally {
    await close();
  }
}

const many = Array.from({ length: 30 }, (_, i) => ({ title: `Card ${i} of many`, column: "To do" }));

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not in sight`);
  return box;
}

async function lift(page: Page, title: string, to: { x: number; y: number }) {
  const box = await boxOf(page, `.card:has-text('${title}')`);
  await page.mouse.move(box.x + 40, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 20, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.waitForSelector(".drop-line");
}

const scrolled = (page: Page) => page.locator("section[aria-label^='To do,'] .cards").evaluate((box) => box.scrollTop);

test("a card that one drops oneself stays where it was dropped: nothing scrolls, and it is not called new", () =>
  onBoard([{ title: "Mine" }, ...many], async (page, board) => {
    const first = await boxOf(page, ".card:has-text('Card 0 of')");
    const second = await boxOf(page, ".card:has-text('Card 1 of')");
    await lift(page, "Mine", { x: second.x + 60, y: second.y + 4 });
    await page.mouse.up();
    await page.waitForSelector(".toast:has-text('Moved to To do, position 2')");
    await page.waitForSelector(".card.unsent", { state: "detached" });
    expect(await boxOf(page, ".card:has-text('Card 0 of')")).toEqual(first);
    expect((await boxOf(page, ".card:has-text('Mine')")).y).toBeCloseTo(second.y, 0);
    expect([await scrolled(page), await page.locator("button:has-text('new ↑')").count()]).toEqual([0, 0]);
    expect((await cardsIn(board, "To do")).slice(0, 3)).toEqual(["Card 0 of many", "Mine", "Card 1 of many"]);
  }));

test("the same in a column that was scrolled", () =>
  onBoard([{ title: "Mine" }, ...many], async (page) => {
    await page.locator("section[aria-label^='To do,'] .cards").evaluate((box) => box.scrollTo(0, 300));
    await page.waitForSelector(".card:has-text('Card 9 of')");
    const before = await scrolled(page);
    const ninth = await boxOf(page, ".card:has-text('Card 9 of')");
    await lift(page, "Mine", { x: ninth.x + 60, y: ninth.y + 4 });
    await page.mouse.up();
    await page.waitForSelector(".toast:has-text('Moved to To do')");
    expect((await boxOf(page, ".card:has-text('Mine')")).y).toBeCloseTo(ninth.y, 0);
    expect([await scrolled(page), await page.locator("button:has-text('new ↑')").count()]).toEqual([before, 0]);
  }));

for (const colorScheme of ["light", "dark"] as const) {
  test(`the card under the pointer has no bullet, and a long name of a token leaves the age on its line (${colorScheme})`, () =>
    onBoard(
      [{ title: "By hand" }],
      async (page, board) => {
        const token = await newToken(board.installation, { name: `deploy ${"of the whole fleet ".repeat(3)}`.trim() });
        await board.installation.ctx.store.write(function* (tx) {
          yield* tx.run("update ticket set token_id = $1, author_id = null, author_name = $2, created_at = $3", [
            token.id,
            `deploy ${"of the whole fleet ".repeat(3)}`.trim(),
            Date.now() - 400 * 86_400_000,
          ]);
        });
        await page.reload();
        await page.waitForSelector(".stub time");
        expect((await boxOf(page, ".stub time")).height).toBeLessThan(22);
        const [age, name] = [await boxOf(page, ".stub time"), await boxOf(page, ".stub .name")];
        expect(name.x + name.width).toBeLessThanOrEqual(age.x);
        const other = await boxOf(page, "section[aria-label^='In progress,'] .cards");
        await lift(page, "By hand", { x: other.x + 90, y: other.y + 60 });
        expect(await page.evaluate("getComputedStyle(document.querySelector('.card.ghost')).listStyleType")).toBe(
          "none",
        );
        await shoot(page, `board-ghost-${colorScheme}`);
        await page.mouse.up();
      },
      { colorScheme },
    ));
}

test("what is told of one card takes one toast; of many the newest three are seen, none over another", () =>
  onBoard([{ title: "Mine" }, ...many.slice(0, 4)], async (page, board) => {
    await keepToasts(page);
    await page.keyboard.press("j");
    await page.locator(".cover:focus", { hasText: "Mine" }).waitFor();
    for (const column of ["To do", "In progress", "Done"]) {
      await page.keyboard.press("Alt+ArrowRight");
      await page.waitForSelector(`.toast:has-text('Moved to ${column}')`);
    }
    expect(await page.locator(".toast").count()).toBe(1);
    for (const i of [0, 1, 2, 3]) {
      await page.locator(".cover", { hasText: `Card ${i} of many` }).focus();
      await page.keyboard.press("Alt+ArrowRight");
      await isStored(board, "In progress", i === 0 ? ["Card 0 of many"] : [`Card ${i} of many`], (titles) =>
        titles.filter((title) => title === `Card ${i} of many`),
      );
    }
    await page.waitForSelector(".toast >> nth=2");
    // The positions of all toasts at one moment, once none of them moves any more.
    const boxes = await page.evaluate<{ top: number; bottom: number }[]>(`(async () => {
      const moving = () => document.querySelector(".toasts").getAnimations({ subtree: true });
      while (moving().length > 0) await Promise.allSettled(moving().map(({ finished }) => finished));
      return [...document.querySelectorAll(".toast")].map((toast) => {
        const { top, bottom } = toast.getBoundingClientRect();
        return { top, bottom };
      });
    })()`);
    expect(boxes.length).toBe(3);
    let bottom = 0;
    for (const box of boxes) {
      expect(box.top).toBeGreaterThanOrEqual(bottom);
      bottom = box.bottom;
    }
    expect(bottom).toBeLessThan(900);
    await shoot(page, "board-toasts");
  }));

/** Toasts go after five or ten seconds, in which a busy machine may not make all moves: here they stay. */
function keepToasts(page: Page) {
  return page.evaluate(`{
    const usual = setTimeout;
    window.setTimeout = (work, milliseconds, ...given) =>
      [5_000, 10_000].includes(milliseconds) ? 0 : usual(work, milliseconds, ...given);
  }`);
}

/**
 * Lets the page connect anew to the stream of changes, and keeps that as `stream`. Without a network the browser leaves it
 * open, and the server's next sign of life would count as a connection.
 */
function keepStream(page: Page) {
  return page.evaluate(`new Promise((done) => {
    const usual = EventSource;
    window.EventSource = class extends usual {
      constructor(address) {
        super(address);
        window.EventSource = usual;
        window.stream = this;
        this.addEventListener("hello", done, { once: true });
      }
    };
    dispatchEvent(new Event("online"));
  })`);
}

test("without a connection a card that cannot be opened leaves the board whole, and comes once there is one", () =>
  onBoard([{ title: "One" }, { title: "Two" }], async (page, board) => {
    await keepStream(page);
    // What the page asks for after it was connected anew has come by then.
    await seedCards(board, [{ title: "Heard of" }]);
    await page.waitForSelector(".card:has-text('Heard of')");
    const whole = await boxOf(page, ".board");
    await page.context().setOffline(true);
    await page.evaluate("stream.close()");
    await page.click(".card:has-text('One')");
    await page.waitForSelector(".panel .state:has-text('connection')");
    await page.waitForSelector(".alarm:has-text('Offline since')");
    await shoot(page, "board-offline");
    expect((await boxOf(page, ".board")).height).toBeGreaterThan(whole.height - 60);
    await page.context().setOffline(false);
    await page.waitForSelector("[role=dialog] h1:has-text('One')");
    await page.waitForSelector(".alarm", { state: "detached" });
    expect(await page.locator(".state").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    expect(await boxOf(page, ".board")).toEqual(whole);
  }));

test("a filter that could not be asked for is, once the connection is back, and its error goes", () =>
  onBoard([{ title: "One" }, { title: "From CI", by: "token" }], async (page) => {
    const whole = await boxOf(page, ".board");
    await page.context().setOffline(true);
    await page.click("[role=tab]:has-text('From tokens')");
    await page.waitForSelector(".board-main > .state");
    expect((await boxOf(page, ".board")).height).toBeGreaterThan(whole.height - 140);
    await page.context().setOffline(false);
    await page.waitForSelector(".board-main > .state", { state: "detached" });
    await page.waitForSelector(".card:has-text('One')", { state: "detached" });
    expect(await page.locator(".card h3").allInnerTexts()).toEqual(["From CI"]);
  }));
