import type { Page } from "playwright-core";

/**
 * Goes to another page of the dashboard as a link does: the document with its styles and scripts stays, and the page
 * before is gone at the end. The document is loaded where something is open over the page, and where the same kind of
 * page would show what it had until its own data is there.
 */
export async function follow(page: Page, to: string) {
  const { pathname, origin } = new URL(page.url());
  const isOpen = await page.evaluate<boolean>(
    `document.querySelector("[role=dialog]:not(.panel), [role=menu]") !== null`,
  );
  if (isOpen || kindOf(pathname) === kindOf(to)) {
    await page.goto(origin + to);
    return;
  }
  await page.evaluate(`(async () => {
    const link = Object.assign(document.createElement("a"), { href: ${JSON.stringify(to)} });
    document.body.append(link);
    link.click();
    link.remove();
    await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  })()`);
  const there = new URL(page.url());
  if (there.pathname + there.search !== to) throw new Error(`the page ${pathname} was not left for ${to}`);
}

/** The address without ids and query: addresses of one kind have the same page. */
function kindOf(address: string): string {
  return address.replace(/\?.*/, "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id");
}
