import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, type Watched } from "../chromium.ts";
import { freshBoard, internal, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;
let watched: Watched[] = [];

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

type Seed = Parameters<typeof seedCards>[1][number];

/** Opens a card in a window of its own. At the end no window may have errors or have sent requests to other hosts. */
async function onCard(
  work: (page: Page, id: string, board: Scene) => Promise<void>,
  {
    seed = { title: "Unit tests fail", description: "Since **build 12**." } as Seed,
    refused = [] as number[],
    as = "member" as "admin" | "member",
    ...options
  }: { seed?: Seed; refused?: number[]; as?: "admin" | "member" } & Parameters<typeof openAs>[4] = {},
) {
  const board = await freshBoard(scene);
  const [id = ""] = await seedCards(board, [seed]);
  watched = [];
  try {
    await work(await openCard(id, as, options), id, board);
    const expected = (text: string) => refused.some((status) => text.includes(`status of ${status}`));
    expect(watched.flatMap(({ complaints }) => complaints.filter((text) => !expected(text)))).toEqual([]);
    for (const { origins } of watched) expect([...origins]).toEqual([scene.server.url]);
  } finally {
    for (const { close } of watched) await close();
  }
}

async function openCard(id: string, as: "admin" | "member", options: Parameters<typeof openAs>[4] = {}) {
  const opened = await openAs(browser, scene, scene[as], `/cards/${id}`, options);
  watched.push(opened);
  await opened.page.waitForSelector(".panel h1");
  return opened.page;
}

interface Stored {
  title: string;
  description: string | null;
  priority: string;
  dueAt: string | null;
  assignee: { id: string; kind: string } | null;
  version: number;
  archivedAt: string | null;
  activity: { kind: string; detail: { text?: string; mentions?: { name: string }[] } | null }[];
}
const stored = (id: string) => internal(scene, "GET", `/cards/${id}`) as Promise<Stored>;

describe("the address of a card", () => {
  test("shows it over its board; closing leaves the board", () =>
    onCard(async (page, _, board) => {
      await page.waitForSelector(".board .card:has-text('Unit tests fail')");
      expect(await page.title()).toBe("Unit tests fail · Board · Intake");
      await page.click("[aria-label='Close']");
      await page.waitForSelector(".panel", { state: "detached" });
      expect(new URL(page.url()).pathname).toBe(board.board);
    }));

  test("on a narrow window it is the page", () =>
    onCard(
      async (page) => {
        expect(await page.locator(".board").count()).toBe(0);
        const box = await page.locator(".panel").boundingBox();
        expect(box).toMatchObject({ x: 0, width: 390 });
      },
      { viewport: { width: 390, height: 844 } },
    ));

  test("of no card says that nothing is there", async () => {
    const { page, close } = await openAs(browser, scene, scene.member, `/cards/${crypto.randomUUID()}`);
    await page.waitForSelector("text=There is nothing here.");
    await close();
  });
});

describe("its text", () => {
  test("the title is changed in place with E, and goes back with Escape", () =>
    onCard(async (page, id) => {
      await page.keyboard.press("e");
      await page.waitForSelector("textarea[aria-label=Title]:focus");
      await page.keyboard.type("Another title");
      await page.keyboard.press("Enter");
      await page.waitForSelector("h1:has-text('Another title')");
      expect((await stored(id)).title).toBe("Another title");
      await page.click("h1 button");
      await page.keyboard.type("Never mind");
      await page.keyboard.press("Escape");
      await page.waitForSelector("h1:has-text('Another title')");
      expect(await stored(id)).toMatchObject({ title: "Another title", version: 2 });
    }));

  test("two people change the description: both texts are shown, and the later one decides", () =>
    onCard(
      async (page, id) => {
        await page.hover(".description");
        await page.click("[aria-label='Edit description']");
        await page.fill("textarea.tall", "Mine");
        await internal(scene, "PATCH", `/cards/${id}`, { version: 1, description: "Theirs" });
        await page.click("text=Save description");
        await page.waitForSelector(".conflict:has-text('Theirs'):has-text('Mine')");
        expect((await stored(id)).description).toBe("Theirs");
        await page.click("text=Keep mine");
        await page.waitForSelector(".markdown:has-text('Mine')");
        expect((await stored(id)).description).toBe("Mine");
      },
      { refused: [409] },
    ));

  test("a change of the title alone is no conflict for the description", () =>
    onCard(
      async (page, id) => {
        await page.hover(".description");
        await page.click("[aria-label='Edit description']");
        await page.fill("textarea.tall", "Mine");
        await internal(scene, "PATCH", `/cards/${id}`, { version: 1, title: "Their title" });
        await page.keyboard.press("Control+Enter");
        await page.waitForSelector(".markdown:has-text('Mine')");
        expect(await stored(id)).toMatchObject({ title: "Their title", description: "Mine" });
      },
      { refused: [409] },
    ));

  test("what was typed survives a reload, and nothing of it is kept once it is saved", () =>
    onCard(async (page) => {
      await page.hover(".description");
      await page.click("[aria-label='Edit description']");
      await page.fill("textarea.tall", "Half a thought");
      await page.reload();
      await page.waitForSelector("text=This is what you had typed and not saved.");
      expect(await page.inputValue("textarea.tall")).toBe("Half a thought");
      await page.click("text=Save description");
      await page.waitForSelector(".markdown:has-text('Half a thought')");
      expect(await page.evaluate("sessionStorage.length")).toBe(0);
    }));

  test("nothing that is stored runs or is asked of others, in a title, a description or a comment", () => {
    const hostile = [
      "<script>document.title = 'broken'</script>",
      "<img src=x onerror=\"document.title = 'broken'\">",
      "[click](javascript:document.title='broken')",
      "[click](java&#x0a;script:alert(1))",
      "![picture](https://elsewhere.example.org/track.png)",
      "<svg onload=alert(1)><a href='javascript:alert(1)'>x</a></svg>",
    ].join("\n\n");
    return onCard(
      async (page, id) => {
        await internal(scene, "POST", `/cards/${id}/comments`, { op: crypto.randomUUID(), text: hostile });
        await page.waitForSelector(".comment .markdown p");
        await page.waitForSelector(".description .markdown p");
        expect(await page.locator(".panel :is(script, img, svg svg, iframe)").count()).toBe(0);
        const hrefs = await page
          .locator(".markdown a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
        expect([...new Set(hrefs)]).toEqual(["https://elsewhere.example.org/track.png"]);
        expect(await page.locator(".markdown a").first().getAttribute("rel")).toBe("noopener noreferrer nofollow");
        expect(await page.title()).toBe("<b onclick=alert(1)>bold</b> · Board · Intake");
        expect(await page.textContent(".description")).toContain("<script>document.title = 'broken'</script>");
      },
      { seed: { title: "<b onclick=alert(1)>bold</b>", description: hostile } },
    );
  });

  test("right-to-left text and 20,000 characters keep the page in shape", () =>
    onCard(
      async (page) => {
        await page.waitForSelector(".description .markdown");
        const wide = await page.evaluate<number>("document.querySelector('.panel .scroll').scrollWidth");
        expect(wide).toBe(await page.evaluate<number>("document.querySelector('.panel .scroll').clientWidth"));
        expect(await page.locator(".panel h1 button:dir(rtl)").count()).toBe(1);
      },
      { seed: { title: "عنوان من اليمين إلى اليسار", description: "W".repeat(20_000) } },
    ));
});

/** Chooses an assignee by keyboard. The names are loaded beside the card, and may come after it. */
async function assign(page: Page, name: string) {
  await page.keyboard.press("a");
  await page.waitForSelector(".popover input:focus");
  await page.waitForSelector(".popover [role=option]:has-text('Ann Admin')");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
}

describe("its fields", () => {
  test("priority, dates and assignee are changed where they stand, by keyboard alone", () =>
    onCard(async (page, id) => {
      await page.keyboard.press("p");
      await page.waitForSelector(".popover [role=listbox]:focus");
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".properties .pill:has-text('High')");
      await page.keyboard.press("d");
      await page.fill(".popover label:has-text('Due') input", "2030-02-03");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".properties:has-text('Due 3 Feb 2030')");
      await assign(page, "Ann");
      await page.waitForSelector(".properties .who[title='Ann Admin']");
      const { admin } = scene;
      expect(await stored(id)).toMatchObject({ priority: "high", dueAt: "2030-02-03", assignee: { id: admin.id } });
      await page.keyboard.press("p");
      await page.waitForSelector(".popover");
      await page.keyboard.press("Escape");
      await page.waitForSelector(".popover", { state: "detached" });
      expect(await page.locator(".panel").count()).toBe(1);
    }));

  test("assigning the agent asks first, on every way to it", () =>
    onCard(async (page, id) => {
      const asked = "A run is queued now. It consumes credits and may open a pull request";
      await assign(page, "agent");
      await page.waitForSelector(`.dialog:has-text('${asked}')`);
      expect(await page.textContent(".dialog button:focus")).toBe("Cancel");
      await page.keyboard.press("Escape");
      await page.waitForSelector(".dialog", { state: "detached" });
      expect((await stored(id)).assignee).toBeNull();
      await page.keyboard.press("Escape");
      await page.waitForSelector(".panel", { state: "detached" });
      await page.click(".board .card:has-text('Unit tests fail')");
      await page.waitForSelector(".panel h1");
      await assign(page, "agent");
      await page.click(".dialog >> text=/^Assign (anyway|and queue run)$/");
      await page.waitForSelector(".box.agent:has-text('No repository is bound')");
      expect((await stored(id)).assignee?.kind).toBe("agent");
      await assign(page, "nobody");
      await page.click(".dialog >> text=Unassign and cancel");
      await page.waitForSelector(".box.agent .pill:has-text('Cancelled')");
      expect((await stored(id)).assignee).toBeNull();
    }));

  test("tokens are authors with a receipt, and nobody whom a card can be given to", () =>
    onCard(
      async (page) => {
        await page.waitForSelector(".receipt:has-text('Created once'):has-text('CI main')");
        await page.waitForSelector(".properties .who.token[title='CI main']");
        await page.keyboard.press("a");
        await page.waitForSelector(".popover [role=option]:has-text('Ann Admin')");
        expect(await page.locator(".popover [role=option]:has-text('CI main')").count()).toBe(0);
      },
      { seed: { title: "Unit tests fail", by: "token" } },
    ));
});

