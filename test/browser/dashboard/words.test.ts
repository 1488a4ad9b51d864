import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { envelope, received } from "../../support/ingest.ts";
import { launchChromium } from "../chromium.ts";
import { internal, openAs, type Scene, setScene } from "./board-scene.ts";
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

const send = (path: string, init?: RequestInit) => fetch(scene.server.url + path, init);

async function untitledReport() {
  const { key } = scene.installation.made.sdkKey;
  return (await received({ send }, { key, parts: [envelope({ reportId: crypto.randomUUID() })] })).eventId;
}

test("the part of a report that one reads is in its address, and is there after a reload", async () => {
  const id = await untitledReport();
  const { page, close } = await openAs(browser, scene, scene.member, `/reports/${id}`);
  await page.getByRole("tab", { name: "Envelope" }).click();
  await page.waitForSelector("[role=tabpanel][aria-label=envelope]");
  expect(page.url()).toEndWith(`/reports/${id}?tab=envelope`);
  await page.reload();
  await page.waitForSelector("[role=tabpanel][aria-label=envelope]");
  expect(await page.getByRole("tab", { name: "Envelope" }).getAttribute("aria-selected")).toBe("true");
  await page.getByRole("tab", { name: "Summary" }).click();
  await page.waitForSelector("[role=tabpanel][aria-label=summary]");
  expect(page.url()).toEndWith(`/reports/${id}`);
  await close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`search shows a report without a title with words (${colorScheme})`, async () => {
    const id = await untitledReport();
    const { page, close } = await openAs(browser, scene, scene.member, `/search?q=${id}`, { colorScheme });
    await page.waitForSelector(`.hit[href='/reports/${id}']`);
    const title = await page.locator(`.hit[href='/reports/${id}'] .ellipsis`).first().textContent();
    expect(title).toBe(`Untitled report ${id.slice(-6)}`);
    await shoot(page, `search-untitled-${colorScheme}`);
    await close();
  });
}

test("a token that is used now was used just now", async () => {
  const { token } = scene;
  const { page, close } = await openAs(browser, scene, scene.admin, "/settings/tokens");
  const row = page.locator("tbody tr", { hasText: "CI main" });
  await row.waitFor();
  await send("/api/v1/tickets", {
    method: "POST",
    headers: { authorization: `Bearer ${token.token}`, "content-type": "application/json" },
    body: JSON.stringify({ projectId: scene.installation.made.project.id, title: "Used" }),
  });
  await page.locator("tbody tr", { hasText: "CI main" }).locator("time", { hasText: "just now" }).waitFor();
  await row.getByRole("button", { name: "Actions on CI main" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  const words = await page.locator(".dialog").textContent();
  expect(words).toMatch(/It was used (just now|\d+ s ago)/);
  expect(words).not.toContain("now ago");
  await close();
});

test("that the agent is a member is no invitation", async () => {
  const alone = await setScene();
  try {
    const { ctx, made } = alone.installation;
    await ctx.store.write((tx) =>
      tx.run("update member set removed_at = $1 where role <> 'agent' and id <> $2", [ctx.now(), alone.admin.id]),
    );
    const { page, close } = await openAs(browser, alone, alone.admin, `/p/${made.project.id}`);
    const step = page.locator(".steps-left li", { hasText: "Invite somebody" });
    await step.getByRole("link", { name: "Invite a member" }).waitFor();
    expect(await step.locator(".check.checked").count()).toBe(0);
    await internal(alone, "POST", "/members", { email: "ada@example.org", name: "Ada", role: "member" });
    await step.locator(".check.checked").waitFor();
    await close();
  } finally {
    await alone.stop();
  }
});
