import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { source as axe } from "axe-core";
import type { Page } from "playwright-core";

/** Expects that no content is wider than the window and that axe finds no violation. */
export async function expectClean(page: Page) {
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  // Content that is cut off inside a scrolling part does not make the page wider, so these parts are checked too.
  const cut = `[...document.querySelectorAll("main, .page, .detail, .pane, .list")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className)`;
  expect(await page.evaluate(cut)).toEqual([]);
  await page.evaluate(axe);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run(document)");
  expect(
    found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160)).slice(0, 5)]),
  ).toEqual([]);
}

const shots = join(import.meta.dir, "../shots");

/** Takes a screenshot for people to look at. */
export async function shoot(page: Page, name: string) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
