import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, CDPSession, Page } from "playwright-core";
import { setSetting } from "../../../server/core/settings.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { forgetUsedCodes, joined, presentCode } from "../../support/factors.ts";
import { type Installation, install } from "../../support/installation.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";

// A browser on a busy machine takes its time, and a password too.
setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
let browser: Browser;
let url: string;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder, ["--rate-limits", "off"]);
  // Passkeys are bound to a host name, which an address is not.
  url = server.url.replace("127.0.0.1", "localhost");
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await installation.remove();
});

async function expectAccessible(page: Page) {
  await inBothThemes(page, async () => {
    expect(await violationsIn(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });
}

/** An authenticator of the machine, as a laptop with a fingerprint reader has one. */
async function authenticatorOf(page: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

async function givePassword(page: Page, { email, password }: { email: string; password: string }) {
  await page.fill("input[type=email]", email);
  await page.fill("[autocomplete=current-password]", password);
  await page.keyboard.press("Enter");
}

/** The key of the app that is being set up. */
async function keyShown(page: Page): Promise<string> {
  return ((await page.textContent(".dialog code")) ?? "").replaceAll(" ", "");
}

async function codesShown(page: Page): Promise<string[]> {
  return ((await page.textContent(".secret code")) ?? "").trim().split(/\s+/);
}

/** Signs out, does something on the sign-in page, and opens the profile, which asks for a sign-in in its place. */
async function signOut(page: Page, then?: () => Promise<unknown>) {
  await page.click("button:text-is('Sign out')");
  await page.waitForSelector("h1:text-is('Sign in to Example')");
  await then?.();
  await page.goto(`${url}/settings/profile`);
}

const unexpected = (complaints: string[]) => complaints.filter((text) => !text.includes("Failed to load resource"));

test("a person adds a passkey by keyboard, keeps the recovery codes, and signs in with it alone and as second factor", async () => {
  const person = await joined({ installation });
  const { page, complaints, close } = await openPage(browser, `${url}/settings/profile`);
  const { session, authenticatorId } = await authenticatorOf(page);
  await givePassword(page, person);
  await page.waitForSelector("h2:text-is('Passkeys and second factor')");
  await expectAccessible(page);

  await page.focus("button:text-is('Add a passkey')");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Add a passkey')");
  await page.keyboard.type("Laptop");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Your recovery codes')");
  await expectAccessible(page);
  await shoot(page, "recovery-codes");
  const codes = await codesShown(page);
  expect(codes.length).toBe(10);
  await page.keyboard.press("Escape");
  await page.click("button:text-is('Close anyway')");
  await page.waitForSelector("b:text-is('Laptop')");
  await page.waitForSelector("text=10 codes left");
  await shoot(page, "factors");
  const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
  expect(credentials).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);

  // The authenticator answers by itself or not at all, as a person who looks at the fingerprint reader or away.
  const answers = (enabled: boolean) =>
    session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  // Where the address is typed the browser offers the passkey, and it is taken.
  await answers(false);
  await signOut(page, () => answers(true));
  await page.waitForSelector("h1:text-is('Profile')");
  await page.waitForSelector(`dd:text-is('${person.email}')`);

  // The button does the same where nobody takes the offer.
  await answers(false);
  await signOut(page);
  await page.waitForSelector("button:has-text('Sign in with a passkey')");
  await expectAccessible(page);
  await shoot(page, "sign-in-passkey");
  await page.focus("button:has-text('Sign in with a passkey')");
  await answers(true);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text-is('Profile')");

  // The password alone is not enough any more.
  await answers(false);
  await signOut(page);
  await page.waitForSelector("button:has-text('Sign in with a passkey')");
  await givePassword(page, person);
  await page.waitForSelector("text=Now your second factor.");
  await expectAccessible(page);
  await shoot(page, "second-step");
  await answers(true);
  await page.click("button:has-text('Use a passkey')");
  await page.waitForSelector("h1:text-is('Profile')");
  expect(unexpected(complaints)).toEqual([]);
  await close();
});

test("an app is set up on a phone from its picture or key; its code finishes the sign-in, and a wrong one is told", async () => {
  const person = await joined({ installation });
  const { page, complaints, close } = await openPage(browser, `${url}/settings/profile`);
  await page.setViewportSize({ width: 390, height: 844 });
  await givePassword(page, person);
  await page.click("button:text-is('Set up an authenticator app')");
  await page.waitForSelector(".dialog svg[role=img]");
  await expectAccessible(page);
  await shoot(page, "app-phone");
  const secret = await keyShown(page);
  expect(await page.getAttribute(".dialog a", "href")).toContain(`secret=${secret}`);
  await page.fill(".dialog input", presentCode(secret));
  await page.click(".dialog button[type=submit]");
  await page.waitForSelector("h1:text-is('Your recovery codes')");
  await expectAccessible(page);
  const [recovery = ""] = await codesShown(page);
  await page.click(".dialog button:text-is('Close')");
  await page.click("button:text-is('Close anyway')");
  await page.waitForSelector("text=gives codes of six digits");
  await expectAccessible(page);

  await signOut(page);
  await givePassword(page, person);
  await page.waitForSelector("text=Now your second factor.");
  await page.waitForFunction("document.activeElement.autocomplete === 'one-time-code'");
  await page.keyboard.type("000000");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=The code is wrong, or was used before.");
  await expectAccessible(page);
  await shoot(page, "second-step-phone");
  await page.fill("[autocomplete=one-time-code]", recovery);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=9 codes left");

  // What could do harm asks for both an hour later.
  await installation.ctx.store.write((tx) =>
    tx.run("update session set password_at = 0 where member_id = $1", [person.id]),
  );
  await forgetUsedCodes({ installation }, person.id);
  await page.getByRole("button", { name: "Remove the authenticator app" }).click();
  await page.click(".dialog button:text-is('Remove')");
  await page.waitForSelector("h1:text-is('Your password, once more')");
  await page.waitForSelector(".dialog [autocomplete=one-time-code]");
  await expectAccessible(page);
  await shoot(page, "confirm-phone");
  await page.fill(".dialog [type=password]", person.password);
  await page.fill(".dialog [autocomplete=one-time-code]", presentCode(secret));
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=With a passkey you sign in by a finger");
  expect(unexpected(complaints)).toEqual([]);
  await close();
});

test("somebody without a password confirms with the passkey, and then chooses a first password", async () => {
  const person = await joined({ installation });
  const { page, complaints, close } = await openPage(browser, `${url}/settings/profile`);
  await authenticatorOf(page);
  await givePassword(page, person);
  await page.click("button:text-is('Add a passkey')");
  await page.waitForSelector("h1:text-is('Add a passkey')");
  await page.keyboard.type("Phone");
  await page.keyboard.press("Enter");
  await page.click(".dialog button:text-is('Close')");
  await page.click("button:text-is('Close anyway')");
  await installation.ctx.store.write(function* (tx) {
    yield* tx.run("update member set password_hash = null where id = $1", [person.id]);
    yield* tx.run("update session set password_at = 0 where member_id = $1", [person.id]);
  });
  await page.reload();
  await page.waitForSelector("button:text-is('Choose a password')");
  await page.fill("[autocomplete=new-password]", "a battery of horses");
  await page.click("button:text-is('Choose a password')");
  await page.waitForSelector("h1:text-is('Who are you, once more')");
  await expectAccessible(page);
  await page.click("button:text-is('Confirm with a passkey')");
  await page.waitForSelector("text=Your password is chosen.");
  await page.waitForSelector("button:text-is('Change password')");
  expect(unexpected(complaints)).toEqual([]);
  await close();
});

test("an admin without a second factor is led to one right after signing in, and is then where the address led", async () => {
  const admin = await joined({ installation }, "admin");
  await setSetting({ ctx: installation.ctx, input: { name: "admin_second_factor", value: "on" } });
  try {
    const { page, complaints, close } = await openPage(browser, `${url}/settings/members`);
    await givePassword(page, admin);
    await page.waitForSelector("h1:text-is('Set up a second factor')");
    await page.waitForSelector("button:text-is('Set up an authenticator app')");
    await expectAccessible(page);
    await shoot(page, "must-enrol");
    await page.goto(`${url}/settings/audit`);
    await page.waitForSelector("h1:text-is('Set up a second factor')");
    await page.goto(`${url}/settings/members`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click("button:text-is('Set up an authenticator app')");
    await page.waitForSelector(".dialog code");
    await expectAccessible(page);
    const secret = await keyShown(page);
    await page.fill(".dialog input", presentCode(secret));
    await page.keyboard.press("Enter");
    await page.click("button:text-is('Close')");
    await page.click("button:text-is('Close anyway')");
    await page.waitForSelector("h1:text-is('Members')");
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await shoot(page, "members-factors");

    // Another admin's lost factors are mended here.
    const lost = await joined({ installation });
    await installation.ctx.store.write((tx) =>
      tx.run(
        `insert into passkey (id, member_id, credential_id, public_key, counter, transports, name, created_at)
         values ('p', $1, 'c', $2, 0, '[]', 'Lost', 0)`,
        [lost.id, new Uint8Array([1])],
      ),
    );
    await page.reload();
    const row = page.locator("tr", { hasText: lost.email });
    await row.locator("text=Second factor: 1 passkey").waitFor({ state: "attached" });
    await row.getByRole("button", { name: "Acts on Ada" }).click();
    await page.getByRole("menuitem", { name: "Reset second factors" }).click();
    await page.click("button:text-is('Reset factors')");
    await page.waitForSelector("text=Ada signs in without a second factor now.");
    await row.locator("text=Second factor: 1 passkey").waitFor({ state: "detached" });
    expect(unexpected(complaints)).toEqual([]);
    await close();
  } finally {
    await setSetting({ ctx: installation.ctx, input: { name: "admin_second_factor", value: "off" } });
  }
});

test("where passkeys cannot work, the pages say so and offer the app", async () => {
  const person = await joined({ installation });
  const { page, close } = await openPage(browser, `${server.url}/settings/profile`);
  await givePassword(page, person);
  await page.waitForSelector("text=Passkeys work over https at the public address");
  expect(await page.isVisible("button:text-is('Add a passkey')")).toBe(false);
  await page.waitForSelector("button:text-is('Set up an authenticator app')");
  await close();
});
