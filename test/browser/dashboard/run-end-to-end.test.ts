import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { grantCredits } from "../../../server/agents/grant-credits.ts";
import { showCredits } from "../../../server/agents/show-credits.ts";
import { git, openWorkshop, type RunningRunner, startRunner, type Workshop } from "../../support/runner.ts";
import { launchChromium } from "../chromium.ts";
import { openSettings, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: SettingsScene;
let browser: Browser;
let workshop: Workshop;
let runner: RunningRunner | undefined;

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
  workshop = await openWorkshop(scene.installation);
});

afterAll(async () => {
  runner?.signal("SIGKILL");
  await browser.close();
  await scene.stop();
});

/** The script of the agent: it waits until the test has seen that it works. */
const script = `cat > ticket.json
echo "\u001b[32mworking\u001b[0m on $INTAKE_RUN_TICKET_TITLE"
while [ ! -e "$SCRIPTS/go" ]; do sleep 0.1; done
git add ticket.json && git commit --quiet -m "$INTAKE_RUN_TICKET_TITLE" && git push --quiet origin HEAD
echo pushed
echo '{"summary": "It is **done**.", "pullRequestUrl": "https://git.example.org/shop/pulls/7", "creditsUsed": 4}' > "$INTAKE_RUN_RESULT"`;

test("a card that a person assigns becomes a branch, and shows its log, its result and what it cost", async () => {
  const { ctx, made } = scene.installation;
  await grantCredits({ ctx, input: { amount: 100 } });
  writeFileSync(join(workshop.scripts, "rounding"), script);
  const created = await fetch(`${scene.server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.apiToken.token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "rounding", description: "Rounds the wrong way." }),
  });
  const { id } = (await created.json()) as { id: string };
  const { page, complaints, origins, close } = await openSettings(browser, scene, scene.member, `/cards/${id}`);

  await page.click(".properties button:has-text('Assignee')");
  await page.click("[role=option]:has-text('Agent')");
  const asked = (await page.locator(".dialog .top p").textContent()) ?? "";
  expect(asked.replaceAll(/\s+/g, " ")).toBe(
    "A run is queued now. It consumes credits (10 held when a runner takes it; 100 left) and may open a pull request on shop.",
  );
  await page.click("text=Assign and queue run");
  await page.waitForSelector(".box.agent .note:has-text('No runner has been online yet.')");

  runner = startRunner(scene.server.url, workshop, ["--once", "--name", "build-host-7"]);
  await page.waitForSelector(".box.agent .steps .now:has-text('Running')");
  await page.waitForSelector(".box.agent dl:has-text('0 of 10 held')");
  await page.click(".box.agent a:has-text('Log')");
  await page.waitForSelector(".log-box >> text='working on rounding'");
  await page.waitForSelector("dl:has-text('build-host-7')");
  writeFileSync(join(workshop.scripts, "go"), "");
  await page.waitForSelector(".log-box >> text='pushed'");
  await page.waitForSelector(".steps .done:has-text('Pull request')");
  expect(await runner.exited).toBe(0);

  await page.keyboard.press("o");
  await page.waitForSelector(".panel .box.agent .pill:has-text('Succeeded')");
  await page.waitForSelector(".panel .box.agent dl:has-text('4 used')");
  await page.waitForSelector(".panel .box.agent .markdown strong:has-text('done')");
  expect(await page.locator(".panel .box.agent a:has-text('#7')").getAttribute("href")).toBe(
    "https://git.example.org/shop/pulls/7",
  );
  await page.waitForSelector(".panel .activity li:has-text('opened a pull request')");
  await page.waitForSelector(".panel .activity li:has-text('gave the run to build-host-7, 10 credits held')");
  const branch = await page.locator(".panel .box.agent dd .mono").textContent();
  const committed = git({}, "-C", workshop.bare, "show", `${branch}:ticket.json`);
  expect(JSON.parse(committed)).toMatchObject({ id, title: "rounding", description: "Rounds the wrong way." });
  expect(await showCredits({ ctx })).toEqual({ balance: 96, held: 0, used: 4 });
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([scene.server.url]);
  await close();
});
