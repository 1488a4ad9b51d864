import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createProject } from "../../../server/boards/create-project.ts";
import { subscribe, tell } from "../../support/deliveries.ts";
import { envelope, newSdkKey, received } from "../../support/ingest.ts";
import { newToken } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { launchChromium } from "../chromium.ts";
import { openAs, seedCards } from "./board-scene.ts";
import { queued, type RunsScene, setRunsScene } from "./runs-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: RunsScene;
let browser: Browser;
/** Id of the project "Shop", which is not the first one. */
let shop: string;
/** Addresses of details, each with the address of the page above it. */
let details: [address: string, above: string][];

beforeAll(async () => {
  scene = await setRunsScene();
  browser = await launchChromium();
  const { installation, target, board } = scene;
  const { ctx, made } = installation;
  const project = `/p/${made.project.id}`;
  const { runId, ticketId } = await queued(scene);
  const { key } = await newSdkKey(installation, { name: "ios-store" });
  const parts = [envelope({ reportId: crypto.randomUUID(), title: "TypeError" })];
  const { eventId } = await received(target, { key, parts });
  const { id: subscriber } = await subscribe(installation, { name: "crash-triage" });
  await tell(installation);
  const delivery = await ctx.store.one<{ id: string }>("select id from delivery limit 1");
  const token = await newToken(installation, { name: "deploy-gate" });
  shop = (await createProject({ ctx, input: { name: "Shop" } })).id;
  await seedCards(scene, [{ title: "Cart badge shows 0" }, { title: "Nothing of this kind" }]);
  details = [
    [`/cards/${ticketId}`, board],
    [`/reports/${eventId}`, `${project}/reports`],
    [`/runs/${runId}`, "/runs"],
    [`/subscribers/${subscriber}`, "/subscribers"],
    [`/subscribers/${subscriber}/deliveries/${delivery?.id}`, `/subscribers/${subscriber}`],
    [`/settings/tokens/${token.id}`, "/settings/tokens"],
    ...[
      "tokens",
      "keys",
      "members",
      "repositories",
      "agent",
      "organisation",
      "mail",
      "audit",
      "profile",
      "sessions",
    ].map((page): [string, string] => [`/settings/${page}`, "/settings"]),
    ["/settings/appearance", "/settings"],
    [`/cards/${crypto.randomUUID()}`, board],
    [`/reports/${crypto.randomUUID()}`, board],
  ];
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function open(
  path: string,
  { as = "admin", ...options }: BrowserContextOptions & { as?: "admin" | "member" } = {},
) {
  const { page, close } = await openAs(browser, scene, scene[as], path, options);
  return { page, close };
}

async function isAt(page: Page, path: string) {
  const at = () => new URL(page.url()).pathname;
  await until(() => (at() === path ? true : undefined)).catch(() => {
    throw new Error(`the page is ${at()}, and not ${path}`);
  });
}

describe("on a phone", () => {
  test("whatever is opened by its address has a way back", async () => {
    const { page, close } = await open("/settings", phone);
    for (const [address, above] of details) {
      // The browser's history has no earlier page of the dashboard.
      await page.goto("about:blank");
      await page.goto(scene.server.url + address);
      await page.getByRole("button", { name: /^Back/ }).tap();
      await isAt(page, above).catch((error: Error) => {
        throw new Error(`${address}: ${error.message}`);
      });
    }
    await close();
  });

  test("the way back from a delivery is the same while its subscriber still loads", async () => {
    const { page, close } = await open("/settings", phone);
    const [address = "", above = ""] = details.find(([path]) => path.includes("/deliveries/")) ?? [];
    await page.route(`**/internal${above}`, () => {});
    await page.goto("about:blank");
    await page.goto(scene.server.url + address);
    await page.getByRole("button", { name: "Back" }).tap();
    await isAt(page, above);
    await close();
  });

  test("a card and a report that still load offer no way to a wrong page", async () => {
    const { page, close } = await open("/settings", phone);
    for (const kind of ["cards", "reports"]) {
      const [address = "", above = ""] = details.find(([path]) => path.startsWith(`/${kind}/`)) ?? [];
      const held = Promise.withResolvers<void>();
      await page.route(`**/internal${address}`, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto("about:blank");
      await page.goto(scene.server.url + address);
      await page.getByRole("banner").waitFor();
      expect(await page.getByRole("button", { name: /^Back/ }).count()).toBe(0);
      held.resolve();
      await page.getByRole("button", { name: /^Back/ }).tap();
      await isAt(page, above);
    }
    await close();
  });

  test("Back leads to where one came from, as it was", async () => {
    const { page, close } = await open("/settings/tokens?text=deploy", phone);
    await page.getByRole("link", { name: "deploy-gate" }).tap();
    await page.waitForSelector(".facts");
    await page.getByRole("button", { name: "Back" }).tap();
    await isAt(page, "/settings/tokens");
    expect(new URL(page.url()).search).toBe("?text=deploy");
    await close();
  });

  test("the name in the bar opens the list of projects and boards", async () => {
    const { page, close } = await open(scene.board, phone);
    await page.getByRole("button", { name: "Board all projects and boards" }).tap();
    const list = page.getByRole("dialog", { name: "Projects and boards" });
    await list.getByRole("link", { name: "Shop" }).tap();
    await isAt(page, `/p/${shop}`);
    await list.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Overview all projects and boards" }).tap();
    await list.getByRole("link", { name: "Board" }).first().tap();
    await isAt(page, scene.board);
    await close();
  });

  test("More has the menu of the person, and the reference of the API", async () => {
    const { page, close } = await open("/settings", phone);
    expect(await page.locator(".tiles a[href='/docs']").count()).toBe(1);
    await page.getByRole("button", { name: "Ann Admin" }).tap();
    expect(await page.getByRole("menuitem", { name: "API reference" }).getAttribute("href")).toBe("/docs");
    await page.getByRole("menuitem", { name: "Sessions" }).tap();
    await isAt(page, "/settings/sessions");
    await close();
  });
});

describe("the palette", () => {
  async function asked(page: Page, text: string, settled: string): Promise<string[]> {
    await page.keyboard.press("Control+k");
    await page.waitForSelector(".palette");
    await page.keyboard.type(text);
    await page.locator(".palette .hit", { hasText: settled }).first().waitFor();
    return page.locator(".palette .hit > :nth-child(2)").allInnerTexts();
  }

  test("what begins with the words stands first, and scattered letters find nothing", async () => {
    const { page, close } = await open(scene.board);
    await page.waitForSelector(".cover");
    const found = await asked(page, "cart", "Cart badge shows 0");
    expect(found[0]).toBe("Cart badge shows 0");
    expect(found).not.toContain("Clear the filter");
    await page.keyboard.press("Escape");
    expect((await asked(page, "sessions", "Sessions"))[0]).toBe("Sessions");
    await close();
  });

  test("new cards that are not found yet are counted, until they are found", async () => {
    const { page, close } = await open(scene.board);
    await page.waitForSelector(".cover");
    let behind: object | undefined = { cards: 1240, reports: 1 };
    await page.route("**/internal/search?**", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), behind } });
    });
    await asked(page, "cart", "Cart badge shows 0");
    const note = page.getByText("1,240 new cards and 1 new report are not found yet.");
    await note.waitFor();
    behind = undefined;
    await note.waitFor({ state: "detached" });
    expect(await page.locator(".palette .hit").first().textContent()).toContain("Cart badge shows 0");
    behind = { cards: 0, reports: 1 };
    await page.locator(".palette .all").click();
    const other = page.getByText("1 new report is not found yet.");
    await other.waitFor();
    behind = undefined;
    await other.waitFor({ state: "detached" });
    await page.locator("main .hit", { hasText: "Cart badge shows 0" }).waitFor();
    await close();
  });

  test("an admin makes a token, a project and an invitation from any page", async () => {
    const { page, close } = await open(scene.board);
    await page.waitForSelector(".cover");
    for (const [words, title] of [
      ["new token", "New API token"],
      ["new project", "New project"],
      ["invite", "Invite a person"],
    ] as const) {
      await asked(page, words, "");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: title }).waitFor({ state: "detached" });
    }
    await asked(page, "new project", "New project");
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").fill("Warehouse");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.waitForSelector(".rail .nav:has-text('Warehouse')");
    await close();
  });

  test("a member is offered what members may do", async () => {
    const { page, close } = await open(scene.board, { as: "member" });
    await page.waitForSelector(".cover");
    await page.keyboard.press("Control+k");
    await page.waitForSelector(".palette .hit");
    const offered = await page.locator(".palette .hit > :nth-child(2)").allInnerTexts();
    for (const title of ["New token", "New project", "Invite a person", "API tokens"])
      expect(offered).not.toContain(title);
    for (const title of ["Sign out", "Dark theme", "API reference"]) expect(offered).toContain(title);
    await close();
  });

  test("themes, the reference of the API, and the way out", async () => {
    const { page, close } = await open(scene.board);
    await page.waitForSelector(".cover");
    await asked(page, "dark", "Dark theme");
    await page.keyboard.press("Enter");
    await page.waitForSelector("html[data-theme=dark]");
    await asked(page, "api ref", "API reference");
    await page.keyboard.press("Enter");
    await isAt(page, "/docs");
    await close();
  });
});

