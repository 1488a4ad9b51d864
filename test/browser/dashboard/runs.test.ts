import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { grantCredits } from "../../../server/agents/grant-credits.ts";
import { launchChromium, type Watched } from "../chromium.ts";
import { freshBoard, internal, openAs, seedCards } from "./board-scene.ts";
import { queued, type RunsScene, setRunsScene, worked } from "./runs-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: RunsScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setRunsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

/** Opens a window. At the end it may have no errors and must have sent no request to other hosts. */
async function on(
  path: string,
  work: (page: Page) => Promise<void>,
  { as = "member", status = 200 }: { as?: "admin" | "member"; status?: 200 | 403 | 404 } = {},
) {
  const opened: Watched = await openAs(browser, scene, scene[as], path);
  try {
    await work(opened.page);
    // The browser reports a document that is refused.
    const bad = opened.complaints.filter((text) => status === 200 || !text.includes(`status of ${status}`));
    expect(bad).toEqual([]);
    expect([...opened.origins]).toEqual([scene.server.url]);
  } finally {
    await opened.close();
  }
}

const cancelled = (id: string) => internal(scene, "POST", `/runs/${id}/cancel`, {});

describe("a run's page", () => {
  test("follows its state and its log, and keeps still for whoever reads", async () => {
    const run = await worked(scene);
    await on(`/runs/${run.runId}`, async (page) => {
      await page.waitForSelector(".steps .now:has-text('Claimed')");
      await page.waitForSelector("text=Nothing was written yet.");
      await run.tell("heartbeat", { progress: "Running the tests", creditsUsed: 0 });
      await page.waitForSelector(".steps .now:has-text('Running')");
      await page.waitForSelector("p:has-text('Running the tests')");

      const text = `${Array.from({ length: 5_000 }, (_, i) => `\u001b[32m✔\u001b[0m line ${i}`).join("\n")}\n`;
      await run.tell("log", { offset: 0, text });
      await page.waitForSelector(".log-box >> text='✔ line 4999'");
      expect(await page.locator(".log-box pre > div").count()).toBeLessThan(120);

      await page.focus(".log-box");
      await page.keyboard.press("Home");
      await page.waitForSelector(".log-box >> text='✔ line 0'");
      await page.waitForSelector("button:has-text('Follow')");
      const more = "<img src=x onerror=alert(1)>\r\u001b]0;title\u0007the end\n";
      await run.tell("log", { offset: Buffer.byteLength(text), text: more });
      await page.waitForSelector(".log-box pre[style*='90018px']");
      expect(await page.evaluate("document.querySelector('.log-box').scrollTop")).toBe(0);
      expect(await page.locator("text='the end'").count()).toBe(0);
      await page.click("button:has-text('Follow')");
      await page.waitForSelector(".log-box >> text='the end'");

      await run.tell("complete", {
        outcome: "succeeded",
        creditsUsed: 3,
        summary: "Rounds **up**. <img src=x onerror=alert(2)>",
        pullRequestUrl: "https://git.example.org/team/app/pull/42",
      });
      await page.waitForSelector(".steps .done:has-text('Pull request')");
      await page.waitForSelector("section[aria-label=Summary] strong:has-text('up')");
      const link = page.locator("a:has-text('#42')");
      expect(await link.getAttribute("href")).toBe("https://git.example.org/team/app/pull/42");
      expect(await link.getAttribute("rel")).toContain("noopener");
      expect(await page.locator("main img").count()).toBe(0);
      await page.waitForSelector("dl:has-text('3 used')");

      const downloading = page.waitForEvent("download");
      await page.click("a:has-text('Download')");
      const stored = await (await downloading).createReadStream();
      expect(await new Response(stored as unknown as ReadableStream).text()).toBe(text + more);
    });
  });

  test("says what it waits for, and is cancelled and tried again by keyboard", async () => {
    const run = await queued(scene);
    await scene.installation.ctx.store.write((tx) => tx.run("update runner set seen_at = seen_at - 600000"));
    await on(`/runs/${run.runId}`, async (page) => {
      await page.waitForSelector(".note:has-text('No runner has been online since')");
      await page.focus("button:has-text('Cancel run')");
      await page.keyboard.press("Enter");
      await page.waitForSelector("[role=dialog] button:focus:has-text('Keep it')");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".head .pill:has-text('Cancelled')");
      await page.focus("button:has-text('Retry')");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".head .pill:has-text('Queued')");
      expect(page.url()).not.toContain(run.runId);
      await page.keyboard.press("o");
      await page.waitForSelector(".panel h1:has-text('For the agent')");
      await cancelled(await newest(run.ticketId));
      await page.waitForSelector(".panel .box.agent .pill:has-text('Cancelled')");
    });
  });

  test("of no run says that nothing is there", () =>
    on(
      `/runs/${crypto.randomUUID()}`,
      async (page) => {
        await page.waitForSelector("text=There is nothing here.");
      },
      { status: 404 },
    ));
});

