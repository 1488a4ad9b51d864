import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { changeSubscriber } from "../../../server/webhooks/subscribers/change-subscriber.ts";
import { subscribe } from "../../support/deliveries.ts";
import { accept, answering, Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { expectClean, shoot } from "./looks.ts";
import { openSettings, report, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: SettingsScene;
let browser: Browser;
let gone: Receiver;
beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
  gone = await Receiver.listen({ behave: answering("410 Gone", [], "no more") });
});
afterAll(async () => {
  await browser.close();
  await scene.stop();
  await gone.close();
});

test("a subscriber that is disabled shows on every page of an admin without a reload, and goes when it is mended", async () => {
  const { ctx } = scene.installation;
  const disabled = await subscribe(scene.installation, {
    ...{ url: gone.url(), types: ["report.received"], name: "<b>Triage</b>" },
  });
  const admin = await openSettings(browser, scene, scene.admin, "/runs");
  const member = await openSettings(browser, scene, scene.member, "/runs");
  await report(scene, "It fell");
  const { page } = admin;
  const strip = page.getByRole("alert").filter({ hasText: "A subscriber was disabled" });
  await strip.getByText("<b>Triage</b>: It is disabled: answered 410 Gone.").waitFor();
  await page.getByRole("link", { name: /^Notices/ }).waitFor();

  await strip.getByRole("link").click();
  const open = page.getByRole("region", { name: "Open" });
  await open.getByRole("row").filter({ hasText: "A subscriber was disabled" }).waitFor();
  // The report is the first with its title, too.
  const fatal = open.getByRole("row").filter({ hasText: "A fatal report with a new title" });
  await fatal.getByText("It fell").waitFor();
  await inBothThemes(page, () => expectClean(page));
  await shoot(page, "notices");
  await page.setViewportSize({ width: 360, height: 800 });
  await expectClean(page);
  await shoot(page, "notices-phone");
  await page.setViewportSize({ width: 1440, height: 900 });

  await fatal.getByRole("button", { name: "Dismiss" }).press("Enter");
  await page.getByRole("region", { name: "Over" }).getByRole("row").filter({ hasText: "It fell" }).waitFor();
  await open.getByRole("link", { name: "A subscriber was disabled" }).click();
  await page.waitForURL(`**/subscribers/${disabled.id}`);
  gone.behave = accept;
  await changeSubscriber({ ctx, input: { id: disabled.id, change: "enable" } });
  await strip.waitFor({ state: "detached" });
  expect(admin.complaints).toEqual([]);
  await admin.close();

  // A member hears nothing of it, and the list is not for members.
  expect(await member.page.getByText("A subscriber was disabled").count()).toBe(0);
  expect(await member.page.getByRole("link", { name: /^Notices/ }).count()).toBe(0);
  await member.page.goto(`${scene.server.url}/notices`);
  await member.page.getByText("Only admins can read notices").waitFor();
  await member.close();
});

test("a dismissed one leaves the strip and the count, and stays in the list with who dismissed it", async () => {
  gone.behave = answering("410 Gone", [], "no more");
  const { store } = scene.installation.ctx;
  await store.write((tx) => tx.run("delete from subscriber"));
  await subscribe(scene.installation, { url: gone.url(), types: ["report.received"], name: "Second" });
  await report(scene, "It fell again");
  const { page, close } = await openSettings(browser, scene, scene.admin, "/notices");
  const row = page.getByRole("region", { name: "Open" }).getByRole("row").filter({ hasText: "Second" });
  await row.getByRole("button", { name: "Dismiss" }).click();
  await row.getByText("Dismissed by Ann Admin").waitFor();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await until(async () => store.one("select id from audit where action = 'notice.dismiss'"));
  await close();
});
