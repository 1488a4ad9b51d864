import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { type Installation, install } from "../../support/installation.ts";
import { PanvaProvider } from "../../support/panva-provider.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";

// A browser on a busy machine takes its time, and a password too.
setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
let provider: PanvaProvider;
let browser: Browser;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder, ["--rate-limits", "off", "--provider-allow", "127.0.0.0/8"]);
  provider = await PanvaProvider.start({
    redirectUris: [`${server.url}/sign-in/callback/panva`],
    postLogoutUris: [`${server.url}/sign-in`],
    logoutUri: `${server.url}/sign-in/logout/panva`,
    claimsOf: (login) => ({
      email: `${login}@example.org`,
      email_verified: true,
      name: `Person ${login}`,
      groups: login === "guest" ? [] : ["Intake staff"],
    }),
  });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), provider.stop()]);
  await installation.remove();
});

async function expectAccessible(page: Page) {
  await inBothThemes(page, async () => {
    expect(await violationsIn(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });
}

/** Signs in on the pages of the provider, and agrees to what they ask. */
async function signInThere(page: Page, login: string) {
  await page.fill("[name=login]", login);
  await page.fill("[name=password]", "any");
  await page.click("[type=submit]");
  await page.waitForSelector("[type=submit]");
  await page.click("[type=submit]");
}

test("an admin adds a provider by keyboard, checks it, and sees by a try what it tells and which role follows", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/sign-in`);
  await page.fill("input[type=email]", "admin@example.org");
  await page.fill("[autocomplete=current-password]", "correct horse battery");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Sign-in')");
  await page.waitForSelector("text=There is no provider yet.");
  await expectAccessible(page);

  await page.keyboard.press("n");
  await page.waitForSelector("h1:text-is('Add a provider')");
  await page.keyboard.type("panva");
  await page.waitForSelector(`text=${server.url}/sign-in/callback/panva`);
  await page.getByLabel("Name", { exact: true }).fill("Company account");
  await page.getByLabel("Issuer").fill(provider.url);
  await page.getByLabel("Client id").fill(provider.clientId);
  await page.getByLabel("Scopes").fill("profile email groups");
  await page.getByLabel("Groups of members").fill("Intake staff\nOthers");
  await page.getByLabel("New people").selectOption("yes");
  await page.getByLabel("Signing out ends the session of").selectOption("provider");
  await page.getByLabel("Client secret").fill(provider.secret);
  await expectAccessible(page);
  await shoot(page, "provider-form");
  await page.click(".dialog button[type=submit]");
  await page.waitForSelector("td:has-text('Company account')");
  expect(await page.content()).not.toContain(provider.secret);

  const act = async (name: string) => {
    await page.getByLabel("Actions on Company account").click();
    await page.getByRole("menuitem", { name }).click();
  };
  await act("Check the connection");
  await page.waitForSelector("text=Company account answers.");
  await act("Try it");
  await signInThere(page, "guest");
  await page.waitForSelector("h2:text-is('What panva told')");
  expect(await page.textContent("section[aria-label='What panva told']")).toContain("would be refused");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await shoot(page, "provider-tried-phone");
  // The try has signed nobody in: the admin is who they were.
  expect(await page.evaluate("fetch('/internal/me').then((answer) => answer.json()).then(({ role }) => role)")).toBe(
    "admin",
  );
  expect(complaints.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
  await close();
});

test("a person signs in with a provider and is where they wanted to go, and the provider ends the session", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/profile?from=a-link`);
  await page.waitForSelector("button:has-text('Sign in with Company account')");
  await expectAccessible(page);
  await shoot(page, "sign-in-providers");
  await page.focus("button:has-text('Sign in with Company account')");
  await page.keyboard.press("Enter");
  await signInThere(page, "grace");
  await page.waitForSelector("h1:text-is('Profile')");
  expect(page.url()).toBe(`${server.url}/settings/profile?from=a-link`);
  await page.waitForSelector("dd:has-text('grace@example.org')");
  await page.waitForSelector("h2:text-is('Identity providers')");
  await expectAccessible(page);
  // Cookies know no ports, so those of the provider are among them.
  const own = (await page.context().cookies(server.url)).map(({ name }) => name).filter((name) => /intake/.test(name));
  expect(own).toEqual(["__Host-intake"]);

  // Whoever signs out on the provider's own page is signed out here too, although Intake was not asked.
  await page.goto(`${provider.url}/session/end`);
  await page.click("[name=logout]");
  await page.waitForSelector("text=Sign-out Success");
  await page.goto(`${server.url}/settings/profile`);
  await page.waitForSelector("h1:text-is('Sign in to Example')");

  // And signing out here leads to the provider and back.
  await page.click("button:has-text('Sign in with Company account')");
  await signInThere(page, "grace");
  await page.waitForSelector("h1:text-is('Profile')");
  await page.click("text=Sign out");
  await page.waitForURL((url) => url.origin === provider.url);
  await page.click("[name=logout]");
  await page.waitForURL((url) => url.origin === server.url);
  await page.waitForSelector("h1:text-is('Sign in to Example')");
  // The provider's own page wants the focus for a field that the test may have focused already.
  const others = ["Failed to load resource", "Autofocus processing was blocked", provider.url];
  expect(complaints.filter((text) => !others.some((other) => text.includes(other)))).toEqual([]);
  await close();
});

