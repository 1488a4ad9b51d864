import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { backlog, subscribe } from "../../support/deliveries.ts";
import { attachment, envelope, received } from "../../support/ingest.ts";
import { queueRun, runProject } from "../../support/runs.ts";
import { inBothThemes, violationsIn } from "../accessibility.ts";
import { launchChromium } from "../chromium.ts";
import { internal, openAs, type Scene, seedCards, setScene } from "./board-scene.ts";
import { follow } from "./follow.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

let scene: Scene;
let browser: Browser;
let paths: string[] = [];

beforeAll(async () => {
  scene = await setScene();
  browser = await launchChromium();
  const { installation, token } = scene;
  const { id: project } = installation.made.project;
  const subscriber = await subscribe(installation, { types: ["report.received"], name: "Hook" });
  // More deliveries than one page of the list has, so that the list ends in a button.
  await backlog(installation, subscriber.id, 120);
  const [card = ""] = await seedCards(scene, [{ title: "A card", by: "token" }, { title: " " }]);
  const send = (path: string, init?: RequestInit) => fetch(scene.server.url + path, init);
  const parts = [envelope({ reportId: crypto.randomUUID(), title: "Broken", level: "error" }), attachment("text", 0)];
  const { eventId } = await received({ send }, { key: installation.made.sdkKey.key, parts });
  const { runId } = await queueRun(installation, await runProject(installation));
  const report = (await internal(scene, "GET", `/reports/${eventId}`)) as { deliveries: { id: string }[] };
  const settings = [
    ...["tokens", `tokens/${token.id}`, "keys", "members", "repositories", "agent", "organisation", "backups", "mail"],
    ...["sign-in", "audit", "people", "profile", "sessions", "appearance"],
  ];
  paths = [
    ...["/", `/p/${project}`, scene.board, `/p/${project}/reports`, `/cards/${card}`, "/runs", `/runs/${runId}`],
    ...["", "?tab=envelope", "?tab=attachments", "?tab=deliveries", "?tab=repeats"].map(
      (tab) => `/reports/${eventId}${tab}`,
    ),
    ...["/subscribers", `/subscribers/${subscriber.id}`],
    ...report.deliveries.map(({ id }) => `/subscribers/${subscriber.id}/deliveries/${id}`),
    ...["/search?q=broken", "/notices", "/settings", ...settings.map((name) => `/settings/${name}`)],
    // Addresses of things that do not exist.
    ...[
      "/no-such-page",
      "/cards/0198c0de-0000-7000-8000-00000000dead",
      "/reports/0198c0de-0000-7000-8000-00000000dead",
    ],
    ...["/runs/0198c0de-0000-7000-8000-00000000dead", "/p/0198c0de-0000-7000-8000-00000000dead"],
    ...["/p/0198c0de-0000-7000-8000-00000000dead/boards/0198c0de-0000-7000-8000-00000000dead"],
    ...["/p/0198c0de-0000-7000-8000-00000000dead/reports", "/subscribers/0198c0de-0000-7000-8000-00000000dead"],
  ];
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

for (const who of ["admin", "member"] as const) {
  test(`axe finds nothing on any page in either theme, and each has one heading of the first rank (${who})`, async () => {
    const { page, close } = await openAs(browser, scene, scene[who], "/");
    const wrong: unknown[] = [];
    for (const path of paths) {
      // The one comes to each page by its document, the other by a link.
      if (who === "admin") await page.goto(scene.server.url + path);
      else await follow(page, path);
      await page.waitForSelector("main h1, main h2, [role=dialog] h1", { state: "attached" }).catch((error) => {
        wrong.push([path, error.message]);
      });
      await page.waitForSelector("main .loading", { state: "detached" });
      await page.waitForSelector("main:not([aria-busy=true])");
      const shown = path.replaceAll(/[0-9a-f-]{36}/g, "ID");
      await inBothThemes(page, async (theme) => {
        for (const violation of await violationsIn(page)) wrong.push([shown, theme, ...violation]);
      });
      // The controls of a board behind an open card cannot be reached.
      const headings = await page.evaluate<number>(
        "[...document.querySelectorAll('h1')].filter((heading) => !heading.closest('[inert]')).length",
      );
      if (headings !== 1) wrong.push([shown, `${headings} h1`]);
    }
    expect(wrong).toEqual([]);
    await close();
  });
}
