import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../chromium.ts";
import { blamed, openSettings, report, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(60_000);

let scene: SettingsScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

async function on(path: string, work: (page: Page) => Promise<void>, who: "admin" | "member" = "admin") {
  const { page, complaints, origins, close } = await openSettings(browser, scene, scene[who], path);
  try {
    await page.waitForSelector("#main h1");
    await work(page);
    expect(blamed(complaints)).toEqual([]);
    expect(origins.size).toBe(1);
  } finally {
    await close();
  }
}

test("an SDK key is made, read by a member, paused and revoked", async () => {
  await on("/settings/keys", async (page) => {
    await page.waitForSelector("table");
    await page.keyboard.press("n");
    await page.keyboard.type("Shop app");
    await page.getByLabel("Origins").fill("https://shop.example.org");
    await page.getByRole("button", { name: "Create key" }).click();
    const row = page.locator("tbody tr", { hasText: "Shop app" });
    await row.getByText("1 origin").waitFor();
    const act = async (what: string) => {
      await row.getByRole("button", { name: "Actions on Shop app" }).click();
      await page.getByRole("menuitem", { name: what }).click();
    };
    await act("Pause");
    await row.getByText("Paused").waitFor();
    await act("Resume");
    await row.getByText("Active").waitFor();
    await act("Show a snippet");
    const key = (await row.locator("code").textContent()) ?? "";
    expect(await page.locator(".dialog pre").textContent()).toContain(key);
    await page.keyboard.press("Escape");
  });
  await on(
    "/settings/keys",
    async (page) => {
      const row = page.locator("tbody tr", { hasText: "Shop app" });
      expect(await row.locator("code").textContent()).toMatch(/^isk_/);
      expect(await page.getByRole("button", { name: "New key" }).count()).toBe(0);
      await row.getByRole("button", { name: "Actions on Shop app" }).click();
      expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Show a snippet"]);
    },
    "member",
  );
  await on("/settings/keys", async (page) => {
    const row = page.locator("tbody tr", { hasText: "Shop app" });
    await row.getByRole("button", { name: "Actions on Shop app" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await row.getByText("Revoked").waitFor();
  });
});

test("a repository is bound and unbound; what git cannot clone keeps the form", () =>
  on("/settings/repositories", async (page) => {
    await page.getByText("No repository is bound yet.").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("nonsense");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("user@host:path, without a password or token").waitFor();
    await page.getByLabel("Address").fill("https://git.example.org/shop.git");
    await page.keyboard.press("Enter");
    const row = page.locator("tbody tr", { hasText: "https://git.example.org/shop.git" });
    await row.waitFor();
    await row.getByRole("button", { name: "Actions on" }).click();
    await page.getByRole("menuitem", { name: "Change base branch…" }).click();
    await page.getByRole("textbox", { name: "Base branch" }).fill("release/2.x");
    await page.keyboard.press("Enter");
    await row.getByText("release/2.x").waitFor();
    await row.getByRole("button", { name: "Actions on" }).click();
    await page.getByRole("menuitem", { name: "Unbind" }).click();
    await page.getByRole("button", { name: "Unbind repository" }).click();
    await page.getByText("No repository is bound yet.").waitFor();
  }));

test("the organisation is renamed; a setting keeps its bounds, and tells what it would delete", async () => {
  await report(scene, "One");
  await report(scene, "Two");
  await on("/settings/organisation", async (page) => {
    await page.getByLabel("Name").fill("Øst & Co");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.locator(".rail .org", { hasText: "Øst & Co" }).waitFor();
    const days = page.locator("#setting-retention_days");
    await days.fill("0");
    await page.keyboard.press("Enter");
    await page.getByText("the value must be a whole number from 1 to 36500").waitFor();
    await days.fill("30");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Back to 90" }).waitFor();
    const count = page.locator("#setting-retention_events");
    await count.fill("1");
    await page.keyboard.press("Enter");
    await page.getByText("1 reports").waitFor();
    expect(await page.locator(".dialog").textContent()).toContain("This cannot be undone");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".dialog", { state: "detached" });
    expect(await count.inputValue()).toBe("1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Change and delete" }).click();
    await page.getByRole("button", { name: "Back to none" }).waitFor();
  });
});

test("a member is told who can", async () => {
  for (const path of ["/settings/organisation", "/settings/repositories"]) {
    await on(path, (page) => page.getByText(/Admins here: .*Ann Admin/).waitFor(), "member");
  }
});