describe("its activity", () => {
  test("a comment is sent with Ctrl+Enter; members are mentioned, tokens never", () =>
    onCard(async (page, id) => {
      await page.click("textarea[aria-label=Comment]");
      await page.keyboard.type("@CI");
      expect(await page.locator("#comment-mentions").count()).toBe(0);
      await page.keyboard.press("Control+a");
      await page.keyboard.type("Look, @ann");
      await page.waitForSelector("#comment-mentions [role=option]:has-text('Ann Admin')");
      await page.keyboard.press("Enter");
      await page.keyboard.type("please");
      await page.keyboard.press("Control+Enter");
      await page.waitForSelector(".comment .mention:has-text('@Ann Admin')");
      const [entry] = (await stored(id)).activity;
      expect(entry).toMatchObject({
        kind: "commented",
        detail: { text: "Look, @Ann Admin please", mentions: [{ name: "Ann Admin" }] },
      });
      expect(await page.inputValue("textarea[aria-label=Comment]")).toBe("");
    }));

  const comment = (id: string, text: string, as?: "admin" | "member") =>
    internal(scene, "POST", `/cards/${id}/comments`, { op: crypto.randomUUID(), text }, as);
  const acts = "button[aria-label='Acts on this comment']";

  test("a comment of one's own is edited by keyboard, and says so; others see it at once", () =>
    onCard(async (page, id) => {
      await comment(id, "First words", "member");
      const other = await openCard(id, "admin");
      await other.waitForSelector(".comment:has-text('First words')");
      await page.waitForSelector(".comment:has-text('First words')");
      await page.focus(acts);
      await page.keyboard.press("Enter");
      await page.waitForSelector("[role=menuitem]:has-text('Edit'):focus");
      await page.keyboard.press("Enter");
      await page.waitForSelector("textarea[aria-label='Edit comment']:focus");
      await page.keyboard.type(" of @ann");
      await page.waitForSelector("#edited-mentions [role=option]:has-text('Ann Admin')");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+Enter");
      for (const window of [page, other]) {
        await window.waitForSelector(".comment:has-text('First words of @Ann Admin'):has-text('edited')");
        expect(await window.locator(".comment .mention").textContent()).toBe("@Ann Admin");
      }
      // The focus is where it was, and the card is open.
      await page.waitForSelector(`${acts}:focus`);
      expect((await stored(id)).activity[0]).toMatchObject({
        kind: "commented",
        detail: { editedAt: expect.any(String) },
      });
    }));

  test("Escape leaves the comment as it was, and the card open", () =>
    onCard(async (page, id) => {
      await comment(id, "As it was", "member");
      await page.click(acts);
      await page.click("[role=menuitem]:has-text('Edit')");
      await page.waitForSelector("textarea[aria-label='Edit comment']:focus");
      await page.keyboard.type(" or not");
      await page.keyboard.press("Escape");
      await page.waitForSelector(`${acts}:focus`);
      expect(await page.textContent(".comment")).toContain("As it was");
      expect(await page.textContent(".comment")).not.toContain("or not");
      await page.waitForSelector(".panel");
    }));

  test("a deleted comment shows who did it and not what it said, everywhere; Z takes that back", () =>
    onCard(async (page, id) => {
      await comment(id, "A slip of the tongue", "member");
      const other = await openCard(id, "admin");
      await other.waitForSelector(".comment:has-text('A slip')");
      await page.focus(acts);
      await page.keyboard.press("Enter");
      await page.waitForSelector("[role=menuitem]:has-text('Edit'):focus");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      for (const window of [page, other]) {
        await window.waitForSelector(".comment.gone:has-text('Max Member deleted this comment')");
        await window.waitForSelector(".activity li:has-text('deleted a comment')");
        expect(await window.textContent(".panel")).not.toContain("A slip");
      }
      await page.waitForSelector(".comment.gone button:has-text('Restore'):focus");
      await page.keyboard.press("z");
      for (const window of [page, other]) await window.waitForSelector(".comment:has-text('A slip of the tongue')");
      await page.waitForSelector(".activity li:has-text('restored a comment')");
    }));

  test("an admin deletes what others said, and edits none of it; members do neither", () =>
    onCard(async (page, id) => {
      await comment(id, "Said by a member", "member");
      await comment(id, "Said by an admin", "admin");
      await page.waitForSelector(".comment:has-text('Said by an admin')");
      expect(await page.locator(`.comment:has-text('Said by an admin') ${acts}`).count()).toBe(0);
      const admin = await openCard(id, "admin");
      await admin.click(`.comment:has-text('Said by a member') ${acts}`);
      expect(await admin.locator("[role=menuitem]").allTextContents()).toEqual(["Delete"]);
      await admin.click("[role=menuitem]:has-text('Delete')");
      await page.waitForSelector(".comment.gone:has-text('Ann Admin deleted this comment')");
      await page.waitForSelector(".activity li:has-text('Ann Admin deleted a comment of Max Member')");
      // An author cannot restore a comment that an admin deleted.
      expect(await page.locator(".comment.gone button").count()).toBe(0);
      await admin.click(".comment.gone button:has-text('Restore')");
      await page.waitForSelector(".comment:has-text('Said by a member')");
    }));

  test("what changes far below follows too, once one has gone that far back", () =>
    onCard(async (page, id) => {
      const first = (await comment(id, "The first of many", "member")) as { number: number };
      for (let i = 0; i < 60; i++) await comment(id, `${i}`, "admin");
      await page.click(".section button:has-text('Show older')");
      await page.waitForSelector(".comment:has-text('The first of many')");
      await internal(scene, "PATCH", `/cards/${id}/comments/${first.number}`, { text: "The first, edited" }, "member");
      await page.waitForSelector(".comment:has-text('The first, edited')");
      await page.waitForSelector(".activity li:nth-child(61)");
      expect(await page.locator(".activity li").count()).toBe(61);
    }));

  test("what somebody else does shows while one looks", () =>
    onCard(async (page, id, board) => {
      await internal(scene, "PATCH", `/cards/${id}`, { priority: "low" });
      await page.waitForSelector(".activity:has-text('changed the priority from None to Low')");
      await internal(scene, "POST", `/cards/${id}/move`, {
        columnId: board.columns["Done"],
        after: null,
        op: crypto.randomUUID(),
      });
      await page.waitForSelector(".activity:has-text('moved it from Backlog to Done')");
      await page.waitForSelector(".properties .pill:has-text('Done')");
    }));
});

