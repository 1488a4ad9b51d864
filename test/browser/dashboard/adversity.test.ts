import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../chromium.ts";
import { internal, newPerson, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;
let page: Page;
let close: () => Promise<void>;

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
  await seedCards(scene, [{ title: "A card" }]);
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

beforeEach(async () => {
  ({ page, close } = await openAs(browser, scene, scene.member, scene.board));
  await page.waitForSelector(".column .card");
});

afterEach(() => close());

const titleOfNewCard = () => page.getByRole("textbox", { name: /^Title of a new card/ });

function newColumn(name: string) {
  return internal(scene, "POST", "/columns", { boardId: scene.installation.made.board.id, name }) as Promise<{
    id: string;
  }>;
}

test("a title that is being typed outlives its column, and one is told", async () => {
  const { id } = await newColumn("Doomed");
  await page.getByRole("button", { name: "New card in Doomed" }).click();
  await titleOfNewCard().fill("Typed with care");
  await internal(scene, "DELETE", `/columns/${id}`, {});
  await page.getByText("The column of your new card was deleted. The title is kept").waitFor();
  await titleOfNewCard().waitFor({ state: "detached" });
  await page.keyboard.press("c");
  expect(await titleOfNewCard().inputValue()).toBe("Typed with care");
  await page.keyboard.press("Escape");
  await titleOfNewCard().waitFor({ state: "detached" });
  await page.keyboard.press("c");
  expect(await titleOfNewCard().inputValue()).toBe("");
});

test("a title that is being typed outlives the session", async () => {
  await close();
  const person = await newPerson(scene.installation, "Ending", "member");
  const again = await newPerson(scene.installation, "Ending", "member");
  ({ page, close } = await openAs(browser, scene, person, scene.board));
  await page.waitForSelector(".column .card");
  await page.keyboard.press("c");
  await titleOfNewCard().fill("Typed before the session ended");
  await page.evaluate(() => fetch("/internal/session", { method: "DELETE" }));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  const cookie = { name: "__Host-intake", value: again.cookie, url: scene.server.url.replace("http:", "https:") };
  await page.context().addCookies([{ ...cookie, httpOnly: true, secure: true, sameSite: "Lax" }]);
  await page.goto(scene.server.url + scene.board);
  await page.waitForSelector(".column .card");
  await page.keyboard.press("c");
  expect(await titleOfNewCard().inputValue()).toBe("Typed before the session ended");
});

test("a long name of a column leaves its mark and its buttons their size", async () => {
  const name = "A column with a name that is much longer than its head";
  await newColumn(name);
  const head = page.locator(".column > header").filter({ hasText: name });
  await head.waitFor();
  const widths = await head.evaluate((element) =>
    [...element.querySelectorAll(".mark, button")].map((part) => Math.round(part.getBoundingClientRect().width)),
  );
  const [mark = 0, ...buttons] = widths;
  expect(mark).toBeGreaterThanOrEqual(9);
  expect(buttons.length).toBe(2);
  for (const width of buttons) expect(width).toBeGreaterThanOrEqual(24);
});

test("at 800 pixels the board's keys stay on the screen, and the page does not scroll sideways", async () => {
  await page.setViewportSize({ width: 800, height: 900 });
  expect(await page.locator("html").evaluate((element) => element.scrollWidth)).toBe(800);
  const { x, width } = (await page.locator(".keys .right").boundingBox()) ?? { x: 0, width: 9_999 };
  expect(x + width).toBeLessThanOrEqual(800);
});

test("a form that was typed into asks before a press beside it, or Escape, discards the text", async () => {
  await close();
  ({ page, close } = await openAs(browser, scene, scene.admin, "/settings/tokens"));
  const opener = page.getByRole("button", { name: /^New token/ }).first();
  const form = page.getByRole("dialog", { name: "New API token" });
  const question = page.getByRole("dialog", { name: "Discard what you typed?" });
  const beside = () => page.mouse.click(20, 600);
  await opener.click();
  await form.waitFor();
  await beside();
  await form.waitFor({ state: "detached" });
  await opener.click();
  await page.keyboard.type("half a form");
  for (const leave of [beside, () => page.keyboard.press("Escape")]) {
    await leave();
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
  }
  await page.keyboard.type(", and the other half");
  expect(await form.locator("input").first().inputValue()).toBe("half a form, and the other half");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await form.waitFor({ state: "detached" });
  await page.locator("button:focus").filter({ hasText: "New token" }).waitFor();
});

test.each([
  [502, "A server in front of Intake answered 502."],
  [200, "A server in front of Intake answered with a page of its own."],
])("a page that a proxy answers with %p is told as one, and the call can be tried again", async (status, told) => {
  // The document of a board carries the board, so the page makes the call only when one comes from another page.
  await page.goto(`${scene.server.url}/runs`);
  await page.route("**/internal/boards/**", (route) =>
    route.fulfill({ status, contentType: "text/html", body: "<h1>Bad gateway, or sign in</h1>" }),
  );
  await page.locator(`.rail a[href="${scene.board}"]`).click();
  await page.getByText(told).waitFor();
  expect(await page.textContent("#main")).not.toContain("internal_error");
  await page.unroute("**/internal/boards/**");
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForSelector(".column .card");
});
