import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumFlags } from "../support/chromium-flags.ts";

/**
 * A name of this machine. Unlike its address, browsers do not treat the name as secure, so features that need https are
 * missing.
 */
export const insecureHost = "intake.test";

/** Most pages of tests live for seconds: what the optimising compilers of V8 would gain, they would cost. */
const withoutOptimisers = "--js-flags=--no-opt,--no-maglev";

/** Pages that compute for long, or are measured, are worth `optimised`. */
export function launchChromium({ optimised = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: [
      ...chromiumFlags,
      ...(optimised ? [] : [withoutOptimisers]),
      `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
    ],
  });
}

export interface Watched {
  page: Page;
  /** Violations of the content security policy, errors, warnings and everything else on the console. */
  complaints: string[];
  /** Origins to which requests were sent. */
  origins: Set<string>;
  close(): Promise<void>;
}

/** A page of a fresh profile that records requests and errors. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    // Addresses such as `data:` stand in the page itself and send no request.
    if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return { page, complaints, origins, close: () => context.close() };
}
