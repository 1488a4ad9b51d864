import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { envelope, newSdkKey, submit } from "../../support/ingest.ts";
import { type Installation, install } from "../../support/installation.ts";
import type { Target } from "../../support/targets.ts";
import { newToken, post, type Token } from "../../support/tickets.ts";
import { violationsIn } from "../accessibility.ts";
import { insecureHost, openPage, type Watched } from "../chromium.ts";
import { newPerson, type Person } from "./board-scene.ts";

/** A server with an admin and a member, with which tests of settings begin. */
export interface SettingsScene {
  installation: Installation;
  server: RunningBinary;
  admin: Person;
  member: Person;
  stop(): Promise<void>;
}

export async function setSettingsScene(): Promise<SettingsScene> {
  const installation = await install();
  const admin = await newPerson(installation, "Ann Admin", "admin");
  const member = await newPerson(installation, "Max Member", "member");
  const server = await serve(installation.folder, ["--webhook-allow", "127.0.0.0/8"]);
  return {
    installation,
    server,
    admin,
    member,
    async stop() {
      await server.stop();
      await installation.remove();
    },
  };
}

/**
 * A window of a signed-in member; `plain`: the page is loaded over http from another machine, as the browser sees it.
 */
export async function openSettings(
  browser: Browser,
  { server }: SettingsScene,
  { cookie }: Person,
  path: string,
  { plain = false, ...options }: BrowserContextOptions & { plain?: boolean } = {},
): Promise<Watched> {
  const url = new URL(server.url);
  if (plain) url.hostname = insecureHost;
  const cookies = [
    {
      name: plain ? "intake" : "__Host-intake",
      value: cookie,
      domain: url.hostname,
      path: "/",
      expires: -1,
      httpOnly: true,
      secure: !plain,
      sameSite: "Lax" as const,
    },
  ];
  return openPage(browser, url.origin + path, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    cookies,
    ...options,
  });
}

function targetOf({ installation, server }: SettingsScene): Target {
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  return { way: "compiled binary", installation, url: server.url, send };
}

/** A token that was used: once successfully, once with its key and another body, once with a wrong body. */
export async function usedToken(scene: SettingsScene, name: string): Promise<Token> {
  const made = await newToken(scene.installation, { name });
  const call = { token: made.token, key: "build-7312" };
  await post(targetOf(scene), { ...call, body: { title: "Deploy gate failed" } });
  await post(targetOf(scene), { ...call, body: { title: "Another one" } });
  await post(targetOf(scene), { token: made.token, body: { title: "x", projectId: made.id } });
  return made;
}

export async function statusWith(scene: SettingsScene, token: string): Promise<number> {
  return (await post(targetOf(scene), { token })).status;
}

export async function report(scene: SettingsScene, title: string, user?: { email: string }): Promise<string> {
  const { key } = await newSdkKey(scene.installation);
  const parts = [envelope({ id: crypto.randomUUID(), title, type: "crash", level: "fatal", user })];
  const response = await submit(targetOf(scene), { key, parts });
  return ((await response.json()) as { eventId: string }).eventId;
}

/**
 * Errors that are faults of the page: the browser reports refused calls and missing features of plain http by itself.
 */
export function blamed(complaints: readonly string[]): string[] {
  return complaints.filter((text) => !/^error: Failed to load resource: .* status of 40[03]|untrustworthy/.test(text));
}

/** Content that is too wide, and violations that axe finds. */
export async function faultsOf(page: Page): Promise<unknown[]> {
  const width = page.viewportSize()?.width ?? 0;
  const taken = await page.evaluate<number>("document.documentElement.scrollWidth");
  const violations = await violationsIn(page);
  return taken === width ? violations : [`${taken} px wide`, ...violations];
}