async function newest(ticketId: string): Promise<string> {
  const { store } = scene.installation.ctx;
  const row = await store.one<{ id: string }>("select max(id) as id from agent_run where ticket_id = $1", [ticketId]);
  return row?.id ?? "";
}

describe("the list of runs", () => {
  test("has the queue and the history, by keyboard, and follows", async () => {
    await on("/", async (page) => {
      await page.waitForSelector(".board");
      // The second key counts within a second of the first.
      await Promise.all([page.keyboard.press("g"), page.keyboard.press("u")]);
      await page.waitForSelector("h1:has-text('Agent runs')");
      await page.waitForSelector("text=The queue is empty.");
      const run = await queued(scene);
      await page.waitForSelector("tr:has-text('Queued')");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/runs/${run.runId}`);
      await page.goBack();
      await page.waitForSelector("tr:has-text('Queued')");
      await cancelled(run.runId);
      await page.waitForSelector("text=The queue is empty.");
      await page.focus("[role=tab][aria-selected=true]");
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector("tr:has-text('Cancelled')");
      expect(new URL(page.url()).search).toBe("?state=ended");
      await page.selectOption("main select", "succeeded");
      await page.waitForSelector("tr:has-text('Pull request')");
      expect(await page.locator("tr:has-text('Cancelled')").count()).toBe(0);
    });
  });
});

describe("assigning a card to the agent asks first, in one sentence", () => {
  const sentence = "A run is queued now. It consumes credits and may open a pull request on team/app.";

  async function onBoard(work: (page: Page, id: string) => Promise<void>) {
    const board = await freshBoard(scene);
    const [id = ""] = await seedCards(board, [{ title: "For a machine" }]);
    await on(board.board, async (page) => {
      await page.waitForSelector(".card:has-text('For a machine')");
      await work(page, id);
      await page.waitForSelector(".card .run:has-text('Queued')");
      await cancelled(await newest(id));
      await page.waitForSelector(".card .run:has-text('Cancelled')");
    });
  }

  async function agree(page: Page) {
    expect(((await page.locator(".dialog .top p").textContent()) ?? "").replaceAll(/\s+/g, " ")).toBe(sentence);
    await page.waitForSelector(".dialog button:focus:has-text('Cancel')");
    await page.click("text=Assign and queue run");
  }

  test("by dragging it onto the agent", () =>
    onBoard(async (page) => {
      const card = await page.locator("[data-card]").boundingBox();
      if (!card) throw new Error("there is no card");
      await page.mouse.move(card.x + 40, card.y + 20);
      await page.mouse.down();
      await page.mouse.move(card.x + 60, card.y + 60, { steps: 3 });
      const agent = await page.locator("[data-agent]").boundingBox();
      if (!agent) throw new Error("there is nothing to drop it on");
      await page.mouse.move(agent.x + agent.width / 2, agent.y + agent.height / 2, { steps: 5 });
      await page.waitForSelector(".agent-drop.armed");
      await page.mouse.up();
      await agree(page);
    }));

  test("by keyboard; while a run is under way once more says so, and taking it away asks", () =>
    onBoard(async (page, id) => {
      const assign = async (name: string) => {
        await page.focus(".card a");
        await page.keyboard.press("a");
        // The names are loaded with the board, and may come after it.
        await page.waitForSelector(".dialog [role=combobox]:focus");
        await page.keyboard.type(name);
        await page.keyboard.press("Enter");
      };
      await assign("agent");
      await agree(page);
      await page.waitForSelector(".card .run:has-text('Queued')");
      await assign("agent");
      await page.waitForSelector("text=A run of this card is under way.");
      await assign("nobody");
      await page.waitForSelector(".dialog:has-text('This cancels the run.')");
      await page.click("text=Keep the agent");
      expect(await internal(scene, "GET", `/cards/${id}`)).toMatchObject({ assignee: { kind: "agent" } });
    }));

  test("by the menu on the card", () =>
    onBoard(async (page) => {
      await page.click(".card a");
      await page.waitForSelector(".panel h1");
      await page.click(".properties button:has-text('Assignee')");
      await page.click("[role=option]:has-text('Agent')");
      await agree(page);
      await page.waitForSelector(".panel .box.agent:has-text('No runner has been online')");
      await page.click("[aria-label=Close]");
    }));

  test("where admins keep that to themselves, there is no agent to choose or to drop on", async () => {
    await internal(scene, "PATCH", "/settings/run_starters", { value: "admins" });
    const board = await freshBoard(scene);
    await seedCards(board, [{ title: "For a machine" }]);
    await on(board.board, async (page) => {
      await page.focus(".card a");
      await page.keyboard.press("a");
      await page.waitForSelector(".dialog [role=option]:has-text('Nobody')");
      expect(await page.locator(".dialog [role=option]:has-text('Agent')").count()).toBe(0);
      await page.keyboard.press("Escape");
    });
    await internal(scene, "PATCH", "/settings/run_starters", { value: "" });
  });
});

describe("Settings, Agent", () => {
  test("members are told who may", () =>
    on(
      "/settings/agent",
      async (page) => {
        await page.waitForSelector("text=/Only admins can manage the agent\\. Admins here: .*Ann Admin/");
      },
      { status: 403 },
    ));

  test("credits are granted with a note; runs that are too dear say so until they are not", async () => {
    const seen = await worked(scene);
    await seen.tell("complete", { outcome: "succeeded", creditsUsed: 0 });
    await on(
      "/settings/agent",
      async (page) => {
        await page.waitForSelector("tr:has-text('build-host-7'):has-text('Runners')");
        await page.waitForSelector("[aria-label=Credits] .facts:has-text('Not limited')");
        await page.keyboard.press("n");
        await page.keyboard.type("4");
        await page.keyboard.press("Tab");
        await page.keyboard.type("December");
        await page.keyboard.press("Enter");
        await page.waitForSelector("[aria-label='Ledger'] tr:has-text('Granted'):has-text('December'):has-text('+4')");
        await page.waitForSelector("[aria-label=Credits] .facts:has-text('4')");

        await queueAndLook();
        const run = await page.context().newPage();
        await run.goto(`${scene.server.url}/runs?state=waiting`);
        await run.click("tr:has-text('no credits left') a.name");
        await run.waitForSelector(".note:has-text('4 credits left, 10 needed.')");

        await page.fill("[aria-label='Credits per run'] input", "3");
        await page.click("[aria-label='Credits per run'] button:has-text('Save')");
        await run.waitForSelector(".head .pill:has-text('Queued')");
        await run.click("button:has-text('Cancel run')");
        await run.click(".dialog button.solid-danger");
        await run.waitForSelector(".head .pill:has-text('Cancelled')");
        await run.close();
      },
      { as: "admin" },
    );
    const { ctx } = scene.installation;
    await grantCredits({ ctx, input: { amount: 96 } });
  });

  /** A run for which there are too few credits; a claim sets it to waiting. */
  async function queueAndLook() {
    await queued(scene);
    const { token } = scene.runs.runner;
    await fetch(`${scene.server.url}/runner/v1/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        claimId: crypto.randomUUID(),
        runner: { name: "build-host-7", version: "1", labels: [] },
      }),
    });
  }
});
