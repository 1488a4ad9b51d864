import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { addMember } from "../../../server/accounts/add-member.ts";
import { removeMember } from "../../../server/accounts/remove-member.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { type Installation, install } from "../../support/installation.ts";
import { signIn } from "../../support/sign-in.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium, openPage } from "../chromium.ts";
import { shoot } from "../shoot.ts";

setDefaultTimeout(180_000);

const email = "admin@example.org";
const password = "correct horse battery";
const script = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;

let installation: Installation;
let server: RunningBinary;
let browser: Browser;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder, ["--rate-limits", "off"]);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await installation.remove();
});

interface Visit extends BrowserContextOptions {
  as?: "admin" | "member";
  /** Messages with which the browser reports answers that are errors. */
  failures?: number;
}

/** Opens a page, signed in or not, and expects no error on the page at the end. */
async function visit(path: string, work: (page: Page) => Promise<void>, { as, failures = 0, ...options }: Visit = {}) {
  const { page, complaints, origins, close } = await openPage(browser, "about:blank", options);
  origins.clear();
  try {
    if (as) await enter(page, as);
    await page.goto(server.url + path);
    await page.waitForSelector("#main h1");
    await work(page);
    const failed = complaints.filter((text) => text.includes("Failed to load resource"));
    expect(complaints.filter((text) => !failed.includes(text))).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(failures);
    expect([...origins]).toEqual([server.url]);
    expect(await page.evaluate("window.broken")).toBeUndefined();
  } finally {
    await close();
  }
}

async function enter(page: Page, role: "admin" | "member") {
  const { cookie } = await signIn({ installation }, role);
  const [, value = ""] = /__Host-intake=(\w+)/.exec(cookie) ?? [];
  const url = server.url.replace("http:", "https:");
  await page
    .context()
    .addCookies([{ name: "__Host-intake", value, url, secure: true, httpOnly: true, sameSite: "Lax" }]);
}

