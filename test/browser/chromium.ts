import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumFlags } from "../support/chromium-flags.ts";

/** A name of this machine that browsers do not trust as they trust its address: what needs https is missing there. */
export const insecureHost = "intake.test";

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: [...chromiumFlags, `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`],
  });
}

export interface Watched {
  page: Page;
  /** Violations of the policy, errors, warnings and whatever else the console was told. */
  complaints: string[];
  /** Origins that were asked for anything. */
  origins: Set<string>;
  close(): Promise<void>;
}

/** A page of a fresh profile that remembers whom it asked and what was wrong. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    // What stands in the page itself is asked of nobody.
    if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return { page, complaints, origins, close: () => context.close() };
}