describe("putting it away", () => {
  test("archived and deleted cards say so, and come back", () =>
    onCard(async (page, id) => {
      await page.click("[aria-label='More acts']");
      await page.click("[role=menuitem]:has-text('Archive')");
      await page.waitForSelector(".note:has-text('This card was archived')");
      await page.keyboard.press("z");
      await page.waitForSelector(".note", { state: "detached" });
      expect((await stored(id)).archivedAt).toBeNull();
      await page.click("[aria-label='More acts']");
      await page.click("[role=menuitem]:has-text('Delete')");
      await page.waitForSelector(".note:has-text('Max Member deleted this card')");
      await page.waitForSelector(".board .card:has-text('Unit tests fail')", { state: "detached" });
      await page.reload();
      await page.waitForSelector(".note:has-text('It can be restored until')");
      await page.click(".note >> text=Restore");
      await page.waitForSelector(".note", { state: "detached" });
    }));
});

test("a key pressed as soon as a card shows is heard, however late the browser draws", async () => {
  const board = await freshBoard(scene);
  await seedCards(board, [{ title: "One" }, { title: "Two" }]);
  const { page, close } = await openAs(browser, scene, scene.member, board.board);
  await page.click(".card:has-text('One')");
  await page.waitForSelector("h1:has-text('One')");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".card:has-text('One') .cover:focus");
  await page.evaluate(`{
    const [frame, timer] = [requestAnimationFrame, setTimeout];
    window.requestAnimationFrame = (work) => frame((time) => timer(() => work(time), 300));
    window.setTimeout = (work, milliseconds = 0) => timer(work, milliseconds < 100 ? 300 : milliseconds);
  }`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('One')");
  await page.keyboard.press("]");
  await page.waitForSelector("h1:has-text('Two')");
  await page.keyboard.press("p");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".properties .pill:has-text('High')");
  await close();
});

test("[ and ] walk the column behind", async () => {
  const ids = await seedCards(scene, [
    { title: "Walk one", column: "Done" },
    { title: "Walk two", column: "Done" },
    { title: "Walk three", column: "Done" },
  ]);
  const { page, complaints, close } = await openAs(browser, scene, scene.member, scene.board);
  await page.click(".card:has-text('Walk two')");
  await page.waitForSelector("h1:has-text('Walk two')");
  await page.keyboard.press("]");
  await page.waitForSelector("h1:has-text('Walk three')");
  await page.keyboard.press("[");
  await page.waitForSelector("h1:has-text('Walk two')");
  await page.keyboard.press("[");
  await page.waitForSelector("h1:has-text('Walk one')");
  expect(page.url()).toContain(ids[0] ?? "?");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".cover:focus");
  expect(await page.textContent(".cover:focus")).toBe("Walk one");
  expect(new URL(page.url()).pathname).toBe(scene.board);
  expect(complaints).toEqual([]);
  await close();
});