test("the menu of the person stands in the rail, with the reference of the API and the way out", async () => {
  const { page, close } = await open(scene.board, { as: "member" });
  await page.locator(".rail").getByRole("button", { name: "Max Member" }).click();
  expect(await page.getByRole("menuitem", { name: "API reference" }).getAttribute("href")).toBe("/docs");
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await isAt(page, "/sign-in");
  await page.goto(scene.server.url + scene.board);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await close();
});

test("the table of shortcuts shows Shift and Space", async () => {
  const { page, close } = await open(scene.board);
  await page.waitForSelector(".cover");
  await page.keyboard.press("?");
  await page.waitForSelector(".shortcuts");
  const rows = await page.locator(".shortcuts > div").allInnerTexts();
  const keysOf = (does: string) =>
    rows
      .find((row) => row.trim().endsWith(does))
      ?.slice(0, -does.length)
      .trim()
      .split(/\s+/);
  expect(keysOf("Clear the filter")).toEqual(["Shift", "F"]);
  expect(keysOf("Filter")).toEqual(["F"]);
  expect(keysOf("Pick the card up, put it down")).toEqual(["Space"]);
  expect(keysOf("Move the card a step")).toEqual(["Alt", "↑↓←→"]);
  expect(keysOf("Go to reports")).toEqual(["G", "then", "R"]);
  await close();
});
