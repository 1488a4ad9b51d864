import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { addMember } from "../../../server/accounts/add-member.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { call, cookieOf } from "../../support/call.ts";
import { adminPassword, type Installation, install } from "../../support/installation.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";

// A browser on a busy machine takes its time, and a password too.
setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
let browser: Browser;

beforeAll(async () => {
  installation = await install();
  const proxy = ["--auth-header", "X-Forwarded-Email", "--trusted-proxies", "127.0.0.1"];
  server = await serve(installation.folder, ["--rate-limits", "off", ...proxy]);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await installation.remove();
});

const admin = "admin@example.org";
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };
const curl = "curl/8.0";

async function expectAccessible(page: Page) {
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport);
    await inBothThemes(page, async () => {
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    });
  }
}

/** Signs in with another browser, elsewhere. */
async function enterElsewhere(email = admin, password = adminPassword) {
  const target = { send: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
  const headers = { "user-agent": curl };
  const answer = await call(target, "POST", "/internal/session", { body: { email, password }, headers });
  expect(answer.status).toBe(200);
  return async () => {
    const { status } = await call(target, "GET", "/internal/me", { cookie: cookieOf(answer) });
    return status === 200;
  };
}

async function signIn(page: Page) {
  await page.fill("input[type=email]", admin);
  await page.fill("[autocomplete=current-password]", adminPassword);
  await page.keyboard.press("Enter");
}

test("an open page is told of a sign-in from somewhere new; by keyboard it is ended there, or called known", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/profile`, { viewport: desk });
  await signIn(page);
  await page.waitForSelector("h2:text-is('Sessions')");
  await page.waitForSelector("text=You are signed in in 1 browser.");
  expect(await page.locator("text=A new sign-in as you").count()).toBe(0);

  const isIn = await enterElsewhere();
  await page.waitForSelector("text=A new sign-in as you: curl.");
  await page.waitForSelector("text=1 sign-in may not have been you.");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Was it you?" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("h2:text-is('Was it you?')");
  await page.waitForSelector("td:has-text('with a password')");
  await expectAccessible(page);
  await shoot(page, "sessions-new-device");
  await page.getByRole("button", { name: "End it curl" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("button:has-text('End it')", { state: "detached" });
  expect(await isIn()).toBe(false);

  // It stays told until somebody says that it is known.
  await page.getByRole("button", { name: "It was me curl" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("h2:text-is('Was it you?')", { state: "detached" });
  await page.waitForSelector("text=A new sign-in as you", { state: "detached" });
  expect(complaints).toEqual([]);
  await close();
});

test("a page at which nobody has been for long says so of what it loads by itself", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/appearance`, { viewport: desk });
  await signIn(page);
  await page.waitForSelector("text=Live");
  await page.clock.install();
  /** The header of what the page loads because somebody has signed in as the same person elsewhere. */
  const loaded = async () => {
    const [request] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith("/internal/rail")),
      enterElsewhere(),
    ]);
    return (await request.allHeaders())["x-intake-unattended"];
  };
  expect(await loaded()).toBeUndefined();
  await page.clock.fastForward("06:00");
  expect(await loaded()).toBe("1");
  await page.keyboard.press("Shift");
  expect(await loaded()).toBeUndefined();
  expect(complaints).toEqual([]);
  await close();
});

test("an admin sees where a member is signed in, and ends that", async () => {
  const { ctx } = installation;
  const { inviteUrl } = await addMember({ ctx, input: { email: "max@example.org", name: "Max", role: "member" } });
  const target = { send: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
  const body = { secret: new URL(inviteUrl).hash.slice(1), password: "tractor lemon seven" };
  expect((await call(target, "POST", "/internal/invitations/accept", { body })).status).toBe(200);
  const isIn = await enterElsewhere("max@example.org", "tractor lemon seven");

  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/members`, { viewport: desk });
  await signIn(page);
  await page.getByLabel("Acts on Max").click();
  await page.getByRole("menuitem", { name: "Sessions" }).click();
  await page.waitForSelector(".dialog td:has-text('curl')");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revoke curl" }).click();
  await page.waitForSelector(".dialog td:has-text('curl')", { state: "detached" });
  expect(await isIn()).toBe(false);
  await page.click("text=End 1 session");
  await page.waitForSelector("text=Nobody is signed in as this person.");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".dialog", { state: "detached" });
  expect(complaints).toEqual([]);
  await close();
});

test("whom the access proxy names is signed in where they wanted to go, and stays out after signing out", async () => {
  await addMember({
    ctx: installation.ctx,
    input: { email: "ada@example.org", name: "Ada Proxied", role: "admin" },
  });
  const extraHTTPHeaders = { "X-Forwarded-Email": "Ada@example.org" };
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/sessions`, {
    viewport: desk,
    extraHTTPHeaders,
  });
  await page.waitForSelector("td:has-text('by the access proxy')");
  expect(new URL(page.url()).pathname).toBe("/settings/sessions");

  // A session that ends while the page is open goes on when somebody asks for it, and not by itself.
  await installation.ctx.store.write((tx) => tx.run("delete from session where method = 'proxy'"));
  await page.getByRole("button", { name: "Sign in with the access proxy" }).click();
  await page.waitForSelector("td:has-text('by the access proxy')");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForSelector("text=The access proxy still knows you");
  expect(page.url()).toEndWith("/sign-in?signed-out");
  await expectAccessible(page);
  await shoot(page, "proxy-signed-out");
  await page.getByRole("button", { name: "Sign in with the access proxy" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname !== "/sign-in");

  // An hour later nobody asks for a password that this person does not have.
  await installation.ctx.store.write((tx) => tx.run("update session set password_at = password_at - 3700000"));
  await page.goto(`${server.url}/settings/members`);
  await page.getByLabel("Acts on Ada Proxied").click();
  await page.getByRole("menuitem", { name: "Leave" }).click();
  await page.click(".solid-danger");
  await page.waitForSelector("text=It is me: go on without a password");
  await expectAccessible(page);
  await page.click("text=It is me: go on without a password");
  await page.waitForSelector(".dialog", { state: "detached" });
  expect(complaints.filter((text) => !/40[13]/.test(text))).toEqual([]);
  await close();
});

test("who is not a member, or is named in an unclear way, is told so by the page", async () => {
  for (const [value, told] of [
    ["eve@example.org", "Nobody here has the e-mail address that the access proxy knows you by."],
    ["eve@example.org, admin@example.org", "The access proxy does not say with one e-mail address who you are."],
  ] as const) {
    const { page, close } = await openPage(browser, server.url, {
      viewport: phone,
      extraHTTPHeaders: { "X-Forwarded-Email": value },
    });
    await page.waitForSelector(`text=${told}`);
    expect(await page.locator("[autocomplete=current-password]").count()).toBe(1);
    expect(await page.content()).not.toContain("eve@");
    await expectAccessible(page);
    await close();
  }
});
