import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { hashPassword } from "../../../server/accounts/passwords.ts";
import { updateToken } from "../../../server/credentials/update-credential.ts";
import { newToken } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { launchChromium } from "../chromium.ts";
import { blamed, openSettings, type SettingsScene, setSettingsScene, statusWith, usedToken } from "./settings-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: SettingsScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setSettingsScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

type Options = Parameters<typeof openSettings>[4] & { who?: "admin" | "member" };

/** Works on a page and expects no error on it at the end. */
async function on(path: string, work: (page: Page) => Promise<void>, { who = "admin", ...options }: Options = {}) {
  const { page, complaints, origins, close } = await openSettings(browser, scene, scene[who], path, options);
  try {
    await page.waitForSelector("#main h1");
    await work(page);
    expect(blamed(complaints)).toEqual([]);
    expect(origins.size).toBe(1);
  } finally {
    await close();
  }
}

async function create(page: Page, name: string): Promise<string> {
  await page.keyboard.press("n");
  await page.keyboard.type(name);
  await page.getByLabel("All projects, also ones made later").check();
  await page.getByRole("button", { name: "Create token" }).click();
  return (await page.textContent(".secret code")) ?? "";
}

/** Waits until the list has this many tokens. */
function counted(rows: Locator, count: number) {
  return until(async () => ((await rows.count()) === count ? true : undefined));
}

const rowOf = (page: Page, name: string) => page.locator("tbody tr", { hasText: name });

async function act(page: Page, name: string, what: string) {
  await rowOf(page, name)
    .getByRole("button", { name: `Actions on ${name}` })
    .click();
  await page.getByRole("menuitem", { name: what }).click();
}

test("a token is made by keyboard alone, is shown once, and is nowhere after Close", () =>
  on(
    "/settings/tokens",
    async (page) => {
      await page.waitForSelector("table");
      const bodies: { url: string; method: string; text: Promise<string> }[] = [];
      page.on("response", (response) => {
        const request = response.request();
        if (request.url().endsWith("/internal/live") || request.url().includes("/internal/live?")) return;
        bodies.push({ url: request.url(), method: request.method(), text: response.text().catch(() => "") });
      });
      await page.keyboard.press("n");
      await page.keyboard.type("deploy-gate");
      // From the name to the first choice of reach, and on to the button.
      await page.keyboard.press("Tab");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".secret");
      const token = (await page.textContent(".secret code")) ?? "";
      expect(token).toMatch(/^itk_[0-9A-Za-z]{36}$/);
      expect(await page.textContent(".dialog footer")).toContain("Not copied yet");
      // The focus is on the button that copies.
      await page.keyboard.press("Enter");
      await page.getByText("Copied").first().waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
      await page.keyboard.press("Escape");
      await page.waitForSelector(".dialog", { state: "detached" });
      expect(await statusWith(scene, token)).toBe(201);

      await rowOf(page, "deploy-gate").getByRole("link").first().click();
      await page.getByText("Fingerprint").first().waitFor();
      await page.goBack();
      await page.waitForSelector("table");
      const seen = await page.evaluate(
        "document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage, history.state, location.href, document.title])",
      );
      expect(seen).not.toContain(token);
      const holding = (await Promise.all(bodies.map(async (body) => ({ ...body, text: await body.text })))).filter(
        ({ text, url }) => text.includes(token) || url.includes(token),
      );
      expect(holding.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(["POST /internal/tokens"]);
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ));

test("whoever closes without a copy is asked, by button, by Escape and by a link alike", () =>
  on("/settings/tokens", async (page) => {
    const token = await create(page, "uncopied");
    await page.keyboard.press("Escape");
    await page.getByText("Close without copying?").waitFor();
    expect(await page.textContent("body")).toContain("The token cannot be shown again.");
    await page.keyboard.press("Escape");
    await page.getByText("Close without copying?").waitFor({ state: "detached" });
    expect(await page.textContent(".secret code")).toBe(token);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.waitForSelector(".dialog", { state: "detached" });
    expect(await page.content()).not.toContain(token);
  }));

/** Lets the first such call reach the server, and drops its answer. */
async function loseFirstAnswer(page: Page, address: string) {
  let lost = false;
  await page.route(address, async (route) => {
    if (lost || route.request().method() !== "POST") return route.fallback();
    lost = true;
    await route.fetch();
    await route.abort();
  });
}

test("a token whose answer got lost is named, and revoked before another is made", async () => {
  const { page, close } = await openSettings(browser, scene, scene.admin, "/settings/tokens");
  await page.waitForSelector("table");
  await loseFirstAnswer(page, "**/internal/tokens");
  await page.keyboard.press("n");
  await page.keyboard.type("unseen");
  await page.getByLabel("All projects, also ones made later").check();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/A token named unseen was created at .*; its text was not shown\./).waitFor();
  await page.getByRole("button", { name: "Revoke it and create another" }).click();
  await page.waitForSelector(".secret");
  const made = await tokensNamed("unseen");
  expect(made.map(({ revoked_at }) => revoked_at !== null)).toEqual([true, false]);
  await close();
});

