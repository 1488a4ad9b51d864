import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { pages } from "../../../server/dashboard/pages.ts";
import { launchChromium } from "../chromium.ts";
import { openSettings, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: SettingsScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

/** A signed-in member is asked neither to sign in nor to set up. */
const closed = pages.filter(({ path, access }) => path !== "/" && access !== "unauthenticated");

test("a document is 403 to a member exactly where its page says that only admins may, and names them", async () => {
  const { page, close } = await openSettings(browser, scene, scene.member, "/settings/profile");
  const [denied, told]: string[][] = [[], []];
  for (const { path } of closed) {
    const answer = await page.goto(scene.server.url + path.replace(/:\w+/g, crypto.randomUUID()));
    if (answer?.status() === 403) denied?.push(path);
    // The heading or the sentence of the page, whichever appears once the page is loaded.
    await page.locator("#main h1, #main .state, #main .empty, .panel, [role=dialog]").first().waitFor();
    const sentence = page.getByText("Only admins can ");
    if (answer?.status() === 403) await page.getByText(/Only admins can .*\. Admins here: .*Ann Admin/).waitFor();
    if ((await sentence.count()) > 0) told?.push(path);
  }
  expect(told).toEqual(denied as string[]);
  expect(denied?.length).toBeGreaterThan(8);
  await close();
});
