import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { subscribe } from "../../support/deliveries.ts";
import { answering, type Behaviour, Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { launchChromium } from "../chromium.ts";
import { blamed, openSettings, report, type SettingsScene, setSettingsScene } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

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

/** A subscriber to reports, apart from those of other tests. */
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
    await page.getByRole("alert").getByText("--webhook-allow 10.0.0.7/32").waitFor();
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
    await page.locator(".delivery", { hasText: "Out of memory in ImageDecoder" }).waitFor();
    await page.keyboard.press("j");
    // Opened while it is under way, it shows what will be sent: its signature is made with each attempt.
    await page.locator(".detail .pill", { hasText: "Delivered" }).waitFor();
    expect(page.url()).toContain("/deliveries/");
    const sent = (await page.locator(".detail pre").first().textContent()) ?? "";
    expect(sent).toContain(to.requests[0]?.body.toString() ?? "nothing came");
    expect(sent).toContain("webhook-signature: v1,");
    expect(await page.locator(".retry-timeline rect.accepted").count()).toBe(1);
  });
});

test("what failed shows its retries and the answer as text, and is sent again on demand", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(failing, "failing");
  await report(scene, "HTTP 502 from /v2/checkout/confirm");
  await on(`/subscribers/${id}`, async (page) => {
    await page.locator(".delivery .text-warn", { hasText: "in " }).first().waitFor();
    await page.locator(".delivery").click();
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
      ctx.now() + 535_000,
    ]),
  );
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("5 failures in a row since").waitFor();
    expect(await page.locator(".note").textContent()).toMatch(
      /the next leaves in 8 m \d+ s.*1 delivery waits and loses no attempt/,
    );
    await page.getByRole("link", { name: "Subscribers , 1 subscriber does not get what is sent" }).waitFor();
    const [badge, err] = await page.evaluate<string[]>(
      "['.rail .alarm', '.subscriber-present .pill.err'].map((which) => getComputedStyle(document.querySelector(which)).color)",
    );
    expect(badge).toBe(err as string);
    to.behave = answering("200 OK", [], "");
    await page.getByRole("button", { name: "Probe now" }).click();
    await page.locator(".subscriber-head .pill", { hasText: "Active" }).waitFor();
  });
});

test("the last attempt comes first with its whole answer, then what waits, then what was attempted before what is held", async () => {
  await removeAll();
  const answer = JSON.stringify({ error: "queue <b>full</b>", limits: { left: 0 }, padding: "x".repeat(12_000) });
  const { id, receiver: to } = await subscriber(
    answering("503 Service Unavailable", ["content-type: application/json", "x-queue: crash"], answer),
    "whole answer",
  );
  await report(scene, "The one that was tried");
  const { ctx } = scene.installation;
  await until(async () => (await ctx.store.one("select 1 as made from last_attempt")) ?? undefined);
  await ctx.store.write((tx) =>
    tx.run("update subscriber set failures = 16, failing_since = $2, openings = 1, open_until = $3 where id = $1", [
      id,
      ctx.now() - 3_600_000,
      ctx.now() + 535_000,
    ]),
  );
  for (let i = 0; i < 6; i++) await report(scene, `Held ${i}`);
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("16 failures in a row since").waitFor();
    const last = page.locator(".subscriber-present .last");
    expect(await last.locator(".pill.err").textContent()).toBe("503");
    const shown = (await last.locator("pre").textContent()) ?? "";
    expect(shown).toContain("HTTP 503\ncontent-type: application/json\nx-queue: crash\n");
    expect(shown).toContain(
      '{\n  "error": "queue <b>full</b>",\n  "limits": {\n    "left": 0\n  },\n  "padding": "xxx',
    );
    expect(shown).toContain(`${"x".repeat(12_000)}"\n}`);
    expect(await last.locator("pre b").count()).toBe(0);
    expect(await page.locator(".waits").textContent()).toMatch(
      /^Waiting7Oldest.+Next tryin 8 m.*Attempts, 48 h1, 0 % accepted$/,
    );
    await page.locator(".subscriber-head", { hasText: "48 h0 %of 1 attempt" }).waitFor();
    expect(await page.locator(".health").getAttribute("aria-label")).toContain("0 % of the attempts accepted");
    await page.locator(".delivery", { hasText: "Held 5" }).waitFor();
    expect(await page.locator(".delivery .title").allTextContents()).toEqual([
      "The one that was tried",
      ...Array.from({ length: 6 }, (_, i) => `Held ${i}`),
    ]);
    const tops = await page.evaluate<number[]>(
      "['.note-row', '.subscriber-present', '.delivery'].map((which) => document.querySelector(which).getBoundingClientRect().top)",
    );
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    // Later deliveries appear without a reload.
    to.behave = answering("200 OK", [], "");
    await page.getByRole("button", { name: "Probe now" }).click();
    await last.locator(".pill.ok", { hasText: "200" }).waitFor();
    expect(await last.locator("pre").textContent()).toContain("(no body)");
  });
});

