import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { violationsIn } from "../accessibility.ts";

export { shoot } from "../shoot.ts";

/** Expects that no content is wider than the window and that axe finds no violation. */
export async function expectClean(page: Page) {
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  // Content that is cut off inside a scrolling part does not make the page wider, so these parts are checked too.
  const cut = `[...document.querySelectorAll("main, .page, .detail, .pane, .list")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className)`;
  expect(await page.evaluate(cut)).toEqual([]);
  expect(await violationsIn(page)).toEqual([]);
}