async function expectAccessible(page: Page) {
  expect(await violationsIn(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}

const link = (url: string) => new URL(url).pathname + new URL(url).hash;

describe("signing in", () => {
  test("by keyboard alone, and back to what was wanted", () =>
    visit("/settings/profile?from=a-link", async (page) => {
      await page.waitForSelector("h1:text-is('Sign in to Example')");
      await page.keyboard.type(email);
      await page.keyboard.press("Tab");
      await page.keyboard.type(password);
      // All that the page asks for: what is answered after signing out is refused.
      const answers = ["/me", "/me/factors", "/me/identities", "/sessions"].map((path) =>
        page.waitForResponse(`${server.url}/internal${path}`),
      );
      await page.keyboard.press("Enter");
      await page.waitForSelector("h1:text-is('Profile')");
      for (const answer of await Promise.all(answers))
        expect([answer.url(), answer.status()]).toEqual([answer.url(), 200]);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/settings/profile?from=a-link");
      await page.click("text=Sign out");
      await page.waitForSelector("h1:text-is('Sign in to Example')");
      expect(await page.context().cookies()).toEqual([]);
    }));

  test("says one thing for every failure, keeps what was typed, and counts the wait down", () =>
    visit(
      "/sign-in?next=/%09/elsewhere.example.org/",
      async (page) => {
        await page.fill("input[type=email]", "nobody@example.org");
        for (let i = 0; i < 5; i++) {
          await page.fill("[autocomplete=current-password]", `wrong password ${i}`);
          await page.click("[type=submit]");
          await page.waitForSelector("[type=submit]:not([disabled])");
          expect(await page.textContent("[role=alert]")).toContain("E-mail or password is wrong.");
        }
        expect(await page.inputValue("input[type=email]")).toBe("nobody@example.org");
        expect(await page.evaluate("document.activeElement.autocomplete")).toBe("current-password");
        let waits = false;
        const told = page
          .locator("form", { hasText: /Too many tries. Next one in \d+ s/ })
          .filter({ has: page.locator("[type=submit][disabled]") })
          .waitFor()
          .then(() => {
            waits = true;
          });
        // The wait of two seconds may be over when a busy machine presses the button; each further one is twice as long.
        while (!waits) {
          await page.click("[type=submit]");
          await Promise.race([told, page.waitForSelector("[type=submit]:not([disabled])")]);
        }
        await page.waitForSelector("text=You can try again now.");
        await page.fill("input[type=email]", email);
        await page.fill("[autocomplete=current-password]", password);
        await page.click("[aria-label='Show password']");
        expect(await page.getAttribute("[autocomplete=current-password]", "type")).toBe("text");
        await page.click("[type=submit]");
        await page.waitForURL((url) => url.pathname !== "/sign-in");
        expect(new URL(page.url()).origin).toBe(server.url);
      },
      { failures: 10 },
    ));

  test("on plain http between machines too", async () => {
    const { page, close } = await openPage(browser, "about:blank");
    try {
      const address = server.url.replace("127.0.0.1", "intake.test");
      await page.goto(`${address}/settings/profile`);
      await page.fill("input[type=email]", email);
      await page.fill("[autocomplete=current-password]", password);
      await page.click("[type=submit]");
      await page.waitForSelector("h1:text-is('Profile')");
      expect((await page.context().cookies()).map(({ name, secure }) => [name, secure])).toEqual([["intake", false]]);
      await page.waitForSelector("text=This page is not encrypted.");
    } finally {
      await close();
    }
  });
});

describe("invitations", () => {
  test("an admin makes a link, a person joins by it, and it is spent then", async () => {
    let url = "";
    await visit(
      "/settings/members",
      async (page) => {
        await page.waitForSelector("table");
        await page.keyboard.press("n");
        await page.waitForSelector("[role=dialog]");
        await page.keyboard.type(script.slice(0, 80));
        await page.keyboard.press("Tab");
        await page.keyboard.type("joins@example.org");
        await page.keyboard.press("Enter");
        await page.waitForSelector(".secret code");
        url = (await page.textContent(".secret code")) ?? "";
        expect(await page.evaluate("document.activeElement.textContent")).toBe("Copy link");
        await page.keyboard.press("Escape");
        await page.waitForSelector("[role=dialog]", { state: "detached" });
        expect(await page.content()).not.toContain(url);
        await page.waitForSelector("tr:has-text('joins@example.org') :text('Invited')");
      },
      { as: "admin" },
    );
    await visit(
      link(url),
      async (page) => {
        await page.waitForSelector("h1:text-is('Join Example')");
        await page.fill("[autocomplete=name]", "Joined");
        await page.fill("[autocomplete=new-password]", "password1234");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=This password is one of the first that guessers try");
        expect(await page.inputValue("[autocomplete=name]")).toBe("Joined");
        await page.fill("[autocomplete=new-password]", "tractor lemon seven");
        await page.keyboard.press("Enter");
        await page.waitForSelector("nav[aria-label=Main]");
        expect(page.url()).not.toContain(new URL(url).hash);
      },
      { failures: 1 },
    );
    await visit(
      link(url),
      async (page) => {
        await page.waitForSelector("h1:text-is('This link does not work')");
        expect(await page.textContent(".rest")).toContain("Ask an admin for a new one.");
      },
      { failures: 1 },
    );
  });

  test("a reset: the password and sessions are void, a new one is chosen", async () => {
    const { ctx } = installation;
    const { id, inviteUrl } = await addMember({
      ctx,
      input: { email: "reset@example.org", name: "Reset me", role: "member" },
    });
    await visit(link(inviteUrl), async (page) => {
      await page.fill("[autocomplete=new-password]", "tractor lemon seven");
      await page.click("[type=submit]");
      await page.waitForSelector("nav[aria-label=Main]");
    });
    expect(id).toBeString();
    let url = "";
    await visit(
      "/settings/members",
      async (page) => {
        await page.click("tr:has-text('reset@example.org') [aria-haspopup]");
        await page.click("[role=menuitem]:text('Reset password')");
        expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel");
        await page.click(".dialog :text-is('Reset password')");
        url = (await page.textContent(".secret code")) ?? "";
      },
      { as: "admin" },
    );
    await visit(link(url), async (page) => {
      await page.waitForSelector("h1:text-is('Choose a new password')");
      await page.fill("[autocomplete=new-password]", "another tractor seven");
      await page.click("[type=submit]");
      await page.waitForSelector("nav[aria-label=Main]");
    });
  });
});

describe("members", () => {
  test("of two windows, one shows what the other did", async () => {
    const { ctx } = installation;
    await addMember({ ctx, input: { email: "watched@example.org", name: "Watched", role: "member" } });
    await visit(
      "/settings/members",
      async (page) => {
        const other = await page.context().newPage();
        await other.goto(`${server.url}/settings/members`);
        await other.waitForSelector("tr:has-text('watched@example.org') >> text=Member");
        await page.click("tr:has-text('watched@example.org') [aria-haspopup]");
        await page.click("[role=menuitem]:text('Make admin')");
        await page.click(".dialog :text-is('Make admin')");
        await page.waitForSelector("text=Watched is an admin.");
        await other.waitForSelector("tr:has-text('watched@example.org') >> text=/^Admin$/");
        // Changes that the command line makes appear too.
        const { items } = {
          items: await ctx.store.all<{ id: string }>("select id from member where email = 'watched@example.org'"),
        };
        await removeMember({ ctx, input: { id: items[0]?.id ?? "" } });
        await page.waitForSelector("tr:has-text('Watched')", { state: "detached" });
      },
      { as: "admin" },
    );
  });

  test("the last admin reads why not", () =>
    visit(
      "/sign-in",
      async (page) => {
        await page.fill("input[type=email]", email);
        await page.fill("[autocomplete=current-password]", password);
        await page.click("[type=submit]");
        await page.waitForURL((url) => url.pathname !== "/sign-in");
        await page.goto(`${server.url}/settings/members`);
        await page.click(`tr:has-text('${email}') [aria-haspopup]`);
        await page.click("[role=menuitem]:text('Make member')");
        await page.click(".dialog :text-is('Make member')");
        await page.waitForSelector("text=This is the only admin. Make someone else admin first.");
      },
      { failures: 1 },
    ));

  test("after an hour the password is asked for in place, and the form is not lost", () =>
    visit(
      "/sign-in",
      async (page) => {
        await page.fill("input[type=email]", email);
        await page.fill("[autocomplete=current-password]", password);
        await page.click("[type=submit]");
        await page.waitForURL((url) => url.pathname !== "/sign-in");
        await installation.ctx.store.write(function* (tx) {
          yield* tx.run("update session set password_at = 1");
        });
        await page.goto(`${server.url}/settings/members`);
        await page.click("text=Invite");
        await page.waitForSelector("[role=dialog]");
        await page.keyboard.type("Late");
        await page.keyboard.press("Tab");
        await page.keyboard.type("late@example.org");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=Your password, once more");
        await page.keyboard.type("wrong");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=The password is wrong.");
        await page.fill("[role=dialog] [autocomplete=current-password]", password);
        await page.keyboard.press("Enter");
        await page.waitForSelector(".secret code");
        expect(await page.textContent("[role=dialog] h1")).toBe("A link for Late");
      },
      { failures: 2 },
    ));

  test("a member reads who could", () =>
    visit(
      "/settings/members",
      async (page) => {
        await page.waitForSelector("text=/Only admins can manage members. Admins here: .*admin/");
        expect(await page.locator("table, .btn.primary").count()).toBe(0);
        await page.goto(`${server.url}/settings/audit`);
        await page.waitForSelector("text=Only admins can read the audit log.");
      },
      // Both documents are 403.
      { as: "member", failures: 2 },
    ));
});

describe("one's own", () => {
  test("sessions: one that is revoked elsewhere brings the sign-in to its open page", () =>
    visit(
      "/settings/sessions",
      async (page) => {
        await page.waitForSelector("text=This one");
        expect(await page.locator("tbody tr").count()).toBe(1);
        await installation.ctx.store.write(function* (tx) {
          yield* tx.run("delete from session");
        });
        await page.waitForSelector("h1:text-is('Sign in to Example')");
      },
      { as: "member", failures: 10 },
    ));

  test("nor does a page go on that asks for nothing, when its member is removed", () =>
    visit(
      "/settings/appearance",
      async (page) => {
        await page.waitForSelector("text=Live");
        const row = await installation.ctx.store.one<{ id: string }>("select max(id) as id from member");
        await removeMember({ ctx: installation.ctx, input: { id: row?.id ?? "" } });
        await page.waitForSelector("h1:text-is('Sign in to Example')");
        expect(await page.locator(".rail").count()).toBe(0);
      },
      // The refused stream, and the request that asks for the reason.
      { as: "member", failures: 2 },
    ));

  test("a session is revoked from the list", () =>
    visit(
      "/sign-in",
      async (page) => {
        const other = await openPage(browser, `${server.url}/sign-in`);
        for (const one of [other.page, page]) {
          await one.fill("input[type=email]", email);
          await one.fill("[autocomplete=current-password]", password);
          await one.click("[type=submit]");
          await one.waitForURL((url) => url.pathname !== "/sign-in");
        }
        await page.goto(`${server.url}/settings/sessions`);
        await page.waitForSelector("tr:has-text('Chrome'):has-text('Linux'):has-text('127.0.0.0/24')");
        await page.click("text=Revoke all others");
        await page.click(".dialog .solid-danger");
        await page.waitForSelector("text=/session(s)? ended/");
        await other.page.waitForSelector("h1:text-is('Sign in to Example')");
        await other.close();
        expect(await page.locator("tbody tr").count()).toBe(1);
      },
      { failures: 0 },
    ));

  test("appearance holds from the first paint on", () =>
    visit(
      "/settings/appearance",
      async (page) => {
        const canvas = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
        expect(await canvas()).toBe("rgb(243, 245, 244)");
        await page.click("label:has-text('Dark')");
        expect(await canvas()).toBe("rgb(13, 19, 18)");
        await page.click("label:has-text('Off')");
        await page.reload();
        expect(await page.getAttribute("html", "data-theme")).toBe("dark");
        expect(await canvas()).toBe("rgb(13, 19, 18)");
        await page.keyboard.press("?");
        expect(await page.locator("[role=dialog]").count()).toBe(0);
        await page.focus("input[name=theme]:checked");
        await page.keyboard.press("ArrowLeft");
        expect(await page.getAttribute("html", "data-theme")).toBe("light");
      },
      { as: "member" },
    ));

  test("the audit log is filtered in the address and can be taken along", () =>
    visit(
      "/settings/audit?action=organisation",
      async (page) => {
        await page.waitForSelector("text=set up the organisation");
        expect(await page.locator("tbody tr").count()).toBe(1);
        await page.selectOption("select >> nth=1", "run");
        await page.waitForSelector("text=No entry matches this filter.");
        expect(new URL(page.url()).searchParams.get("action")).toBe("run");
        await page.click("text=Clear the filter");
        await page.waitForSelector("tbody tr:nth-child(3)");
        const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Export CSV")]);
        expect(file.suggestedFilename()).toBe("intake-audit.csv");
      },
      { as: "admin" },
    ));
});

for (const width of [1440, 390]) {
  test(`${width} px: axe finds nothing in either theme, nothing sticks out`, async () => {
    const options = {
      viewport: { width, height: width === 1440 ? 900 : 844 },
      reducedMotion: "reduce",
    } as const;
    const look = (page: Page, name: string) =>
      inBothThemes(page, async (theme) => {
        await expectAccessible(page);
        await shoot(page, `people-${name}-${theme}-${width}`);
      });
    await visit(
      "/sign-in",
      async (page) => {
        await look(page, "sign-in");
      },
      options,
    );
    const { ctx } = installation;
    const { inviteUrl } = await addMember({
      ctx,
      input: { email: `${crypto.randomUUID()}@example.org`, name: "مرحبا".repeat(12), role: "admin" },
    });
    await visit(
      `/invite${new URL(inviteUrl).hash}`,
      async (page) => {
        await page.waitForSelector("form");
        await look(page, "invite");
      },
      options,
    );
    await visit(
      "/invite#nothing",
      async (page) => {
        await page.waitForSelector("h1:text-is('This link does not work')");
        await look(page, "spent");
      },
      { ...options, failures: 1 },
    );
    for (const role of ["admin", "member"] as const) {
      // What both roles may see looks the same.
      const own = role === "admin" ? ["profile", "sessions", "appearance"] : [];
      const names = ["members", "audit", ...own];
      await visit(
        "/settings",
        async (page) => {
          for (const name of names) {
            await page.goto(`${server.url}/settings/${name}`);
            await page.waitForSelector("table, form, fieldset, .state");
            await look(page, `${name}-${role}`);
          }
        },
        // These documents answer a member with 403, which the browser reports.
        { ...options, as: role, failures: role === "admin" ? 0 : names.length },
      );
    }
    await visit(
      "/settings/members",
      async (page) => {
        await page.click(".head .btn");
        await page.waitForSelector("[role=dialog]");
        await look(page, "dialog");
      },
      { ...options, as: "admin" },
    );
  });
}
