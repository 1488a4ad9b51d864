import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { launchChromium, type Watched } from "../chromium.ts";
import {
  cardsIn,
  freshBoard,
  internal,
  isStored,
  openAs,
  type Scene,
  seedCards,
  setScene,
  start,
} from "./board-scene.ts";

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

/** Each test has a board of its own. At its end no window may have errors or have sent requests to other hosts. */
async function onBoard(
  work: (page: Page, board: Scene) => Promise<void>,
  {
    seeds = [{ title: "One" }, { title: "Two" }, { title: "Three" }, { title: "Four", column: "To do" }],
    refused = [] as number[],
    as = "member" as "admin" | "member",
    ...options
  }: {
    seeds?: Parameters<typeof seedCards>[1];
    refused?: number[];
    as?: "admin" | "member";
  } & Parameters<typeof openAs>[4] = {},
) {
  const board = await freshBoard(scene);
  await seedCards(board, seeds);
  watched = [];
  try {
    await work(await openWindow(board, as, options), board);
    const expected = (text: string) => refused.some((status) => text.includes(`status of ${status}`));
    expect(watched.flatMap(({ complaints }) => complaints.filter((text) => !expected(text)))).toEqual([]);
    for (const { origins } of watched) expect([...origins]).toEqual([board.server.url]);
  } finally {
    for (const { close } of watched) await close();
  }
}

/** What the browser reports by itself while there is no connection. */
function forget(...expected: string[]) {
  for (const { complaints } of watched) {
    const others = complaints.filter((text) => !expected.some((one) => text.includes(one)));
    complaints.splice(0, complaints.length, ...others);
  }
}

async function openWindow(board: Scene, as: "admin" | "member", options: Parameters<typeof openAs>[4] = {}) {
  const opened = await openAs(browser, board, board[as], board.board, options);
  watched.push(opened);
  await opened.page.waitForSelector(".column");
  return opened.page;
}

function focusOn(page: Page, title: string) {
  return page.locator(".cover:focus", { hasText: title }).waitFor();
}

const titles = (page: Page, column: string) =>
  page.locator(`section[aria-label^="${column},"] .card:not(.writing) h3`).allInnerTexts();

