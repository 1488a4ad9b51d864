import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { grantCredits } from "../../../server/agents/grant-credits.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { openAs } from "./board-scene.ts";
import { expectClean, shoot } from "./looks.ts";
import { queued, type RunsScene, setRunsScene, worked } from "./runs-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: RunsScene;
let browser: Browser;
/** Addresses by the names of their screenshots, each with a selector of what the page shows once it is loaded. */
let pages: Record<string, { path: string; shows: string; press?: string }>;

beforeAll(async () => {
  scene = await setRunsScene();
  browser = await launchChromium();
  const { ctx } = scene.installation;
  await grantCredits({ ctx, input: { amount: 45, note: `December, ${"a long note ".repeat(5)}` } });
  const done = await worked(scene);
  await done.tell("heartbeat", { progress: "Running the tests" });
  const lines = Array.from(
    { length: 300 },
    (_, i) => `\u001b[32m✔\u001b[0m test ${i} passed ${"in time ".repeat(i % 40)}`,
  );
  await done.tell("log", { offset: 0, text: lines.join("\n") });
  await done.tell("complete", {
    outcome: "succeeded",
    creditsUsed: 7,
    summary: "# Rounding\n\nRounds **half away from zero**.\n\n- fixed `CartTotals`\n- three tests",
    pullRequestUrl: "https://git.example.org/team/app/pull/42",
  });
  const failed = await worked(scene);
  await failed.tell("complete", { outcome: "failed", creditsUsed: 4, summary: "The build does not start." });
  const running = await worked(scene);
  await running.tell("heartbeat", { progress: "Cloning the repository", creditsUsed: 1 });
  await running.tell("log", { offset: 0, text: "Cloning into 'app'…\n" });
  const waits = await queued(scene);
  await ctx.store.write(function* (tx) {
    yield* tx.run("update agent_run set state = 'waiting', reason = 'no_credits' where id = $1", [waits.runId]);
    yield* tx.run("update ticket set title = $2 where id = $1", [
      waits.ticketId,
      `${"A long title that goes on and on ".repeat(6)}مرحبا`,
    ]);
  });
  pages = {
    runs: { path: "/runs", shows: "tbody tr" },
    "runs-ended": { path: "/runs?state=ended", shows: "tbody tr" },
    "runs-none": { path: "/runs?state=expired", shows: ".empty" },
    "run-succeeded": { path: `/runs/${done.runId}`, shows: ".log-box pre div" },
    "run-failed": { path: `/runs/${failed.runId}`, shows: ".steps .bad" },
    "run-running": { path: `/runs/${running.runId}`, shows: ".log-box pre div" },
    "run-waiting": { path: `/runs/${waits.runId}`, shows: ".note" },
    "run-card": { path: `/cards/${running.ticketId}`, shows: ".box.agent" },
    "run-agent": { path: "/settings/agent", shows: "[aria-label='Ledger'] tbody tr, .state" },
    "run-grant": { path: "/settings/agent", shows: "[aria-label='Ledger'] tbody tr, .state", press: "n" },
  };
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

for (const as of ["admin", "member"] as const) {
  for (const width of [1440, 390]) {
    test(`${as}, ${width} px: nothing sticks out, axe finds nothing in either theme, nobody else is asked`, async () => {
      const viewport = { width, height: width === 1440 ? 900 : 844 };
      const options = { viewport, reducedMotion: "reduce" as const };
      const { page, complaints, origins, close } = await openAs(browser, scene, scene[as], "/settings", options);
      for (const [name, { path, shows, press }] of Object.entries(pages)) {
        if (press && as === "member") continue;
        await page.goto(scene.server.url + path);
        await page.locator(shows).first().waitFor();
        if (press) {
          await page.keyboard.press(press);
          await page.waitForSelector(".dialog");
        }
        await inBothThemes(page, async (theme) => {
          await shoot(page, `${name}-${as}-${theme}-${width}`);
          await expectClean(page);
        }).catch((error: Error) => {
          throw new Error(`${name}: ${error.message}`);
        });
      }
      // The page of the agent answers a member with 403, which the browser reports.
      const denied = complaints.filter((text) => /^error: Failed to load resource: .* status of 403/.test(text));
      expect(denied.length).toBeLessThanOrEqual(as === "member" ? 1 : 0);
      expect(complaints.filter((text) => !denied.includes(text))).toEqual([]);
      expect([...origins]).toEqual([scene.server.url]);
      await close();
    });
  }
}
