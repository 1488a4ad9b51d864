import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startSessionStep } from "../../../server/accounts/session.ts";
import { grantCredits } from "../../../server/agents/grant-credits.ts";
import { subscribe } from "../../support/deliveries.ts";
import { envelope, newSdkKey, received } from "../../support/ingest.ts";
import { launchChromium } from "../chromium.ts";
import { internal, newPerson, openAs, seedCards } from "./board-scene.ts";
import { follow } from "./follow.ts";
import { type Way, walk } from "./overlay-walk.ts";
import { type RunsScene, setRunsScene, worked } from "./runs-scene.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(300_000);

interface Shown {
  path: string;
  /** A selector of what the page shows once it is loaded. */
  shows: string;
  /** The controls to press, one after the other. */
  open: readonly string[];
  /** Only in windows of this width, or only with a keyboard. */
  only?: { from?: number; to?: number; way?: Way };
}

/** Every popover, menu and dialog; a new one needs one more line here. */
const tableOf = (ids: Record<"card" | "report" | "run" | "subscriber" | "disabled" | "token", string>): Shown[] => [
  {
    path: board,
    shows: ".cover",
    open: [
      "Filter",
      "Acts on this board",
      "Acts on this board > Copy ids",
      "Acts on this board > New column…",
      "Acts on this board > Rename board…",
      "Acts on this board > New board…",
      "Acts on this board > Delete board…",
      "Acts on Backlog",
      "Acts on Backlog > Edit column…",
      "Acts on Backlog > Delete column…",
    ],
  },
  {
    path: board,
    shows: ".cover",
    only: { from: 761 },
    open: ["Display", "Copy ids", "Acts on Done", "Acts on Done > Edit column…", "Acts on Done > Delete column…"],
  },
  {
    path: board,
    shows: ".cover",
    only: { way: "keyboard" },
    open: ["key ?", "key Control+k", "key f", "at j > key m", "at j > key a", "at j > key p", "at j > key d"],
  },
  {
    path: `/cards/${ids.card}`,
    shows: ".properties button",
    open: [
      "Column:",
      "Priority:",
      "Assignee:",
      "Dates:",
      "Repository:",
      "Assignee: > Agent",
      "More acts",
      "More acts > Move to…",
    ],
  },
  { path: `/reports/${ids.report}`, shows: ".detail .title", open: ["More", "More > Delete report…"] },
  {
    path: `/p/${project}`,
    shows: ".panels, .page h1",
    open: [
      "Acts on this project",
      "Acts on this project > New board…",
      "Acts on this project > Rename project…",
      "Acts on this project > New project…",
    ],
  },
  {
    path: `/p/${project}/reports`,
    shows: ".report-row",
    only: { to: 760 },
    open: ["Time range:", "Time range: > Custom…"],
  },
  { path: `/p/${project}/reports`, shows: ".report-row", only: { from: 761 }, open: ["Custom"] },
  { path: `/runs/${ids.run}`, shows: ".steps", open: ["Cancel run"] },
  { path: "/subscribers", shows: "tbody tr", open: ["New subscriber"] },
  {
    path: `/subscribers/${ids.subscriber}`,
    shows: ".subscriber-head",
    open: [
      "More on crash-triage",
      "More on crash-triage > Replay since…",
      "More on crash-triage > Change",
      "More on crash-triage > Rotate secret",
      "More on crash-triage > Remove",
    ],
  },
  { path: `/subscribers/${ids.disabled}`, shows: ".subscriber-head", open: ["More on warehouse > Enable…"] },
  {
    path: "/settings/tokens",
    shows: "tbody tr",
    open: [
      "New token",
      "Actions on CI main",
      "Actions on CI main > Change name",
      "Actions on CI main > Replace",
      "Actions on CI main > Revoke",
    ],
  },
  {
    path: `/settings/tokens/${ids.token}`,
    shows: ".facts",
    open: [
      "Actions on CI main",
      "Actions on CI main > Change name",
      "Actions on CI main > Replace",
      "Actions on CI main > Revoke",
    ],
  },
  {
    path: "/settings/keys",
    shows: "tbody tr",
    open: [
      "New key",
      "Actions on ios-store",
      "Actions on ios-store > Show a snippet",
      "Actions on ios-store > Change name",
      "Actions on ios-store > Revoke",
    ],
  },
  {
    path: "/settings/members",
    shows: "tbody tr",
    open: [
      "Invite",
      "Acts on Max Member",
      "Acts on Max Member > Make admin",
      "Acts on Max Member > Make a new link",
      "Acts on Max Member > Sessions",
      "Acts on Max Member > Deactivate",
    ],
  },
  {
    path: "/settings/repositories",
    shows: "tbody tr",
    open: ["Bind", "Actions on https", "Actions on https > Unbind"],
  },
  { path: "/settings/agent", shows: "[aria-label='Ledger'] tbody tr", open: ["Grant"] },
  { path: "/settings/sessions", shows: "tbody tr", open: ["Revoke all"] },
  { path: "/settings", shows: ".tiles", open: ["Search", "Ann Admin"] },
  { path: "/runs", shows: "tbody tr", only: { way: "keyboard" }, open: ["key ?", "key Control+k"] },
  {
    path: `/p/${project}`,
    shows: "h1",
    only: { to: 760 },
    open: ["Overview all projects and boards", "Overview all projects and boards > New project"],
  },
];

