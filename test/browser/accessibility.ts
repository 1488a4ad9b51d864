import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** Minified: every document parses it anew. */
const source = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

/**
 * What axe finds wrong with the page as it is now: the rule, and the elements that break it. A document gets the source
 * of axe once. Of the rules that hold, axe need not describe every element.
 */
export async function violationsIn(page: Page, runOnly?: readonly string[]): Promise<[rule: string, html: string[]][]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const options = JSON.stringify({ resultTypes: ["violations"], ...(runOnly && { runOnly }) });
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
  );
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160)).slice(0, 5)]);
}

/**
 * Looks at the page in the light theme and in the dark one. The page is loaded once: the theme follows what the browser
 * prefers, and a second load would fetch and build the same document again.
 */
export async function inBothThemes(page: Page, look: (theme: "light" | "dark") => Promise<void>) {
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(coloursSettled);
    await look(theme).catch((cause: Error) => {
      throw new Error(`${theme}: ${cause.message}`, { cause });
    });
  }
}

/** A transition between two colours shows neither. */
const coloursSettled = `Promise.all(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished.catch(() => {})),
).then(() => {})`;
