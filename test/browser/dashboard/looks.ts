import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { source as axe } from "axe-core";
import type { Page } from "playwright-core";

/** Expects that nothing sticks out and that axe finds nothing. */
export async function expectClean(page: Page) {
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  // What is cut off within the page would not make it wider.
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

/** For people to look at. */
export async function shoot(page: Page, name: string) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