test("an SDK key whose answer got lost is made once", async () => {
  const { page, close } = await openSettings(browser, scene, scene.admin, "/settings/keys");
  await page.getByRole("button", { name: /^New key/ }).waitFor();
  await loseFirstAnswer(page, "**/internal/keys");
  await page.keyboard.press("n");
  await page.getByRole("dialog").getByLabel("Name").fill("unseen key");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The key is ready.").waitFor();
  const keys = await scene.installation.ctx.store.all("select id from sdk_key where name = 'unseen key'", []);
  expect(keys.length).toBe(1);
  await close();
});

function tokensNamed(name: string) {
  const sql = "select revoked_at from api_token where name = $1 order by id";
  return scene.installation.ctx.store.all<{ revoked_at: number | null }>(sql, [name]);
}

test("on plain http, where there is no clipboard to write to, the copy works", () =>
  on(
    "/settings/tokens",
    async (page) => {
      expect(await page.evaluate("navigator.clipboard")).toBeUndefined();
      const token = await create(page, "plain");
      await page.getByRole("button", { name: "Copy token" }).click();
      await page.getByText("Copied").first().waitFor();
      await page.keyboard.press("Escape");
      await page.waitForSelector(".dialog", { state: "detached" });
      await page.keyboard.press("/");
      await page.keyboard.press("Control+v");
      expect(await page.inputValue("input[type=search]")).toBe(token);
    },
    { plain: true },
  ));

test("a change is shown before it is saved, and holds on the next request", () =>
  on("/settings/tokens", async (page) => {
    const { token } = await newToken(scene.installation, { name: "to be changed" });
    await rowOf(page, "to be changed").waitFor();
    await act(page, "to be changed", "Change name, reach, scopes");
    await page.getByLabel("tickets:write").uncheck();
    expect(await page.textContent(".changes")).toContain("Scopes: tickets:write → none");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved. It holds from the next request.").first().waitFor();
    expect(await statusWith(scene, token)).toBe(403);
    await rowOf(page, "to be changed").getByText("none").waitFor();
  }));

test("a revoke names what it breaks, wants the name of a token in use, and holds at once, in other windows too", () =>
  on("/settings/tokens", async (page) => {
    const { token } = await usedToken(scene, "in use");
    const other = await openSettings(browser, scene, scene.admin, "/settings/tokens");
    await rowOf(other.page, "in use").waitFor();
    await rowOf(page, "in use").getByText("127.0.0.0/24").waitFor();
    await act(page, "in use", "Revoke");
    const button = page.getByRole("button", { name: "Revoke token" });
    expect(await page.textContent(".dialog")).toContain("from 127.0.0.0/24");
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel("Type in use to confirm").fill("in use");
    await button.click();
    await rowOf(page, "in use").getByText("Revoked").waitFor();
    expect(await statusWith(scene, token)).toBe(401);
    await rowOf(other.page, "in use").getByText("Revoked").waitFor();
    await rowOf(page, "in use").getByText("1 call after revoke, last from 127.0.0.0/24").waitFor();
    await other.close();
  }));

test("a replacement is another token with the same settings", () =>
  on("/settings/tokens", async (page) => {
    const { token } = await newToken(scene.installation, { name: "lost one" });
    await rowOf(page, "lost one").waitFor();
    await act(page, "lost one", "Replace");
    expect(await page.textContent(".dialog")).toContain("a retry sent with the new one creates a new ticket");
    await page.getByRole("button", { name: "Create the replacement" }).click();
    const next = (await page.textContent(".secret code")) ?? "";
    expect([await statusWith(scene, token), await statusWith(scene, next)]).toEqual([201, 201]);
    expect(next).not.toBe(token);
  }));

