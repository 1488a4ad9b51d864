import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, type Watched } from "../chromium.ts";
import { freshBoard, internal, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;
/** A board of its own for each test. */
let board: Scene;

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

beforeEach(async () => {
  board = await freshBoard(scene);
});

async function card(title: string, column = "Backlog"): Promise<string> {
  const body = { op: crypto.randomUUID(), columnId: board.columns[column], title, after: "last" };
  return ((await internal(board, "POST", "/cards", body)) as { id: string }).id;
}

const rename = (id: string, title: string) => internal(board, "PATCH", `/cards/${id}`, { title, version: 1 });

/** Pages have been told of all that is stored by now, so one that opens now hears nothing of it. */
async function told() {
  const headers = { cookie: `__Host-intake=${scene.member.cookie}`, "sec-fetch-site": "same-origin" };
  const stream = await fetch(`${scene.server.url}/internal/live`, { headers });
  const body = { op: crypto.randomUUID(), columnId: scene.columns["Backlog"], title: "The last change", after: "last" };
  const { id } = (await internal(scene, "POST", "/cards", body)) as { id: string };
  const decoder = new TextDecoder();
  let heard = "";
  for await (const piece of stream.body ?? []) {
    heard += decoder.decode(piece, { stream: true });
    if (heard.includes(id)) return;
  }
  throw new Error(`the stream ended after: ${heard}`);
}

/** A window that is not at the board yet. `calls` are the calls for the whole board. */
async function openWindow(person: "admin" | "member" = "member", options: Parameters<typeof openAs>[4] = {}) {
  await told();
  const opened = await openAs(browser, board, board[person], "/livez", options);
  const calls: string[] = [];
  opened.page.on("request", (request) => {
    if (/\/internal\/boards\/[^/]+\?/.test(request.url())) calls.push(request.url());
  });
  return { ...opened, calls, open: () => opened.page.goto(board.server.url + board.board) };
}

const shown = (page: Page, title: string) => page.locator(".card h3", { hasText: title }).waitFor();

/** The page receives changes and has shown one, so whatever it wanted to load at its beginning it has asked for. */
async function settled(page: Page) {
  const title = `settled ${crypto.randomUUID()}`;
  await card(title);
  await shown(page, title);
}

function finish({ complaints, origins }: Watched) {
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([board.server.url]);
}

test("a board is shown from its document, without a call for it", async () => {
  await card("From the document");
  const { page, calls, open, ...watched } = await openWindow();
  await open();
  await shown(page, "From the document");
  await settled(page);
  expect(calls).toEqual([]);
  await page.getByRole("tab", { name: /^Overdue/ }).click();
  await page.getByText("No card matches").first().waitFor();
  expect(calls.length).toBe(1);
  finish({ page, ...watched });
  await watched.close();
});

test("so is a filtered one, and one by the time and the choices of the browser", async () => {
  await card("Wanted here");
  await card("Other");
  for (const timezoneId of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    const { page, calls, open, close } = await openWindow("member", { timezoneId });
    await open();
    await shown(page, "Wanted here");
    await page.evaluate(() => localStorage.setItem("intake-display", JSON.stringify({ doneDays: 7 })));
    await page.reload();
    await shown(page, "Wanted here");
    // The first documents did not know them.
    calls.length = 0;
    await page.goto(`${board.server.url}${board.board}?text=wanted`);
    await shown(page, "Wanted here");
    expect(await page.locator(".card h3").allInnerTexts()).toEqual(["Wanted here"]);
    expect(calls).toEqual([]);
    await close();
  }
});

/** Holds the requests whose address fits, until the returned function lets them go. */
async function hold(page: Page, address: RegExp): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

test("a change between the document and the stream of changes is shown", async () => {
  const id = await card("Before");
  const other = await openWindow();
  await other.open();
  await settled(other.page);
  const { page, calls, open, ...watched } = await openWindow();
  const release = await hold(page, /\/internal\/live/);
  await open();
  await shown(page, "Before");
  await rename(id, "After");
  await card("New meanwhile");
  // Every page that listens has been told.
  await shown(other.page, "New meanwhile");
  await other.close();
  release();
  await shown(page, "After");
  await shown(page, "New meanwhile");
  expect(calls).toEqual([]);
  finish({ page, ...watched });
  await watched.close();
});

test("a change while the page's scripts are loaded is shown", async () => {
  const id = await card("Before");
  const { page, calls, open, ...watched } = await openWindow();
  const release = await hold(page, /\/assets\/chunk-page-.*\.js/);
  const opened = open();
  await page.locator(".rail").waitFor();
  await rename(id, "After");
  release();
  await opened;
  await shown(page, "After");
  await settled(page);
  expect(calls).toEqual([]);
  finish({ page, ...watched });
  await watched.close();
});

test("titles that would end the data, or be elements, are text", async () => {
  const titles = [
    "</script><script>hacked = 1</script>",
    "<!--<script>",
    '"><img src=x onerror="hacked = 1">',
    "\\u003c/script> &lt;b&gt; ]]> `${`",
  ];
  for (const title of [...titles, "a\u2028b\u2029c"]) await card(title);
  const { page, calls, open, ...watched } = await openWindow();
  await open();
  await shown(page, "&lt;b&gt;");
  expect(await page.locator(".card h3").allInnerTexts()).toEqual([...titles, "a[U+2028]b[U+2029]c"]);
  expect(await page.evaluate("typeof hacked")).toBe("undefined");
  expect(calls).toEqual([]);
  finish({ page, ...watched });
  await watched.close();
});

test("a board that is too large for its document is loaded by a call", async () => {
  const seeds = Object.keys(board.columns).flatMap((column) =>
    Array.from({ length: 60 }, (_, i) => ({ column, title: `${i} ${"<".repeat(190)}` })),
  );
  await seedCards(board, seeds);
  const { page, calls, open, ...watched } = await openWindow();
  await open();
  await page.locator(".card h3", { hasText: "0 <<<" }).first().waitFor();
  expect(calls.length).toBeGreaterThanOrEqual(1);
  finish({ page, ...watched });
  await watched.close();
});

test("a reload and a way back show what is stored then", async () => {
  const id = await card("First");
  const { page, open, close } = await openWindow();
  await page.route(/\/internal\/live/, (route) => route.abort());
  await open();
  await shown(page, "First");
  await rename(id, "Second");
  await page.reload();
  await shown(page, "Second");
  await page.goto(`${board.server.url}/docs`);
  await card("Third");
  await page.goBack();
  await shown(page, "Third");
  await close();
});

test("a page that the browser has kept is told of what it missed", async () => {
  await card("First");
  const { page, open, close } = await openWindow();
  await open();
  await settled(page);
  const asked = page.waitForRequest(/\/internal\/live\?since=/);
  await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
  await asked;
  await settled(page);
  await close();
});
