import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumFlags } from "../support/chromium-flags.ts";
import { type ProfileOptions, takeProfile } from "./profiles.ts";

/**
 * A name of this machine. Unlike its address, browsers do not treat the name as secure, so features that need https are
 * missing.
 */
export const insecureHost = "intake.test";

/** Most pages of tests live for seconds: what the optimising compilers of V8 would gain, they would cost. */
const withoutOptimisers = "--js-flags=--no-opt,--no-maglev";

/** The pages of a profile share a process, which takes as long to start as a page takes to load. */
const oneProcessPerProfile = "--renderer-process-limit=1";

interface LaunchOptions {
  /** For pages that compute for long, or are measured. */
  optimised?: boolean;
  /** For pages of one profile that have to run side by side. */
  processPerPage?: boolean;
}

export function launchChromium({ optimised = false, processPerPage = false }: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: [
      ...chromiumFlags,
      ...(optimised ? [] : [withoutOptimisers]),
      ...(processPerPage ? [] : [oneProcessPerProfile]),
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

/** A new page of an empty profile that records requests and errors. */
export async function openPage(browser: Browser, url: string, options: ProfileOptions = {}): Promise<Watched> {
  const { page, giveBack } = await takeProfile(browser, options);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    // Addresses such as `data:` stand in the page itself and send no request.
    if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return { page, complaints, origins, close: giveBack };
}
