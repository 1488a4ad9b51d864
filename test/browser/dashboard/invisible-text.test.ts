import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { attachment, envelope, received } from "../../support/ingest.ts";
import { newToken } from "../../support/tickets.ts";
import { launchChromium } from "../chromium.ts";
import { openAs, type Scene, seedCards, setScene } from "./board-scene.ts";
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

const persian = "می\u200cخواهم";
const emoji = "👩\u200d💻";

test("a program is not shown, named or saved as a picture", async () => {
  const { made } = scene.installation;
  const parts = [
    envelope({ reportId: crypto.randomUUID(), title: "Look\u202eed at" }),
    attachment("MZ", 0, { filename: "photo\u202egnp.exe" }),
  ];
  const send = (path: string, init?: RequestInit) => fetch(scene.server.url + path, init);
  const { eventId } = await received({ send }, { key: made.sdkKey.key, parts });
  const { page, close } = await openAs(browser, scene, scene.member, `/reports/${eventId}`);
  await page.waitForSelector("h2:has-text('Look[U+202E]ed at')");
  expect(await page.title()).toContain("Look[U+202E]ed at");
  await page.waitForSelector(".attachment[title='photo[U+202E]gnp.exe'] b:has-text('photo[U+202E]gnp.exe')");
  await page.getByRole("tab", { name: "Attachments" }).click();
  await page.waitForSelector(".file b:has-text('photo[U+202E]gnp.exe')");
  await shoot(page, "invisible-text-report");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(".file >> text=Download")]);
  expect(saved.suggestedFilename()).toBe("photo[U+202E]gnp.exe");
  expect(/[\u202a-\u202e]/.test((await page.textContent("body")) ?? "")).toBe(false);
  await close();
});

test("titles and names of cards and tokens show what hides in them; ordinary scripts and emoji stay", async () => {
  await newToken(scene.installation, { name: "CI\u200b main" });
  await seedCards(scene, [{ title: "Pay\u202elap" }, { title: `${persian} ${emoji} שלום` }]);
  const { page, close } = await openAs(browser, scene, scene.admin, scene.board);
  await page.waitForSelector(".card h3:has-text('Pay[U+202E]lap')");
  const titles = await page.locator(".card h3").allInnerTexts();
  expect(titles).toEqual(["Pay[U+202E]lap", `${persian} ${emoji} שלום`]);
  await shoot(page, "invisible-text-board");
  // The form for editing shows the text itself.
  await page.click(".card h3:has-text('Pay')");
  await page.waitForSelector("[role=dialog] h1:has-text('Pay[U+202E]lap')");
  await page.keyboard.press("e");
  await page.waitForSelector("[role=dialog] textarea:focus, [role=dialog] input:focus");
  const edited = await page.evaluate("document.activeElement.value");
  expect(edited).toBe("Pay\u202elap");
  await page.goto(`${scene.server.url}/settings/tokens`);
  await page.waitForSelector("td:has-text('CI[U+200B] main')");
  await close();
});
