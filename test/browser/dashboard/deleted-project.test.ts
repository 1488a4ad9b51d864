import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { attachment, envelope, received } from "../../support/ingest.ts";
import { launchChromium, type Watched } from "../chromium.ts";
import { internal, openAs, type Scene, setScene } from "./board-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

interface Made {
  id: string;
  board: { id: string };
  columns: { id: string }[];
  key: string;
}

test("open pages of a project that is deleted close at once; those of others stay", async () => {
  const project = (await internal(scene, "POST", "/projects", { name: "Short-lived" })) as Made;
  const { key } = (await internal(scene, "POST", "/keys", { projectId: project.id, name: "App" })) as Made;
  const columnId = project.columns[0]?.id;
  const card = (await internal(scene, "POST", "/cards", {
    op: crypto.randomUUID(),
    columnId,
    title: "Secret",
  })) as Made;
  const parts = [envelope({ reportId: crypto.randomUUID(), title: "Secret" }), attachment("text", 0)];
  const send = (path: string, init?: RequestInit) => fetch(scene.server.url + path, init);
  const { eventId } = await received({ send }, { key, parts });

  const board = `/p/${project.id}/boards/${project.board.id}`;
  const paths = [board, `/cards/${card.id}`, `/p/${project.id}/reports`, `/reports/${eventId}`];
  const windows: Watched[] = [];
  try {
    for (const path of paths) windows.push(await openAs(browser, scene, scene.member, path));
    const overview = await openAs(browser, scene, scene.member, `/p/${project.id}`);
    const elsewhere = await openAs(browser, scene, scene.member, scene.board);
    windows.push(overview, elsewhere);
    for (const { page } of windows.slice(0, paths.length)) await page.waitForSelector("text=Secret");
    await overview.page.waitForSelector("h1:has-text('Short-lived')");
    await elsewhere.page.waitForSelector(".column");

    await internal(scene, "DELETE", `/projects/${project.id}`);

    for (const { page } of windows.slice(0, paths.length + 1)) {
      await page.waitForSelector("text=There is nothing here.");
      await page.waitForSelector("text=Short-lived", { state: "detached" });
      expect(await page.locator("text=Secret").count()).toBe(0);
    }
    expect(await elsewhere.page.locator(".column").count()).toBeGreaterThan(0);
  } finally {
    for (const { close } of windows) await close();
  }
});