test("the log tells of each request, says why, and is filtered by keyboard", async () => {
  const { id, token } = await usedToken(scene, "logged");
  await on(`/settings/tokens/${id}`, async (page) => {
    const rows = page.locator("tbody tr:not(.reason)");
    await counted(rows, 3);
    expect(await page.textContent("tbody")).toContain("Key reused with another body.");
    expect(await rows.first().textContent()).toContain("there is no such project");
    await page.getByRole("tab", { name: "All" }).focus();
    for (const [name, count] of [
      ["Errors", 1],
      ["Replays", 1],
      ["Mismatches", 1],
    ] as const) {
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tab", { name, selected: true }).waitFor();
      await counted(rows, count);
    }
    expect(new URL(page.url()).search).toBe("?filter=mismatches");
    await page.keyboard.press("ArrowRight");
    await statusWith(scene, token);
    await counted(rows, 4);
  });
});

test("J and K go from row to row, and Enter opens", () =>
  on("/settings/tokens", async (page) => {
    await counted(page.locator("tbody tr").first(), 1);
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    const names = await page.locator("tbody .name").allTextContents();
    expect(names.length).toBeGreaterThan(2);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await focused()).toBe(names[1] ?? "");
    await page.keyboard.press("k");
    expect(await focused()).toBe(names[0] ?? "");
    await page.keyboard.press("Enter");
    await page.getByText("Fingerprint").first().waitFor();
  }));

test("what the command line changes shows, and text from anybody stays text", () =>
  on("/settings/tokens", async (page) => {
    const { id } = await newToken(scene.installation, { name: "from the shell" });
    await rowOf(page, "from the shell").waitFor();
    const name = '<img src=x onerror="document.title=1"> \u202Egnp.exe';
    await updateToken({ ctx: scene.installation.ctx, input: { id, change: { name } } });
    await rowOf(page, "<img src=x").waitFor();
    expect(await page.locator("tbody img").count()).toBe(0);
  }));

test("a member is told who can, and the calls say no", () =>
  on(
    "/settings/tokens",
    async (page) => {
      await page.getByText("Only admins can manage API tokens. Admins here:").waitFor();
      expect(await page.textContent("#main")).toContain("Ann Admin");
      expect(await page.getByRole("button", { name: "New token" }).count()).toBe(0);
      const answer = await page.evaluate(
        `fetch("/internal/tokens", {method: "POST", headers: {"content-type": "application/json"}, body: "{}"})
           .then(async (response) => [response.status, (await response.json()).error])
           .catch(() => undefined)`,
      );
      expect(answer).toEqual([403, "permission_denied"]);
    },
    { who: "member" },
  ));

test("the password is asked for again in place, and the form is kept", async () => {
  const { ctx } = scene.installation;
  const { id } = scene.admin;
  // Who has no password is not asked for one.
  const hash = await hashPassword("correct horse battery");
  await ctx.store.write(function* (tx) {
    yield* tx.run("update session set password_at = 0 where member_id = $1", [id]);
    yield* tx.run("update member set password_hash = $2 where id = $1", [id, hash]);
  });
  const { page, close } = await openSettings(browser, scene, scene.admin, "/settings/tokens");
  await page.waitForSelector("table");
  await page.keyboard.press("n");
  await page.keyboard.type("after an hour");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Your password, once more").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Your password, once more").waitFor({ state: "detached" });
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("after an hour");
  await ctx.store.write((tx) =>
    tx.run("update session set password_at = $2 where member_id = $1", [scene.admin.id, ctx.now()]),
  );
  await page.getByRole("button", { name: "Create token" }).click();
  await page.waitForSelector(".secret");
  await close();
});

test("pausing a key asks for it too, and goes on where it was asked", async () => {
  const { ctx } = scene.installation;
  const { id } = scene.admin;
  const password = "correct horse battery";
  const hash = await hashPassword(password);
  await ctx.store.write(function* (tx) {
    yield* tx.run("update session set password_at = 0 where member_id = $1", [id]);
    yield* tx.run("update member set password_hash = $2 where id = $1", [id, hash]);
  });
  const { page, close } = await openSettings(browser, scene, scene.admin, "/settings/keys");
  await page.waitForSelector("table");
  await act(page, "First key", "Pause");
  await page.getByText("Your password, once more").waitFor();
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForSelector(".toast:has-text('Paused. Apps are told to come back later.')");
  await act(page, "First key", "Resume");
  await page.waitForSelector(".toast:has-text('Resumed.')");
  await close();
});
