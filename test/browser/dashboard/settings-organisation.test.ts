import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { lockFile } from "../../../server/core/lock-file.ts";
import { launchChromium } from "../chromium.ts";
import { blamed, openSettings, report, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

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
  } catch (error) {
    const shown = await page.textContent("#main").catch(() => "nothing");
    throw new Error([`the page showed: ${shown}`, ...complaints].join("\n"), { cause: error });
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
    await page.getByLabel("Name", { exact: true }).fill("Øst & Co");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.locator(".rail .organisation", { hasText: "Øst & Co" }).waitFor();
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
    // As long as this holds, the server looks every five seconds for reports of later tests to delete.
    await page.getByRole("button", { name: "Back to none" }).click();
    await page.getByRole("button", { name: "Back to none" }).waitFor({ state: "detached" });
  });
});

test("an admin says where backups go, sees the first one made, and makes another; a failure is told in words", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "intake-page-backups-"));
  const to = join(scratch, "backups");
  await on("/settings/backups", async (page) => {
    await page.getByText("No backups are made.").waitFor();
    expect(await page.getByRole("button", { name: "Back up now" }).count()).toBe(0);
    const where = page.locator("#setting-backup_to");
    await where.fill(`${scene.installation.folder}/backups`);
    await page.keyboard.press("Enter");
    await page.getByText("is in the data directory").waitFor();
    await where.fill(to);
    await page.keyboard.press("Enter");
    await page.locator("tbody tr").getByText("Verified").waitFor();
    expect(await page.locator("tbody tr").allTextContents()).toEqual([expect.stringContaining("Schedule")]);
    await page.getByRole("button", { name: "Back up now" }).click();
    const second = page.locator("tbody tr", { hasText: "This page" });
    await second.getByText("Verified").waitFor();
    const lock = lockFile(`${to}/lock.db`, () => new Error("taken"));
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText("The last backup was not made: another run of intake backup writes to").waitFor();
    lock.release();
    await page.getByRole("button", { name: "Back to none" }).click();
    await page.getByText("No backups are made.").waitFor();
  });
  rmSync(scratch, { recursive: true });
});

/** Searches by e-mail address, and expects that just this was asked. */
async function find(page: Page, value: string) {
  await page.getByLabel("Value").fill(value);
  const answered = page.waitForResponse((response) => response.url().endsWith("/internal/people/find"));
  await page.getByRole("button", { name: "Find", exact: true }).click();
  const answer = await answered;
  expect([answer.request().postDataJSON(), answer.status()]).toEqual([{ by: "user.email", value }, 200]);
}

test("an admin finds what reports have of a person, saves it, and deletes it with the number typed", async () => {
  const email = "ada@example.org";
  for (const title of ["First", "Second"]) await report(scene, title, { email });
  await report(scene, "Another's", { email: "grace@example.org" });
  await on("/settings/people", async (page) => {
    await page.getByText("intake project export PROJECT").waitFor();
    await page.getByLabel("Value").fill("ADA@example.org");
    await page.keyboard.press("Enter");
    await page.getByText("No report names this person.").waitFor();
    await find(page, email);
    await page.getByRole("status").getByText("2 reports").waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export JSON Lines" }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe("intake-person.jsonl");
    const lines = (await Bun.file(await file.path()).text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).envelope.user)).toEqual([{ email }, { email }]);
    await page.getByRole("button", { name: "Delete 2 reports" }).click();
    const sure = page.getByRole("button", { name: "Delete for good" });
    expect(await sure.isDisabled()).toBe(true);
    await page.locator(".dialog input").fill("2");
    await sure.click();
    await page.getByText("2 reports deleted.").waitFor();
    await page.getByText("No report names this person.").waitFor();
    await find(page, "grace@example.org");
    await page.getByRole("status").getByText("1 report", { exact: true }).waitFor();
    expect(page.url()).not.toContain("example.org");
  });
});

test("a member is told who can", async () => {
  for (const path of ["/settings/organisation", "/settings/backups", "/settings/repositories", "/settings/people"]) {
    await on(path, (page) => page.getByText(/Admins here: .*Ann Admin/).waitFor(), "member");
  }
});