/** Drags with the mouse, in steps as a hand does. */
async function drag(page: Page, title: string, to: { x: number; y: number }) {
  const box = await page.locator(".card", { hasText: title }).first().boundingBox();
  if (!box) throw new Error(`${title} is not in sight`);
  await page.mouse.move(box.x + 40, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 20, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.waitForSelector(".drop-line");
}

async function middleOf(page: Page, column: string) {
  const box = await page.locator(`section[aria-label^="${column},"] .cards`).boundingBox();
  if (!box) throw new Error(`${column} is not in sight`);
  return { x: box.x + box.width / 2, y: box.y + 200 };
}

describe("by mouse", () => {
  test("a card is dragged to another column, stays there, and Undo brings it back", () =>
    onBoard(async (page, board) => {
      await drag(page, "One", await middleOf(page, "In progress"));
      expect(await page.locator(".card.lifted h3").textContent()).toBe("One");
      await page.mouse.up();
      expect(await titles(page, "In progress")).toEqual(["One"]);
      await page.waitForSelector("text=Moved to In progress, position 1 of 1");
      expect(await cardsIn(board, "In progress")).toEqual(["One"]);
      expect(new URL(page.url()).pathname).toBe(board.board);
      await page.click(".toast >> text=Undo");
      await isStored(board, "Backlog", ["One", "Two", "Three"]);
      expect(await titles(page, "Backlog")).toEqual(["One", "Two", "Three"]);
    }));

  test("within a column the line says where; Escape puts it back", () =>
    onBoard(async (page, board) => {
      const last = await page.locator(".card", { hasText: "Three" }).boundingBox();
      const below = { x: (last?.x ?? 0) + 50, y: (last?.y ?? 0) + (last?.height ?? 0) - 3 };
      await drag(page, "One", below);
      await page.keyboard.press("Escape");
      await page.waitForSelector(".card.ghost", { state: "detached" });
      await page.mouse.up();
      expect(await titles(page, "Backlog")).toEqual(["One", "Two", "Three"]);
      await page.mouse.move(5, 5);
      await drag(page, "One", below);
      await page.mouse.up();
      await isStored(board, "Backlog", ["Two", "Three", "One"]);
    }));

  test("a click opens the card, a press of less than four pixels too; closing gives the focus back", () =>
    onBoard(async (page) => {
      const box = await page.locator(".card", { hasText: "Two" }).boundingBox();
      await page.mouse.move((box?.x ?? 0) + 30, (box?.y ?? 0) + 12);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 32, (box?.y ?? 0) + 13);
      await page.mouse.up();
      await page.waitForSelector("[role=dialog] h1:has-text('Two')");
      expect(page.url()).toContain("/cards/");
      await page.keyboard.press("Escape");
      await page.waitForSelector("[role=dialog]", { state: "detached" });
      await focusOn(page, "Two");
    }));

  test("columns are made, renamed, limited and moved from their menu; deleting asks where the cards go", () =>
    onBoard(
      async (page, board) => {
        await page.click("[aria-label='Acts on To do']");
        await page.click("text=Edit column…");
        await page.fill("input[type=number]", "1");
        await page.getByRole("dialog").getByLabel("Name").fill("Next up");
        await page.click("text=Save column");
        await page.waitForSelector("section[aria-label='Next up, 1 card']");
        await page.click("[aria-label='Acts on Next up']");
        await page.click("text=Move left");
        await page.waitForSelector(".column:first-child h2:has-text('Next up')");
        await page.click("[aria-label='Acts on Next up']");
        await page.click("text=Delete column…");
        await page.selectOption(".dialog select", { label: "Done" });
        await page.click(".dialog >> text=Delete column");
        await page.waitForSelector("section[aria-label='Done, 1 card']");
        await isStored(board, "Done", ["Four"]);
      },
      { as: "admin" },
    ));

  test("members are not offered what only admins may do", () =>
    onBoard(async (page, board) => {
      await page.click("[aria-label='Acts on To do']");
      expect(await page.locator("[role=menuitem]").allInnerTexts()).not.toContain("Delete column…");
      await page.keyboard.press("Escape");
      await page.click("[aria-label='Acts on this board']");
      const acts = await page.locator("[role=menuitem]").allInnerTexts();
      expect(acts).toContain("Rename board…");
      expect(acts).not.toContain("Delete board…");
      const byHand = await internal(board, "DELETE", `/columns/${board.columns["To do"]}`, undefined, "member");
      expect(byHand).toMatchObject({ error: "permission_denied" });
    }));
});