test("one that was never tried says so", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "never tried");
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("None was made yet.").waitFor();
    await page.locator(".subscriber-head", { hasText: "48 hno attempt" }).waitFor();
    expect(await page.locator(".health").getAttribute("aria-label")).toBe("No attempt in 48 hours");
  });
});

test("where there is no room for two panes a delivery is a view of its own", async () => {
  await removeAll();
  const { id } = await subscriber(failing, "narrow");
  await report(scene, "Keychain item not found");
  await on(`/subscribers/${id}`, async (page) => {
    await page.setViewportSize({ width: 800, height: 900 });
    await page.locator(".delivery").click();
    await page.locator(".retry-timeline").waitFor();
    expect(await page.locator(".subscriber-present").count()).toBe(0);
    const box = await page.locator(".detail").boundingBox();
    expect(box?.width).toBe(584);
    await page.getByRole("link", { name: "Back to deliveries" }).click();
    await page.locator(".subscriber-present").waitFor();
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
    await page.locator(".delivery .text-err", { hasText: "dead, 500" }).waitFor();
    await page.getByRole("button", { name: "Replay since…" }).click();
    await page.getByText("1 delivery").waitFor();
    expect(await page.locator(".dialog").textContent()).toContain("with the same webhook-id");
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("No delivery is of this kind.").waitFor();
    await page.getByRole("tab", { name: "Delivered" }).click();
    await page.locator(".delivery .text-ok", { hasText: "200" }).waitFor();
  });
});

test("what it missed while it was disabled is counted, and sent when it is enabled", async () => {
  await removeAll();
  const { id, receiver: to } = await subscriber(undefined, "asleep");
  const { ctx } = scene.installation;
  const disable = () =>
    ctx.store.write((tx) =>
      tx.run("update subscriber set state = 'disabled', reason = 'answered 410 Gone' where id = $1", [id]),
    );
  await disable();
  await ctx.store.write((tx) => tx.run("delete from event"));
  for (const title of ["First that was missed", "Second that was missed"]) await report(scene, title);
  await on(`/subscribers/${id}`, async (page) => {
    await page.locator(".note").getByRole("button", { name: "Enable…" }).click();
    await page.getByText("2 reports").waitFor();
    // Whoever unchecks the box is told that the missed reports are not sent.
    const wanted = page.getByRole("checkbox", { name: "Send what was missed while it was disabled" });
    await wanted.uncheck();
    await page.getByText("are not sent.").waitFor();
    await wanted.check();
    await page.getByLabel("Missed since").fill("2020-01-01T00:00");
    await page.getByText("2 reports").waitFor();
    await page.getByRole("button", { name: "Enable and send" }).click();
    await page.locator(".subscriber-head .pill", { hasText: "Active" }).waitFor();
    await to.until(({ requests }) => requests.length === 2);
    await page.locator(".delivery", { hasText: "Second that was missed" }).waitFor();
    await disable();
    await page.reload();
    await page.locator(".note").getByRole("button", { name: "Enable…" }).click();
    await page.getByText("It has missed nothing since then.").waitFor();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await page.locator(".subscriber-head .pill", { hasText: "Active" }).waitFor();
  });
  expect(to.requests).toHaveLength(2);
});

test("an address that may not be reached any more is named on the page, with what would allow it", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "inside");
  const { ctx } = scene.installation;
  await ctx.store.write((tx) => tx.run("update subscriber set url = 'https://10.0.0.7/hook' where id = $1", [id]));
  await report(scene, "It cannot be told");
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByText("10.0.0.7 is not a public address; --webhook-allow 10.0.0.7/32").first().waitFor();
  });
});

test("it is paused, resumed, renamed, its secret rotated, and removed", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "to be changed");
  await on(`/subscribers/${id}`, async (page) => {
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused by Ann Admin.").waitFor();
    await page.locator(".note").getByRole("button", { name: "Resume" }).click();
    await page.locator(".subscriber-head .pill", { hasText: "Active" }).waitFor();
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

test("a subscriber that is removed is not loaded again, however late the answer comes", async () => {
  await removeAll();
  const { id } = await subscriber(undefined, "to be removed");
  await on(`/subscribers/${id}`, async (page) => {
    await page.route(`**/internal/subscribers/${id}`, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      const response = await route.fetch();
      // Longer than a page waits after a change before it loads again.
      await Bun.sleep(800);
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "More on to be removed" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByLabel("Type to be removed to confirm").fill("to be removed");
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
