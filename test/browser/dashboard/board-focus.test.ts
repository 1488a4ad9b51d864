import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { launchChromium } from "../chromium.ts";
import { freshBoard, internal, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";

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

/** A board that is wider than any window, with more cards in each column than the window shows. */
async function wideBoard(): Promise<Scene> {
  const board = await freshBoard(scene);
  const boardId = board.board.split("/").at(-1);
  for (let i = 0; i < 4; i++) {
    const name = `Column ${i}`;
    const { id } = (await internal(board, "POST", "/columns", { boardId, name, category: "todo" })) as { id: string };
    board.columns[name] = id;
  }
  const names = Object.keys(board.columns);
  await seedCards(
    board,
    names.flatMap((column) =>
      Array.from({ length: 40 }, (_, i) => ({
        column,
        title: `${column}, card ${i}${i % 3 === 0 ? ", with a title that takes two lines of the column" : ""}`,
        ...(i % 2 === 0 ? { by: "token" as const, priority: "high" as const } : {}),
      })),
    ),
  );
  return board;
}

/** Presses a key, waits until another card has the focus, and returns the parts of that card that are not visible. */
async function pressed(page: Page, key: string): Promise<string[]> {
  const before = await focusedCard(page);
  await page.keyboard.press(key);
  const id = await until(async () => {
    const now = await focusedCard(page);
    return now !== null && now !== before ? now : undefined;
  });
  return (await hidden(page)).map((what) => `${key} to ${id}: ${what}`);
}

function focusedCard(page: Page): Promise<string | null> {
  return page.evaluate<string | null>("document.activeElement.closest('[data-card]')?.dataset.card ?? null");
}

/** Checks the middle and every side: inside the window, and not covered. */
function hidden(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const card = document.activeElement.closest("[data-card]");
    const { left, top, right, bottom } = card.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const sides = { middle: [x, y], left: [left + 2, y], right: [right - 2, y], top: [x, top + 2], bottom: [x, bottom - 2] };
    const faults = Object.entries(sides).flatMap(([name, at]) => {
      const there = document.elementFromPoint(...at);
      return card.contains(there) ? [] : [name + " is under " + (there?.className ?? "nothing")];
    });
    const foot = card.closest(".cards").getBoundingClientRect().bottom;
    const last = card.closest(".cards").querySelectorAll("[data-card]").length === Number(card.ariaPosInSet);
    return !last && bottom > foot - 40 ? [...faults, "it fades out"] : faults;
  })()`);
}

for (const width of [800, 1440]) {
  test(`${width} px: the board follows the focus to every column and back, and down a column`, async () => {
    const board = await wideBoard();
    const viewport = { width, height: 900 };
    const { page, close } = await openAs(browser, board, board.member, board.board, { viewport });
    await page.waitForSelector(".cover");
    const columns = Object.keys(board.columns).length;
    const keys = [
      "j",
      ...Array(columns - 1).fill("l"),
      ...Array(18).fill("j"),
      ...Array(columns - 1).fill("h"),
      ...Array(18).fill("k"),
    ];
    const faults: string[] = [];
    for (const key of keys) faults.push(...(await pressed(page, key)));
    expect(faults).toEqual([]);
    await close();
  });
}

test("Tab goes from column to column, and the board follows", async () => {
  const board = await wideBoard();
  const { page, close } = await openAs(browser, board, board.member, board.board, {
    viewport: { width: 1440, height: 900 },
  });
  await page.waitForSelector(".cover");
  const faults: string[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < 60 && seen.size < Object.keys(board.columns).length; i++) {
    await page.keyboard.press("Tab");
    const card = await focusedCard(page);
    if (card === null || seen.has(card)) continue;
    seen.add(card);
    faults.push(...(await hidden(page)));
  }
  expect(seen.size).toBe(Object.keys(board.columns).length);
  expect(faults).toEqual([]);
  await close();
});

test("a phone with a keyboard turns to the column that the focus goes to", async () => {
  const board = await wideBoard();
  const { page, close } = await openAs(browser, board, board.member, board.board, {
    viewport: { width: 390, height: 844 },
  });
  await page.waitForSelector(".cover");
  const faults: string[] = [];
  for (const key of ["j", "l", "l", "j", "l", "l", "l", "h"]) faults.push(...(await pressed(page, key)));
  expect(faults).toEqual([]);
  const tab = page.locator(".column-strip [aria-current]");
  const box = await tab.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  await close();
});

test("whoever leaves the form of a new card goes on where the card was begun, with its title", async () => {
  const board = await freshBoard(scene);
  const { page, close } = await openAs(browser, board, board.member, board.board);
  await page.waitForSelector(".column");
  await page.keyboard.press("c");
  await page.waitForSelector("textarea:focus");
  await page.keyboard.type("Half a thought");
  await page.getByRole("button", { name: "More…" }).click();
  await page.waitForSelector("#create-card input:focus");
  await page.keyboard.type(", now whole");
  await page.locator("#create-card textarea").fill("Only the title is kept");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Discard what you typed?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#create-card textarea").fill("");
  await page.keyboard.press("Escape");
  await page.waitForSelector("textarea:focus");
  expect(await page.locator("textarea:focus").inputValue()).toBe("Half a thought, now whole");
  await page.keyboard.press("Enter");
  await page.locator(".cover", { hasText: "Half a thought, now whole" }).waitFor();
  await close();
});
