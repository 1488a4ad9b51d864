import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { runJson, serve } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { appScreen, crash, crashLog, otherReports, tickets } from "./picture-data.ts";

/**
 * `bun run pictures`: draws the pictures of README, each light and dark. Starts the compiled binary on an empty folder,
 * creates tickets and reports through the APIs and the command line, signs in as the admin, and takes the pages as
 * Chromium shows them. Writes docs/pictures/*.png with a palette of 256 colours; fails above 150 kB a picture.
 */
const folder = join(import.meta.dir, "../../docs/pictures");
const maxBytes = 150_000;
/** Wide enough for the four columns of a board. */
const size = { width: 1344, height: 640 };

interface Made {
  admin: { email: string; password: string };
  project: { id: string };
}

interface Project {
  id: string;
  board: { id: string };
  columns: { id: string; name: string }[];
}

const data = temporaryFolder();
const email = "admin@example.org";
const made = await runJson<Made>(["init", "--org", "Example", "--admin-email", email, "--data", data]);
const shop = await runJson<Project>(["project", "create", "--name", "Shop", "--data", data]);
// The project that init makes stays empty here.
await runJson(["project", "archive", made.project.id, "--data", data]);
const server = await serve(data);
const browser = await launchChromium();
try {
  await createTickets();
  const { eventId } = await submitReports();
  mkdirSync(folder, { recursive: true });
  for (const look of ["light", "dark"] as const) {
    const page = await signedIn(browser, look);
    await take(page, `/p/${shop.id}/boards/${shop.board.id}`, ".card", `board-${look}`);
    await take(page, `/reports/${eventId}`, ".detail h2.title", `report-${look}`);
    await page.context().close();
  }
} finally {
  await browser.close();
  await server.stop();
}

/** The last ticket of a column is created first, because a new ticket goes to the top. */
async function createTickets() {
  const tokens = new Map<string, string>();
  for (const { token: name, column, ...fields } of tickets.toReversed()) {
    const token =
      tokens.get(name) ??
      (await runJson<{ token: string }>(["token", "create", "--name", name, "--project", shop.id, "--data", data]))
        .token;
    tokens.set(name, token);
    const columnId = shop.columns.find((one) => one.name === column)?.id;
    await expectOk(
      await fetch(`${server.url}/api/v1/tickets`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...fields, columnId }),
      }),
    );
  }
}

/** Returns the answer to the report that is opened; it is sent twice, as an app does that lost the first answer. */
async function submitReports(): Promise<{ eventId: string }> {
  const input = ["key", "create", "--project", shop.id, "--name", "shop-ios", "--data", data];
  const { key } = await runJson<{ key: string }>(input);
  const submit = (envelope: object, files: readonly File[] = []) => {
    const form = new FormData();
    form.append("envelope", new File([JSON.stringify(envelope)], "envelope.json", { type: "application/json" }));
    for (const [i, file] of files.entries()) form.append(`attachment_${i}`, file);
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${server.url}/api/ingest`, { method: "POST", headers, body: form }).then(expectOk);
  };
  for (const report of otherReports) await submit({ reportId: crypto.randomUUID(), ...report });
  const files = [
    new File([await screenshotOfApp()], "screen.png", { type: "image/png" }),
    new File([crashLog], "app.log", { type: "text/plain" }),
  ];
  await submit(crash, files);
  return (await submit(crash, files)).json() as Promise<{ eventId: string }>;
}

async function screenshotOfApp(): Promise<Uint8Array<ArrayBuffer>> {
  const page = await browser.newPage({ viewport: { width: 390, height: 560 } });
  await page.setContent(appScreen);
  const png = new Uint8Array(await page.screenshot());
  await page.close();
  return png;
}

async function expectOk(response: Response): Promise<Response> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response;
}

async function signedIn(browser: Browser, colorScheme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: 2, colorScheme });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.fill("input[type=email]", email);
  await page.fill("[autocomplete=current-password]", made.admin.password);
  await page.keyboard.press("Enter");
  await page.waitForSelector("nav");
  return page;
}

async function take(page: Page, path: string, shown: string, name: string) {
  await page.goto(server.url + path);
  await page.waitForSelector(shown);
  await page.waitForLoadState("networkidle");
  const png = await new Bun.Image(await page.screenshot()).png({ palette: true, compressionLevel: 9 }).bytes();
  const file = join(folder, `${name}.png`);
  writeFileSync(file, png);
  if (statSync(file).size > maxBytes) throw new Error(`${name}.png has ${png.length} bytes, more than ${maxBytes}`);
  process.stdout.write(`docs/pictures/${name}.png  ${png.length} bytes\n`);
}
