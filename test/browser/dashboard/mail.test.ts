import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { setSetting } from "../../../server/core/settings.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { Authority } from "../../support/certificates.ts";
import { type Installation, install } from "../../support/installation.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../../support/mail-server.ts";
import { until } from "../../support/until.ts";
import { inBothThemes } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";
import { newPerson, type Person } from "./board-scene.ts";
import { blamed, faultsOf, openSettings, type SettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

const authority = new Authority();
const secret = "a password that nobody may see";
let installation: Installation;
let server: RunningBinary;
let mails: TestMailServer;
let browser: Browser;
let admin: Person;

beforeAll(async () => {
  installation = await install();
  admin = await newPerson(installation, "Ann Admin", "admin");
  mails = await startMailServer({ certificate: authority.issue(["DNS:localhost"]), password: secret });
  const ca = join(installation.folder, "authority.pem");
  writeFileSync(ca, authority.cert);
  server = await serve(installation.folder, ["--mail-ca", ca]);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await mails.stop();
  authority.remove();
  await installation.remove();
});

async function on(path: string, work: (page: Page) => Promise<void>, width = 1440) {
  const scene = { installation, server } as SettingsScene;
  const viewport = { width, height: 900 };
  const { page, complaints, origins, close } = await openSettings(browser, scene, admin, path, { viewport });
  try {
    await page.waitForSelector("#main h1");
    await work(page);
    expect(blamed(complaints)).toEqual([]);
    expect(origins.size).toBe(1);
  } finally {
    await close();
  }
}

async function set(page: Page, name: string, value: string) {
  await page.locator(`#setting-${name}`).fill(value);
  await page.keyboard.press("Enter");
  await page.getByText("Saved. It holds from the next request.").first().waitFor();
  await page.locator(".setting button:text-is('Save')").waitFor({ state: "detached" });
}

test("an admin sets up the mail server, sends a test mail, and reads what is wrong and what to do", () =>
  on("/settings/mail", async (page) => {
    await page.getByText("Nothing is mailed yet").waitFor();
    await set(page, "smtp_host", "localhost");
    await set(page, "smtp_port", `${mails.port}`);
    await set(page, "smtp_user", "intake");
    await page.locator("#setting-mail_from").fill("no address");
    await page.keyboard.press("Enter");
    await page.getByText("the value must be one e-mail address").waitFor();
    await set(page, "mail_from", "intake@example.org");
    await page.getByText("Links are not mailed").waitFor();

    const tested = page.getByRole("status").filter({ hasText: "mail" });
    await page.getByRole("button", { name: "Send a test mail" }).click();
    await tested.getByText("smtp_user is set, and no password").waitFor();
    await page.locator("#mail-password").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("One is stored. It is never shown.").waitFor();
    await page.getByRole("button", { name: "Send a test mail" }).click();
    await tested.getByText("the mail server refused the user or the password").waitFor();
    expect(await tested.textContent()).toContain(
      `Before that it worked: connected to localhost:${mails.port}, encrypted`,
    );

    await page.locator("#mail-password").fill(secret);
    await page.keyboard.press("Enter");
    await until(async () => (await page.inputValue("#mail-password")) === "" || undefined);
    await page.getByLabel("To", { exact: true }).fill("ada@example.org");
    await page.getByRole("button", { name: "Send a test mail" }).click();
    await tested.getByText("The mail server has accepted the mail to ada@example.org.").waitFor();
    expect(mails.accepted).toMatchObject([{ to: ["ada@example.org"], user: "intake", secure: true }]);
    await page.reload();
    await page.getByText("One is stored. It is never shown.").waitFor();
    expect(await page.content()).not.toContain(secret);
  }));

test("an invitation is mailed and listed; whoever forgot the password is mailed a link and signs in with it", async () => {
  await setSetting({ ctx: installation.ctx, input: { name: "public_url", value: server.url } });
  const email = "carol@example.org";
  const newest = async () => {
    const mail = await until(() => mails.accepted.findLast(({ to }) => to.includes(email)));
    return /http:\S+/.exec(textOfMail(mail.source))?.[0] ?? "";
  };
  await on("/settings/members", async (page) => {
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText("The link is mailed, and shown to you.").waitFor();
    await page.getByLabel("Name").fill("Carol");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Make the link" }).click();
    await page.getByText("It is mailed as well.").waitFor();
    expect(await newest()).toBe((await page.textContent(".secret code")) ?? "");
  });
  await on(
    "/settings/mail",
    async (page) => {
      await page.getByText("Join Example on Intake").waitFor();
      await page.getByText("Accepted", { exact: true }).waitFor();
      await inBothThemes(page, async (theme) => {
        await shoot(page, `mail-${theme}-390`, { fullPage: true });
        expect(await faultsOf(page)).toEqual([]);
      });
    },
    390,
  );

  const { page, complaints, close } = await openPage(browser, await newest(), {
    viewport: { width: 390, height: 844 },
  });
  try {
    await page.fill("[autocomplete=new-password]", "tractor lemon seven");
    await page.click("[type=submit]");
    await page.waitForURL((url) => url.pathname !== "/invite");
    await page.context().clearCookies();
    await page.goto(`${server.url}/sign-in`);
    await page.getByText("Forgot your password?").click();
    await inBothThemes(page, async (theme) => {
      await shoot(page, `forgotten-${theme}-390`);
      expect(await faultsOf(page)).toEqual([]);
    });
    await page.getByLabel("Your e-mail address").fill(email);
    await page.keyboard.press("Enter");
    await page.getByText(`If ${email} is a member’s address, a mail with a link is on its way.`).waitFor();
    const link = await until(async () => ((await newest()).includes("/reset#") ? newest() : undefined));
    await page.goto(link);
    await page.fill("[autocomplete=new-password]", "another lemon seven");
    await page.click("[type=submit]");
    await page.waitForURL((url) => url.pathname !== "/reset");
    await page.goto(link);
    await page.getByText("This link does not work").waitFor();
    // Without a session the page is told so, and a link that was used is not found.
    expect(blamed(complaints).filter((text) => !/status of 40[14]/.test(text))).toEqual([]);
  } finally {
    await close();
  }
});
