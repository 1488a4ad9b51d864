import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { subscribe } from "../../support/deliveries.ts";
import { answering, type Behaviour, Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { launchChromium } from "../chromium.ts";
import { blamed, openSettings, report, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(60_000);

let scene: SettingsScene;
let browser: Browser;
const receivers: Receiver[] = [];
const failing = answering(
  "500 Internal Server Error",
  ["content-type: text/html"],
  "<b onclick=x>queue unavailable</b>",
);

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function on(path: string, work: (page: Page) => Promise<void>, who: "admin" | "member" = "admin") {
  const { page, complaints, origins, close } = await openSettings(browser, scene, scene[who], path);
  try {
    await page.waitForSelector("h1");
    await work(page);
    expect(blamed(complaints)).toEqual([]);
    expect(origins.size).toBe(1);
  } finally {
    await close();
  }
}

async function receiver(behave?: Behaviour): Promise<Receiver> {
  const made = await Receiver.listen(behave ? { behave } : {});
  receivers.push(made);
  return made;
}

/** One that is told of reports, and of no other test's. */
async function subscriber(behave: Behaviour | undefined, name: string) {
  const made = await receiver(behave);
  const { id } = await subscribe(scene.installation, { url: made.url(), types: ["report.received"], name });
  return { id, receiver: made };
}

async function removeAll() {
  await scene.installation.ctx.store.write((tx) => tx.run("delete from subscriber"));
}

test("one is made by keyboard; a bad address keeps the form, the secret is shown once, the test answers in place", async () => {
  await removeAll();
  const to = await receiver();
  await on("/subscribers", async (page) => {
    await page.getByText("Nobody is told of reports yet.").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("https://10.0.0.7/hook");
    await page.keyboard.press("Tab");
    await page.keyboard.type("crash-triage");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("address").waitFor();
    const address = page.getByLabel("Address");
    expect(await address.inputValue()).toBe("https://10.0.0.7/hook");
    await address.fill(to.url());
    await page.keyboard.press("Enter");
    await page.getByText("The secret is ready").waitFor();
    const secret = (await page.textContent(".secret code")) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.getByRole("link", { name: "crash-triage" }).click();
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByText("The test was accepted: 200").waitFor();
    expect(to.requests.at(-1)?.body.toString()).toContain("webhook.test");
    expect(await page.content()).not.toContain(secret);
  });
});

test("a delivery arrives on the open page, and shows what was sent, byte for byte", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(undefined, "told");
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("Nothing was sent to it yet.").waitFor();
    await report(scene, "Out of memory in ImageDecoder");
    await page.locator(".del", { hasText: "Out of memory in ImageDecoder" }).waitFor();
    await page.keyboard.press("j");
    await page.locator(".detail pre").first().waitFor();
    expect(page.url()).toContain("/deliveries/");
    const sent = (await page.locator(".detail pre").first().textContent()) ?? "";
    expect(sent).toContain(to.requests[0]?.body.toString() ?? "nothing came");
    expect(sent).toContain("webhook-signature: v1,");
    await page.locator(".detail .pill", { hasText: "Delivered" }).waitFor();
    expect(await page.locator(".ladder rect.v").count()).toBe(1);
  });
});

test("what failed shows its ladder and the answer as text, and is sent again on demand", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(failing, "failing");
  await report(scene, "HTTP 502 from /v2/checkout/confirm");
  await on(`/subscribers/${id}`, async (page) => {
    await page.locator(".del .t-warn", { hasText: "in " }).first().waitFor();
    await page.locator(".del").click();
    await page.locator(".detail .pill", { hasText: /Waiting for attempt \d/ }).waitFor();
    expect(await page.locator(".detail").textContent()).toContain("<b onclick=x>queue unavailable</b>");
    expect(await page.locator(".detail b[onclick]").count()).toBe(0);
    to.behave = answering("204 No Content", [], "");
    await page.getByRole("button", { name: "Send now" }).click();
    await page.locator(".detail .pill", { hasText: "Delivered" }).waitFor();
  });
});

test("one that backs off says so with its times, and is probed", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(failing, "backing off");
  await report(scene, "Keychain item not found");
  const { ctx } = scene.installation;
  await until(async () => (await ctx.store.one("select 1 as made from attempt")) ?? undefined);
  await ctx.store.write((tx) =>
    tx.run("update subscriber set failures = 5, failing_since = $2, openings = 1, open_until = $3 where id = $1", [
      id,
      ctx.now(),
      ctx.now() + 500_000,
    ]),
  );
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("5 failures in a row.").waitFor();
    expect(await page.locator(".note").textContent()).toMatch(
      /the next leaves in 8 m \d+ s.*1 delivery waits and loses no attempt/,
    );
    await page.locator(".rail .t-err", { hasText: "1 !" }).waitFor();
    to.behave = answering("200 OK", [], "");
    await page.getByRole("button", { name: "Probe now" }).click();
    await page.locator(".sub-head .pill", { hasText: "Active" }).waitFor();
  });
});

test("what was given up is counted, and goes out again", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(failing, "dead ones");
  await report(scene, "Disk full while writing offline draft");
  const { ctx } = scene.installation;
  await until(async () => (to.requests.length > 0 ? true : undefined));
  await until(async () => {
    const row = await ctx.store.one("select id from delivery where state = 'waiting'");
    return row ?? undefined;
  });
  await ctx.store.write((tx) =>
    tx.run("update delivery set state = 'dead', ended_at = $2 where subscriber_id = $1", [id, ctx.now()]),
  );
  to.behave = answering("200 OK", [], "");
  await on(`/subscribers/${id}?state=dead`, async (page) => {
    await page.locator(".del .t-err", { hasText: "dead, 500" }).waitFor();
    await page.getByRole("button", { name: "Replay since…" }).click();
    await page.getByText("1 delivery").waitFor();
    expect(await page.locator(".dialog").textContent()).toContain("with the same webhook-id");
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("No delivery is of this kind.").waitFor();
    await page.getByRole("tab", { name: "Delivered" }).click();
    await page.locator(".del .t-ok", { hasText: "200" }).waitFor();
  });
});

test("it is paused, resumed, renamed, its secret rotated, and removed", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "to be changed");
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused by Ann Admin.").waitFor();
    await page.locator(".note").getByRole("button", { name: "Resume" }).click();
    await page.locator(".sub-head .pill", { hasText: "Active" }).waitFor();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Name" }).fill("renamed");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.locator(".crumbs b", { hasText: "renamed" }).waitFor();
    const more = async (what: string) => {
      await page.getByRole("button", { name: "More on renamed" }).click();
      await page.getByRole("menuitem", { name: what }).click();
    };
    await more("Rotate secret");
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByText("Both secrets sign until").first().waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await more("Remove");
    await page.getByLabel("Type renamed to confirm").fill("renamed");
    await page.getByRole("button", { name: "Remove subscriber" }).click();
    await page.getByText("Nobody is told of reports yet.").waitFor();
  });
});

test("members see that somebody is told, and no address", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "for members");
  await on(
    "/subscribers",
    async (page) => {
      await page.getByText("for members").waitFor();
      expect(await page.content()).not.toContain("/hook");
      expect(await page.getByRole("link", { name: "for members" }).count()).toBe(0);
      expect(await page.getByRole("button", { name: "New subscriber" }).count()).toBe(0);
    },
    "member",
  );
  const { page, close } = await openSettings(browser, scene, scene.member, `/subscribers/${id}`);
  await page.getByText("Only admins can look into subscribers. Admins here:").waitFor();
  await close();
});