describe("by finger", () => {
  test("a card is held for a moment and dragged; a quick touch scrolls or opens", () =>
    onBoard(
      async (page, board) => {
        const box = await page.locator(".card", { hasText: "One" }).boundingBox();
        const [x, y] = [(box?.x ?? 0) + 60, (box?.y ?? 0) + 15];
        const touch = await page.context().newCDPSession(page);
        const send = (type: "touchStart" | "touchMove" | "touchEnd", y: number) =>
          touch.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
        // Without waiting in between: a finger that rests for a third of a second holds the card.
        await Promise.all([send("touchStart", y), send("touchMove", y + 40), send("touchEnd", 0)]);
        expect(await page.locator(".lifted").count()).toBe(0);
        const hold = async () => {
          await send("touchStart", y);
          await page.waitForSelector(".lifted");
        };
        await hold();
        // A dragging finger never stands quite still; on a busy machine the browser takes its first moves late.
        await until(async () => {
          // A browser that waits too long for the page to take a touch scrolls with it: one lifts the finger and holds again.
          if ((await page.locator(".lifted").count()) === 0) {
            await send("touchEnd", 0);
            await hold();
          }
          await send("touchMove", y + 60);
          await send("touchMove", y + 130);
          return (await page.locator(".drop-line").count()) > 0 || undefined;
        });
        await send("touchEnd", 0);
        await isStored(board, "Backlog", ["Two", "Three", "One"]);
        expect(new URL(page.url()).pathname).toBe(board.board);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));
});

describe("by keyboard alone", () => {
  test("the focus walks over cards and columns, a card steps, and Z takes it back", () =>
    onBoard(async (page, board) => {
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.keyboard.press("j");
      await focusOn(page, "Two");
      await page.keyboard.press("l");
      await focusOn(page, "Four");
      await page.keyboard.press("Alt+ArrowRight");
      await isStored(board, "In progress", ["Four"]);
      await focusOn(page, "Four");
      await page.waitForSelector(".toast >> text=Moved to In progress");
      await page.keyboard.press("z");
      await isStored(board, "To do", ["Four"]);
      await page.keyboard.press("h");
      await page.keyboard.press("Alt+ArrowDown");
      await isStored(board, "Backlog", ["One", "Three", "Two"].sort(), (names) => [...names].sort());
    }));

  test("Space picks up and puts down, and every step is spoken; Escape puts it back", () =>
    onBoard(async (page, board) => {
      const spoken = (text: string) => page.waitForSelector(`[role=log]:has-text("${text}")`, { state: "attached" });
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.keyboard.press("Space");
      await spoken("Picked up “One”, position 1 of 3 in Backlog.");
      await page.keyboard.press("ArrowRight");
      await spoken("To do, position 1 of 2.");
      await page.keyboard.press("ArrowDown");
      await spoken("To do, position 2 of 2.");
      expect(await cardsIn(board, "To do")).toEqual(["Four"]);
      await page.keyboard.press("Space");
      await spoken("Dropped.");
      await isStored(board, "To do", ["Four", "One"]);
      await page.keyboard.press("Space");
      await spoken("Picked up “One”, position 2 of 2 in To do.");
      await page.keyboard.press("ArrowUp");
      await spoken("To do, position 1 of 2.");
      await page.keyboard.press("Escape");
      await spoken("Cancelled, back in To do.");
      expect(await titles(page, "To do")).toEqual(["Four", "One"]);
      expect(await cardsIn(board, "To do")).toEqual(["Four", "One"]);
    }));

  test("M moves to a place, P and A change the card, C writes the next one", () =>
    onBoard(async (page, board) => {
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.keyboard.press("m");
      await page.waitForSelector(".dialog >> text=Move “One”");
      await page.keyboard.type("Done");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await isStored(board, "Done", ["One"]);
      await focusOn(page, "One");
      await page.keyboard.press("p");
      await page.waitForSelector(".dialog [role=listbox]");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".card:has-text('One') .pill:has-text('Medium')");
      await page.keyboard.press("a");
      await page.waitForSelector(".dialog [role=combobox]");
      await page.keyboard.type("Max");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".card:has-text('One') .who[title='Max Member']");
      await page.keyboard.press("c");
      await page.waitForSelector(".writing textarea:focus");
      await page.keyboard.type("Written by hand");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".card h3:has-text('Written by hand')");
      await page.keyboard.press("Escape");
      await page.waitForSelector(".writing", { state: "detached" });
      expect((await cardsIn(board, "Done"))[0]).toBe("Written by hand");
    }));

  test("X selects several, and one act holds for all of them", () =>
    onBoard(async (page, board) => {
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.keyboard.press("x");
      await page.keyboard.press("J");
      await page.waitForSelector("text=2 cards selected");
      await page.click(".selection >> text=Archive");
      await isStored(board, "Backlog", ["Three"]);
      await page.waitForSelector(".card:has-text('One')", { state: "detached" });
      await page.keyboard.press("z");
      await isStored(board, "Backlog", ["One", "Two", "Three"]);
      await page.waitForSelector(".card:has-text('Two')");
    }));
});

