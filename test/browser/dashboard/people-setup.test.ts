import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { newDataFolder } from "../../support/installation.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";

setDefaultTimeout(180_000);

let browser: Browser;
let undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  browser = await launchChromium();
});

afterEach(async () => {
  for (const one of undo.reverse()) await one();
  undo = [];
});

afterAll(() => browser.close());

/** A server without an organisation, and its link. */
async function fresh(): Promise<{ server: RunningBinary; link: string }> {
  const { folder, remove } = await newDataFolder();
  const server = await serve(folder);
  undo.push(async () => {
    await server.stop();
    await remove();
  });
  return { server, link: readFileSync(`${folder}/setup-link`, "utf8").trim() };
}

async function open(url: string, options: Parameters<typeof openPage>[2] = {}) {
  const opened = await openPage(browser, url, options);
  undo.push(() => opened.close());
  return opened;
}

/** Answers the questions with the keyboard alone. */
async function answer(page: Page, email = "ada@example.org") {
  await page.waitForSelector("h1:text-is('Set up Intake')");
  await page.keyboard.type("Example org");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Who looks after it?')");
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type("tractor lemon seven");
  await page.keyboard.press("Enter");
}

async function run(command: string): Promise<string> {
  const child = Bun.spawn(["bash", "-c", command], { stdout: "pipe", stderr: "ignore" });
  return new Response(child.stdout).text();
}

test("from the link to the first ticket and report, with the commands as they are copied", async () => {
  const { server, link } = await fresh();
  const { page, complaints, origins } = await open(link, { permissions: ["clipboard-read", "clipboard-write"] });
  await answer(page);
  await page.waitForSelector("h1:text-is('Send something in')");
  expect(page.url()).toBe(`${server.url}/setup`);
  await page.waitForSelector("text=Waiting for your first ticket");
  await page.waitForSelector("text=Nothing has come in yet.");

  const copied = async (tile: string, button: string) => {
    await page.click(`[aria-label='${tile}'] ${button} .btn`);
    await page.waitForSelector(`[aria-label='${tile}'] ${button} .btn:has-text('Copied')`);
    return page.evaluate<string>("navigator.clipboard.readText()");
  };
  const token = await copied("First ticket", ".secret");
  expect(token).toMatch(/^itk_\w{36}$/);
  const command = await copied("First ticket", ".code-block");
  expect(command).toContain(token);
  const visible = await page.textContent("[aria-label='First ticket'] .code-block");
  expect(visible).not.toContain(token);

  await run(command.replace('"title"', '"tilte"'));
  await page.waitForSelector(".arrivals >> text=/tilte This field is not known/");
  const first = JSON.parse(await run(command)) as { id: string };
  const created = performance.now();
  await page.waitForSelector("text=Your first ticket is here");
  await page.waitForSelector(".arrived >> text=Hello from my terminal");
  // The page is told, and does not find out when it asks again after half a minute.
  expect(performance.now() - created).toBeLessThan(25_000);
  expect(JSON.parse(await run(command))).toEqual(first);
  await page.waitForSelector(".arrivals >> text=replayed");

  const report = await copied("First report", ".code-block");
  await run(report.replace(/isk_\w+/, token));
  await page.waitForSelector("text=This is an API token; reports need an SDK key.");
  expect(await run(report)).toContain('"status":"received"');
  await page.waitForSelector("text=Your first report is here");
  await page.waitForSelector(".arrived >> text=First crash");
  expect(await page.textContent(".arrivals")).not.toContain(token);

  await page.click("button:text-is('Open the board')");
  await page.waitForURL(/\/boards\//);
  expect(await page.content()).not.toContain(token);
  const kept = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])",
  );
  expect(kept).not.toMatch(/itk_|isk_/);
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([server.url]);
});

test("leaving without a copy is asked about once", async () => {
  const { link } = await fresh();
  const { page } = await open(link);
  await answer(page);
  await page.waitForSelector("h1:text-is('Send something in')");
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked++;
    void dialog.accept();
  });
  await page.click("button:text-is('Open the board')");
  await page.waitForSelector("text=The API token cannot be shown again.");
  await page.keyboard.press("Escape");
  await page.waitForSelector("[role=dialog]", { state: "detached" });
  await page.click("button:text-is('Open the board')");
  await page.click("text=Leave this page");
  await page.waitForURL(/\/boards\//);
  expect(asked).toBe(0);
});

test("of two tabs one sets up, and the other one reads why not; what was typed stays", async () => {
  const { server, link } = await fresh();
  const [one, two] = [await open(link), await open(link)];
  await two.page.waitForSelector("h1:text-is('Set up Intake')");
  await answer(one.page);
  await one.page.waitForSelector("h1:text-is('Send something in')");
  await answer(two.page, "second@example.org");
  await two.page.waitForSelector("text=Setup links work once and for 30 minutes.");
  expect(await two.page.inputValue("input[type=email]")).toBe("second@example.org");
  // With an organisation there is nothing left to set up.
  await two.page.goto("about:blank");
  await two.page.goto(link);
  await two.page.waitForURL(/\/sign-in$/);
  const stranger = await open(`${server.url}/setup#anything`);
  await stranger.page.waitForURL(/\/sign-in$/);
});

test("a link that lost its end says so, and a wrong one makes nothing", async () => {
  const { server } = await fresh();
  const { page } = await open(`${server.url}/setup`);
  await page.waitForSelector("text=The link is not whole");
  const wrong = await open(`${server.url}/setup#${"x".repeat(43)}`);
  await answer(wrong.page);
  await wrong.page.waitForSelector("text=Setup links work once and for 30 minutes.");
  const signIn = await open(server.url);
  await signIn.page.waitForSelector("h1:text-is('Not set up yet')");
});

for (const width of [1440, 390]) {
  test(`${width} px: axe finds nothing in any step in either theme, nothing sticks out`, async () => {
    const { link } = await fresh();
    const { page } = await open(link, { viewport: { width, height: 900 }, reducedMotion: "reduce" });
    const look = (name: string) =>
      inBothThemes(page, async (theme) => {
        await shoot(page, `setup-${name}-${theme}-${width}`, { fullPage: true });
        expect(await violationsIn(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      });
    await page.waitForSelector("form");
    await look("organisation");
    await page.fill("[autocomplete=organization]", "W".repeat(80));
    await page.fill("[type=url]", `https://${"long.".repeat(20)}example.org`);
    await page.click("text=Continue");
    await page.fill("[type=email]", `${"long".repeat(20)}@example.org`);
    await page.fill("[autocomplete=new-password]", "password1234");
    await page.click("text=/^Set up$/");
    await page.waitForSelector("[role=alert]");
    await look("admin");
    await page.fill("[autocomplete=new-password]", "tractor lemon seven");
    await page.click("text=/^Set up$/");
    await page.waitForSelector("h1:text-is('Send something in')");
    const token = (await page.textContent(".tile .secret code")) ?? "";
    const address = new URL(link).origin;
    await fetch(`${address}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: `<b onclick=alert(1)>${"title".repeat(30)}` }),
    });
    await page.waitForSelector(".arrived");
    await look("send");
  });
}
