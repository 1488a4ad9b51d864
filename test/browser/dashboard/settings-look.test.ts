import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { bindRepository } from "../../../server/boards/repositories.ts";
import { beginBackupTryStep, endBackupTryStep } from "../../../server/core/backup-tries.ts";
import { subscribe } from "../../support/deliveries.ts";
import { answering, Receiver } from "../../support/receiver.ts";
import { newToken } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { shoot } from "../shoot.ts";
import { faultsOf, openSettings, report, type SettingsScene, setSettingsScene, usedToken } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: SettingsScene;
let browser: Browser;
let receiver: Receiver;
/** Addresses by the names of their screenshots, each with a selector of what the page shows once it is loaded. */
let pages: Record<string, { path: string; shows: string; open?: (page: Page) => Promise<unknown> }>;

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
  const { installation } = scene;
  const { made, ctx } = installation;
  const token = await usedToken(scene, "CI main");
  await newToken(installation, {
    name: `${"long name ".repeat(7)}\u0645\u0631\u062d\u0628\u0627`,
    reach: "all",
    scopes: [],
  });
  await bindRepository({ ctx, input: { projectId: made.project.id, url: "https://git.example.org/shop.git" } });
  receiver = await Receiver.listen({ behave: answering("500 Internal Server Error", [], "queue unavailable") });
  const { id } = await subscribe(installation, {
    url: receiver.url(),
    types: ["report.received"],
    name: "crash-triage",
    headers: { "X-Team": "crash" },
  });
  await report(scene, "TypeError: undefined is not an object (reading 'total')", { email: "ada@example.org" });
  const delivery = await until(async () => {
    const row = await ctx.store.one<{ id: string }>("select id from delivery where attempts > 0");
    return row ?? undefined;
  });
  await ctx.store.write((tx) =>
    tx.run("update subscriber set failures = 5, failing_since = $2, openings = 1, open_until = $3 where id = $1", [
      id,
      ctx.now(),
      ctx.now() + 500_000,
    ]),
  );
  const failed = { endedAt: ctx.now(), failure: `the folder /backups/${"long-name-".repeat(12)} is full (ENOSPC)` };
  await ctx.store.write(function* (tx) {
    const made = { endedAt: 90_000, backupId: "20261123T104922123Z-3fa9c1", asOf: 60_000, bytes: 4e9, addedBytes: 2e7 };
    const begun = { origin: "schedule", target: "/backups", startedAt: ctx.now() } as const;
    yield* endBackupTryStep(tx, yield* beginBackupTryStep(tx, { ...begun, startedAt: 60_000 }), made);
    yield* endBackupTryStep(tx, yield* beginBackupTryStep(tx, begun), failed);
  });
  const press = (key: string) => (page: Page) => page.keyboard.press(key);
  pages = {
    tokens: { path: "/settings/tokens", shows: "tbody tr" },
    "token-new": { path: "/settings/tokens", shows: "tbody tr", open: press("n") },
    "token-ready": { path: "/settings/tokens", shows: "tbody tr", open: createToken },
    "token-log": { path: `/settings/tokens/${token.id}`, shows: ".reason" },
    keys: { path: "/settings/keys", shows: "tbody tr" },
    "key-new": { path: "/settings/keys", shows: "tbody tr", open: press("n") },
    repositories: { path: "/settings/repositories", shows: "tbody tr" },
    backups: { path: "/settings/backups", shows: "tbody tr" },
    people: { path: "/settings/people", shows: "pre" },
    "people-delete": { path: "/settings/people", shows: "pre", open: askToDelete },
    organisation: { path: "/settings/organisation", shows: ".setting" },
    mail: { path: "/settings/mail", shows: ".setting" },
    subscribers: { path: "/subscribers", shows: "tbody tr" },
    "subscriber-new": { path: "/subscribers", shows: "tbody tr", open: press("n") },
    subscriber: { path: `/subscribers/${id}`, shows: ".delivery" },
    delivery: { path: `/subscribers/${id}/deliveries/${delivery.id}`, shows: ".detail .retry-timeline" },
  };
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
  await receiver.close();
});

async function askToDelete(page: Page) {
  await page.getByLabel("Value").fill("ada@example.org");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete 1 report" }).click();
}

async function createToken(page: Page) {
  await page.keyboard.press("n");
  await page.keyboard.type("deploy-gate");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.waitForSelector(".secret");
}

for (const width of [1440, 390]) {
  test(`${width} px: nothing sticks out, axe finds nothing in either theme, nobody else is asked`, async () => {
    const viewport = { width, height: width === 1440 ? 900 : 844 };
    const { page, complaints, origins, close } = await openSettings(browser, scene, scene.admin, "/settings", {
      viewport,
    });
    const faults: Record<string, unknown[]> = {};
    for (const [name, { path, shows, open }] of Object.entries(pages)) {
      await page.goto(scene.server.url + path);
      await page.locator(shows).first().waitFor();
      await open?.(page);
      if (open) await page.waitForSelector(".dialog");
      await inBothThemes(page, async (theme) => {
        await shoot(page, `${name}-${theme}-${width}`);
        faults[`${name}, ${theme}`] = await faultsOf(page);
      });
      // A form with unsaved changes makes the browser ask before the page is left.
      if (name === "token-ready") {
        await page.getByRole("button", { name: "Close", exact: true }).click();
        await page.getByRole("button", { name: "Close anyway" }).click();
      }
    }
    const looks = Object.keys(pages).flatMap((name) => [`${name}, light`, `${name}, dark`]);
    expect(faults).toEqual(Object.fromEntries(looks.map((look) => [look, []])));
    expect(complaints).toEqual([]);
    expect(origins.size).toBe(1);
    await close();
  });
}
