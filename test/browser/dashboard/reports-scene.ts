import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createProject } from "../../../server/boards/create-project.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { attachment, envelope, newSdkKey, type PartInput, received } from "../../support/ingest.ts";
import { type Installation, install } from "../../support/installation.ts";
import { signIn } from "../../support/sign-in.ts";
import { until } from "../../support/until.ts";
import { openPage } from "../chromium.ts";

/** A server with an admin and a member. */
export interface ReportsScene {
  installation: Installation;
  server: RunningBinary;
  /** Cookies of the admin and the member. */
  admin: string;
  member: string;
  stop(): Promise<void>;
}

export async function setReportsScene(): Promise<ReportsScene> {
  const installation = await install();
  const [admin, member] = await Promise.all([signIn({ installation }, "admin"), signIn({ installation }, "member")]);
  const server = await serve(installation.folder, ["--webhook-allow", "127.0.0.0/8", "--rate-limits", "off"]);
  return {
    installation,
    server,
    admin: admin.cookie,
    member: member.cookie,
    async stop() {
      await server.stop();
      await installation.remove();
    },
  };
}

/** A project with an SDK key for one test. */
export interface ReportingApp {
  projectId: string;
  list: string;
  overview: string;
  /** Sends a report; returns the id of its event. */
  send(members?: Record<string, unknown>, files?: readonly File[]): Promise<string>;
  /** Sends the same bytes again. */
  repeat(): Promise<string>;
}

interface File {
  name: string;
  body: string | Uint8Array;
  type?: string;
}

export async function newApp({ installation, server }: ReportsScene): Promise<ReportingApp> {
  const { id: projectId } = await createProject({ ctx: installation.ctx, input: { name: "Shop" } });
  const { key } = await newSdkKey(installation, { projectId, name: "ios-store" });
  const target = { send: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
  let last: PartInput[] = [];
  return {
    projectId,
    list: `/p/${projectId}/reports`,
    overview: `/p/${projectId}`,
    async send(members = {}, files = []) {
      last = [
        envelope({ reportId: crypto.randomUUID(), ...members }),
        ...files.map(({ name, body, type }, i) => attachment(body, i, { filename: name, ...(type ? { type } : {}) })),
      ];
      return (await received(target, { key, parts: last })).eventId;
    },
    async repeat() {
      return (await received(target, { key, parts: last })).eventId;
    },
  };
}

/** A report with everything that a report can have. */
export const full = {
  type: "crash",
  level: "fatal",
  title: "TypeError: undefined is not an object (reading 'total')",
  message: "The cart could not be shown.\nIts rows had not come yet.",
  app: { name: "shop", version: "4.12.0", environment: "production" },
  device: { model: "phone-a15" },
  os: { name: "iOS", version: "19.1" },
  user: { id: "u-4711", email: "ada@example.org" },
  tags: { screen: "checkout", build: 918 },
  contexts: { battery: { level: 0.42 } },
  madeUp: { deep: [1, { here: "found" }], big: 12 },
  exception: {
    type: "TypeError",
    message: "undefined is not an object",
    frames: [
      {
        function: "totals",
        file: "src/cart/CartTotals.ts",
        line: 88,
        column: 21,
        inApp: true,
        pre_context: ["const rows = cart.rows.map(price)"],
        context_line: "return rows.reduce((a, r) => a + r.line.total, 0)",
        post_context: ["}"],
      },
      { function: "renderWithHooks", file: "node_modules/react-dom/index.js", line: 10, column: 3, inApp: false },
      { function: "beginWork", file: "node_modules/react-dom/index.js", line: 20, column: 3, inApp: false },
      { function: "CartBadge", file: "src/cart/CartBadge.tsx", line: 31, column: 9, inApp: true },
    ],
  },
};

/**
 * Runs a test in a member's window. At the end the window may have no errors and must have sent no request to other
 * hosts.
 */
export async function inWindow(
  browser: Browser,
  scene: ReportsScene,
  as: "admin" | "member",
  path: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const { page, complaints, origins, close } = await openPage(browser, scene.server.url + path, {
    viewport: { width: 1440, height: 900 },
    cookies: [cookieFor(scene[as])],
    ...options,
  });
  try {
    await work(page);
    // The browser reports refused calls and failed connections by itself.
    const told = /^error: Failed to load resource: .*(status of 40[34]|net::ERR_INTERNET_DISCONNECTED)/;
    const wrong = complaints.filter((text) => !told.test(text));
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    if ([...origins].join() !== scene.server.url) throw new Error(`asked: ${[...origins].join(", ")}`);
  } finally {
    await close();
  }
}

function cookieFor(header: string) {
  const value = /__Host-intake=([^;]+)/.exec(header)?.[1] ?? "";
  const lasting = { domain: "127.0.0.1", path: "/", expires: -1 };
  return { name: "__Host-intake", value, ...lasting, httpOnly: true, secure: true, sameSite: "Lax" as const };
}

/** The visible titles, from top to bottom. */
export async function titlesIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll(".report-row a")]
      .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
      .map(({ textContent }) => textContent)`,
  );
}

/** Waits until the list shows exactly these titles. */
export async function shows(page: Page, titles: readonly string[]) {
  let seen: string[] = [];
  await until(async () => {
    seen = await titlesIn(page);
    return Bun.deepEquals(seen, titles) || undefined;
  }).catch(() => {
    throw new Error(`shown: ${JSON.stringify(seen)}, wanted: ${JSON.stringify(titles)}`);
  });
}

/**
 * Waits until an expression is true in the page. Playwright's own way to wait would break the page's content security
 * policy.
 */
export async function holds(page: Page, expression: string) {
  // The page itself looks again and again: a question from here each time would cost both processes more.
  const held = await page
    .evaluate<boolean>(`(async () => {
      const end = performance.now() + 45_000;
      while (!(await (${expression}))) {
        if (performance.now() > end) return false;
        await new Promise((done) => setTimeout(done, 10));
      }
      return true;
    })()`)
    .catch(() => false);
  if (!held) throw new Error(`does not hold: ${expression}`);
}
