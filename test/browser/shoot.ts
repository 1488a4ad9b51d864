import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page, PageScreenshotOptions } from "playwright-core";

const shots = join(import.meta.dir, "shots");

/** A picture for people to look at, in `test/browser/shots`, when `SHOTS=1` asks for them. No test reads it. */
export async function shoot(page: Page, name: string, options: PageScreenshotOptions = {}) {
  if (!process.env["SHOTS"]) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ ...options, path: join(shots, `${name}.png`) });
}