let scene: RunsScene;
let browser: Browser;
let board: string;
let project: string;
let table: Shown[];

beforeAll(async () => {
  scene = await setRunsScene();
  browser = await launchChromium();
  const { installation, target, admin } = scene;
  const { ctx, made } = installation;
  board = scene.board;
  project = made.project.id;
  await grantCredits({ ctx, input: { amount: 45, note: "December" } });
  const { runId: run } = await worked(scene);
  const [card = ""] = await seedCards(scene, [
    { title: "Unit tests fail on main", by: "token", priority: "high" },
    ...Array.from({ length: 30 }, (_, i) => ({ title: `Another card, number ${i}` })),
    { title: "Login button ignores the first tap", column: "In progress" },
  ]);
  const { key } = await newSdkKey(installation, { name: "ios-store" });
  const parts = [envelope({ reportId: crypto.randomUUID(), title: "TypeError", type: "crash", level: "fatal" })];
  const { eventId: report } = await received(target, { key, parts });
  const { id: subscriber } = await subscribe(installation, { name: "crash-triage" });
  const { id: disabled } = await subscribe(installation, { name: "warehouse", types: ["report.received"] });
  await ctx.store.write((tx) =>
    tx.run("update subscriber set state = 'disabled', reason = 'by hand' where id = $1", [disabled]),
  );
  await internal(scene, "POST", "/boards", { projectId: project, name: "Triage" });
  await newPerson(installation, "Developer 3", "member");
  // A second window of the same person, so that there is a session to revoke.
  await ctx.store.write(function* (tx) {
    const visit = { userAgent: null, network: undefined };
    const session = { id: ctx.newId(), secret: crypto.randomUUID() };
    yield* startSessionStep(tx, session, { memberId: admin.id, visit, now: ctx.now(), method: "password" });
  });
  table = tableOf({ card, report, run, subscriber, disabled, token: scene.token.id });
});

afterAll(async () => {
  await browser.close();
  await scene.stop();
});

const windows = [
  { width: 390, height: 844 },
  { width: 800, height: 900 },
  { width: 1440, height: 900 },
];

for (const viewport of windows) {
  for (const way of ["finger", "keyboard"] as const) {
    test(`${viewport.width} px, by ${way}: whatever opens is in sight, on top, and has the focus; Escape gives it back`, async () => {
      const { width } = viewport;
      const options = { viewport, hasTouch: way === "finger", isMobile: way === "finger" && width < 761 };
      const { page, close } = await openAs(browser, scene, scene.admin, "/settings", {
        ...options,
        reducedMotion: "reduce",
      });
      const wrong: Record<string, string[]> = {};
      for (const { path, shows, open, only = {} } of table) {
        if (width < (only.from ?? 0) || width > (only.to ?? width) || (only.way ?? way) !== way) continue;
        if (new URL(page.url()).pathname !== path) await follow(page, path);
        await page.locator(shows).first().waitFor();
        for (const one of open) {
          const faults = await walk(page, way, one).catch((error: Error) => [error.message]);
          if (faults.length === 0) continue;
          wrong[`${path.replace(/[0-9a-f-]{36}/g, "…")}: ${one}`] = faults;
          // The next case begins with a fresh page.
          await page.goto("about:blank");
          await page.goto(scene.server.url + path);
          await page.locator(shows).first().waitFor();
        }
      }
      expect(wrong).toEqual({});
      await close();
    });
  }
}
