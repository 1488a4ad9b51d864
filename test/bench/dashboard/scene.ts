import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { launchChromium } from "../../browser/chromium.ts";
import { type Contestant, startIntake } from "../contestant.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { removeFolder } from "../scratch.ts";

/** A running server, a browser, and somebody who is signed in. */
export interface Scene {
  installation: Installation;
  server: Contestant;
  browser: Browser;
  /** `name=value`, as a page sends it. */
  cookie: string;
  board: string;
  reports: string;
}

const cookieName = "__Host-intake";

/** `fill` works on the database before the server has it. */
export async function withScene<Result>(
  binary: string,
  name: string,
  fill: (installation: Installation) => Promise<void> | void,
  work: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const installation = await freshInstallation(binary);
  await fill(installation);
  const server = await startIntake(name, installation, installation.token);
  const browser = await launchChromium({ optimised: true, processPerPage: true });
  try {
    const { projectId, boardId } = installation;
    return await work({
      installation,
      server,
      browser,
      cookie: await signIn(server.url, installation.admin),
      board: `/p/${projectId}/boards/${boardId}`,
      reports: `/p/${projectId}/reports`,
    });
  } finally {
    await browser.close();
    await server.stop();
    removeFolder(installation.folder);
  }
}

export async function signIn(url: string, { email, password }: Installation["admin"]): Promise<string> {
  const answer = await fetch(`${url}/internal/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ email, password }),
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  if (!cookie.startsWith(`${cookieName}=`)) throw new Error(`signing in was answered ${answer.status}`);
  return cookie;
}

/** A browser of its own, with nothing kept, where this person is signed in. */
export function newContext({ browser, cookie }: Scene): Promise<BrowserContext> {
  const value = cookie.slice(cookieName.length + 1);
  const kept = { name: cookieName, value, domain: "127.0.0.1", path: "/", expires: -1 } as const;
  return browser.newContext({
    viewport: { width: 1440, height: 900 },
    storageState: { cookies: [{ ...kept, httpOnly: true, secure: true, sameSite: "Lax" }], origins: [] },
  });
}

export interface OpenPage {
  page: Page;
  devtools: CDPSession;
  close(): Promise<void>;
}

/** A page at which there is something to see: `shown` is what a selector finds there. */
export async function openPage(scene: Scene, path: string, shown: string): Promise<OpenPage> {
  const context = await newContext(scene);
  const page = await context.newPage();
  await page.goto(scene.server.url + path);
  await page.waitForSelector(shown);
  return { page, devtools: await context.newCDPSession(page), close: () => context.close() };
}

/** A call as a page makes it. */
export async function call<Value>({ server, cookie }: Pick<Scene, "server" | "cookie">, path: string): Promise<Value> {
  const answer = await fetch(`${server.url}/internal${path}`, { headers: { cookie } });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Value;
}