describe("live", () => {
  test("a move shows in another window within 300 ms of the clock there", () =>
    onBoard(async (page, board) => {
      const other = await openWindow(board, "admin");
      await other.addInitScript(`
        window.heard = 0;
        window.EventSource = class extends EventSource {
          constructor(...given) {
            super(...given);
            this.addEventListener("facts", () => window.heard++);
          }
        };
      `);
      await other.reload();
      await other.waitForSelector(".column");
      // From here on time in that window passes only when the test lets it.
      await other.clock.install();
      await other.clock.pauseAt(Date.now() + 10_000);
      const heard = () => other.evaluate<number>("heard");
      await page.keyboard.press("j");
      await focusOn(page, "One");
      for (const [key, column] of [
        ["Alt+ArrowRight", "To do"],
        ["Alt+ArrowRight", "In progress"],
        ["Alt+ArrowLeft", "To do"],
        ["Alt+ArrowLeft", "Backlog"],
        ["Alt+ArrowRight", "To do"],
      ] as const) {
        const before = await heard();
        await page.keyboard.press(key);
        await until(async () => (await heard()) > before || undefined);
        await other.clock.runFor(300);
        await other.waitForSelector(`section[aria-label^="${column},"] .card:has-text("One")`);
      }
    }));

  test("a card made by the API arrives with its stub, and pushes nothing that one points at", () =>
    onBoard(
      async (page, board) => {
        await page.hover(".card:has-text('Card 1 of')");
        const before = await page.locator(".card:has-text('Card 1 of')").boundingBox();
        await byApi(board, "Nightly build fails");
        await page.waitForSelector(".card.new:has-text('Nightly build fails') .stub:has-text('CI main')", {
          state: "attached",
        });
        await page.waitForSelector("button:has-text('1 new')");
        expect(await page.locator(".card:has-text('Card 1 of')").boundingBox()).toEqual(before);
        await page.click("button:has-text('1 new')");
        await page.waitForSelector("button:has-text('1 new')", { state: "detached" });
        expect((await titles(page, "Backlog"))[0]).toBe("Nightly build fails");
      },
      { seeds: Array.from({ length: 30 }, (_, i) => ({ title: `Card ${i} of many` })) },
    ));

  test("a card that one points at is moved by others only once one points elsewhere", () =>
    onBoard(async (page, board) => {
      const card = page.locator(".card:has-text('Two')");
      await card.hover();
      const id = await card.getAttribute("data-card");
      const move = { columnId: board.columns["Done"], after: null, op: crypto.randomUUID() };
      await internal(board, "POST", `/cards/${id}/move`, move);
      await byApi(board, "Comes later");
      await page.waitForSelector(".card:has-text('Comes later')", { state: "attached" });
      expect(await titles(page, "Backlog")).toContain("Two");
      await page.mouse.move(5, 5);
      await page.waitForSelector("section[aria-label^='Done,'] .card:has-text('Two')");
      expect(await titles(page, "Backlog")).not.toContain("Two");
    }));

  test("two people move one card: the later move holds, and is told whom it overtook", () =>
    onBoard(async (page, board) => {
      const other = await openWindow(board, "admin");
      await page.hover(".card:has-text('One')");
      await page.mouse.down();
      await page.mouse.move(300, 300, { steps: 4 });
      await other.keyboard.press("j");
      await focusOn(other, "One");
      await other.keyboard.press("Alt+ArrowRight");
      await isStored(board, "To do", ["One", "Four"]);
      // A card that has the focus is not moved by others, so this window puts its focus elsewhere.
      await other.focus("[role=tab][tabindex='0']");
      const to = await middleOf(page, "Done");
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.waitForSelector(".drop-line");
      await page.mouse.up();
      await page.waitForSelector("text=Ann Admin had moved this to To do");
      await isStored(board, "Done", ["One"]);
      await other.waitForSelector("section[aria-label='Done, 1 card'] .card:has-text('One')");
    }));

  test("a column that is deleted under a drag: the card goes where the column's cards went, and it is told", () =>
    onBoard(
      async (page, board) => {
        await drag(page, "One", await middleOf(page, "In progress"));
        const moveTo = board.columns["Done"];
        await internal(board, "DELETE", `/columns/${board.columns["In progress"]}?moveTo=${moveTo}`);
        await page.mouse.up();
        await page.waitForSelector(".toast.bad:has-text('is back in Backlog')");
        await page.waitForSelector("section[aria-label^='In progress']", { state: "detached" });
        expect(await titles(page, "Backlog")).toEqual(["One", "Two", "Three"]);
      },
      { refused: [404] },
    ));

  test("what the command line changes shows too", () =>
    onBoard(async (page, { installation: { ctx }, columns }) => {
      await ctx.store.write(function* (tx) {
        yield* tx.run("update board_column set name = 'Renamed beside' where id = $1", [columns["To do"] ?? ""]);
      });
      await page.waitForSelector("section[aria-label^='Renamed beside']");
    }));
});