test("who has none of the groups is told so on the sign-in page", async () => {
  const { page, close } = await openPage(browser, `${server.url}/sign-in`);
  await page.click("button:has-text('Sign in with Company account')");
  await signInThere(page, "guest");
  await page.waitForSelector("text=None of your groups at Company account may sign in here.");
  await expectAccessible(page);
  await close();
});

test("an admin confirms with the provider instead of a password, in a window beside the form, and unlinks somebody", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.url}/settings/profile`);
  await page.fill("input[type=email]", "admin@example.org");
  await page.fill("[autocomplete=current-password]", "correct horse battery");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Link Company account" }).click();
  await signInThere(page, "ada");
  await page.waitForSelector("text=You can sign in with Company account from now on.");
  await installation.ctx.store.write((tx) => tx.run("update session set password_at = 0"));

  await page.goto(`${server.url}/settings/members`);
  await page.getByLabel("Acts on Person grace").click();
  await page.getByRole("menuitem", { name: "Unlink Company account" }).click();
  await page.waitForSelector("text=Unlink Person grace from Company account?");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Unlink", exact: true }).click();
  const confirm = page.getByRole("button", { name: "Confirm with Company account instead" });
  await confirm.waitFor();
  await expectAccessible(page);
  await shoot(page, "confirm-at-provider");

  await confirm.focus();
  const [there] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("Enter")]);
  // Who is signed in at the provider already has to give the password there again.
  await there.waitForSelector("[name=login]");
  await there.fill("[name=login]", "ada");
  await there.fill("[name=password]", "any");
  await there.click("[type=submit]");
  await there.waitForSelector("text=Company account has confirmed who you are.");
  await there.close();
  await page.bringToFront();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.waitForSelector("text=Person grace is not linked to Company account any more.");
  const linked = await installation.ctx.store.all("select m.name from identity i join member m on m.id = i.member_id");
  expect(linked).toEqual([{ name: expect.not.stringContaining("grace") }]);
  const others = ["Failed to load resource", "Autofocus processing was blocked", provider.url];
  expect(complaints.filter((text) => !others.some((other) => text.includes(other)))).toEqual([]);
  await close();
});

test("somebody else's account at the provider confirms nothing, and the question stays", async () => {
  const { page, close } = await openPage(browser, `${server.url}/settings/members`);
  await page.fill("input[type=email]", "admin@example.org");
  await page.fill("[autocomplete=current-password]", "correct horse battery");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Members')");
  await installation.ctx.store.write((tx) => tx.run("update session set password_at = 0"));
  await page.getByLabel("Acts on Person grace").click();
  await page.getByRole("menuitem", { name: "Make admin" }).click();
  await page.getByRole("button", { name: "Make admin", exact: true }).click();
  const confirm = page.getByRole("button", { name: "Confirm with Company account instead" });
  const [there] = await Promise.all([page.context().waitForEvent("page"), confirm.click()]);
  await signInThere(there, "grace");
  await there.waitForSelector("text=Somebody else is signed in at Company account.");
  await there.close();
  await page.bringToFront();
  const asked = page.waitForResponse(`${server.url}/internal/me`);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await asked;
  await confirm.waitFor();
  const admins = await installation.ctx.store.all("select id from member where role = 'admin' and removed_at is null");
  expect(admins).toHaveLength(1);
  await close();
});