describe("without a connection", () => {
  test("a move waits and is sent once the connection is back", () =>
    onBoard(async (page, board) => {
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.context().setOffline(true);
      await page.keyboard.press("Alt+ArrowRight");
      await page.waitForSelector(".card.unsent:has-text('One')");
      expect(await cardsIn(board, "To do")).toEqual(["Four"]);
      await page.context().setOffline(false);
      await isStored(board, "To do", ["One", "Four"]);
      await page.waitForSelector(".card.unsent", { state: "detached" });
      forget("ERR_INTERNET_DISCONNECTED");
    }));

  test("an answer that is lost: the move is sent again, and made once", () =>
    onBoard(async (page, board) => {
      let lost = 0;
      await page.route("**/move", async (route) => {
        if (lost++ > 0) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await page.keyboard.press("j");
      await focusOn(page, "One");
      await page.keyboard.press("Alt+ArrowRight");
      await until(() => (lost === 2 ? true : undefined));
      await page.waitForSelector(".card.unsent", { state: "detached" });
      expect(await cardsIn(board, "To do")).toEqual(["One", "Four"]);
      const [{ moves = 0 } = {}] = await board.installation.ctx.store.all<{ moves: number }>(
        "select moves from ticket where column_id = $1 and title = 'One'",
        [board.columns["To do"] ?? ""],
      );
      expect([moves, lost]).toEqual([1, 2]);
      forget("ERR_FAILED");
    }));

  test("a server that starts again in the middle of a move: the card is placed, once", () =>
    onBoard(async (page, board) => {
      await page.keyboard.press("j");
      await focusOn(page, "One");
      const port = Number(new URL(scene.server.url).port);
      await scene.server.stop();
      await page.keyboard.press("Alt+ArrowRight");
      await page.waitForSelector(".card.unsent:has-text('One')");
      scene.server = await start(scene.installation, port);
      await isStored(board, "To do", ["One", "Four"]);
      await page.waitForSelector(".card.unsent", { state: "detached" });
      expect(await titles(page, "To do")).toEqual(["One", "Four"]);
      forget("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET");
    }));
});

describe("many cards", () => {
  test("at most forty of a column are mounted, and the next ones come as one scrolls", () =>
    onBoard(
      async (page) => {
        const column = page.locator("section[aria-label^='Backlog,'] .cards");
        const mounted = () => column.locator("[data-card]").count();
        let most = 0;
        // The next cards are loaded as one scrolls, however long that takes.
        await until(async () => {
          await column.evaluate((box) => box.scrollBy(0, 1_500));
          await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
          most = Math.max(most, await mounted());
          return (await titles(page, "Backlog")).some((title) => title.startsWith("Card 399 ")) || undefined;
        });
        expect(most).toBeLessThanOrEqual(41);
        expect(await page.locator("[aria-setsize='400']").count()).toBeGreaterThan(0);
      },
      { seeds: Array.from({ length: 400 }, (_, i) => ({ title: `Card ${i} of many` })) },
    ));
});

describe("the filter", () => {
  test("is in the address, is counted by the server, and says so when nothing matches", () =>
    onBoard(
      async (page, board) => {
        await page.click("[role=tab]:has-text('From tokens 1')");
        await page.waitForSelector("section[aria-label='Backlog, 1 card']");
        expect(new URL(page.url()).search).toBe("?quick=tokens");
        await page.reload();
        await page.waitForSelector("section[aria-label='Backlog, 1 card']");
        expect(await titles(page, "Backlog")).toEqual(["From CI"]);
        await page.keyboard.press("f");
        await page.fill(".popover input", "nothing is called so");
        await page.waitForSelector("text=No card matches “nothing is called so”");
        await page.keyboard.press("Escape");
        await page.keyboard.press("F");
        await page.waitForSelector("section[aria-label='Backlog, 3 cards']");
        expect(new URL(page.url()).search).toBe("");
        await byApi(board, "Another from CI");
        await page.waitForSelector("section[aria-label='Backlog, 4 cards']");
      },
      { seeds: [{ title: "One" }, { title: "From CI", by: "token" }, { title: "Late", dueAt: "2020-01-01" }] },
    ));
});

async function byApi({ server, token, columns, board, installation }: Scene, title: string) {
  const [, , projectId, , boardId] = board.split("/");
  const answer = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      projectId: projectId ?? installation.made.project.id,
      boardId,
      columnId: columns["Backlog"],
      title,
    }),
  });
  expect(answer.status).toBe(201);
}
