import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { errors } from "../../openapi/schema/errors.ts";
import { operationErrors } from "../../openapi/schema/operations.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { newSdkKey, shown, storedAttachment, storedEnvelope } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newToken } from "../support/tickets.ts";
import { inBothThemes, violationsIn } from "./accessibility.ts";
import { insecureHost, launchChromium, openPage } from "./chromium.ts";
import { shoot } from "./shoot.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(180_000);

const ticketForm = "#createTicket-try";
const reportForm = "#submitReport-try";
const screenshot = readFileSync(join(import.meta.dir, "../screen.png"));

let installation: Installation;
let server: RunningBinary;
let docs: string;
let browser: Browser;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  docs = `${server.url}/docs`;
  browser = await launchChromium({ optimised: true });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await installation.remove();
});

/** Opens the reference, waits until it is loaded, and expects no error at the end. */
async function read(
  work: (page: Page) => Promise<void>,
  {
    at = docs,
    asked = [server.url],
    ...options
  }: { at?: string; asked?: string[] } & Parameters<typeof openPage>[2] = {},
) {
  const { page, complaints, origins, close } = await openPage(browser, at, options);
  try {
    await page.waitForSelector("#createTicket");
    await work(page);
    expect(complaints).toEqual([]);
    expect([...origins].sort()).toEqual(asked.sort());
  } finally {
    await close();
  }
}

/** Sends the form; returns status and body of the answer as the page shows them. */
async function sent(page: Page, form: string): Promise<{ status: number; body: Record<string, unknown> }> {
  await page.click(`${form} [type=submit]`);
  return answerOf(page, form);
}

async function answerOf(page: Page, form: string) {
  const answered = `${form} .answered:not([aria-busy])`;
  const status = Number(await page.textContent(`${answered} .receipt .status`));
  return {
    status,
    body: JSON.parse((await page.textContent(`${answered} .sent pre`)) ?? "") as Record<string, unknown>,
  };
}

describe("the reference", () => {
  test("shows every operation and every error code, asks nobody else and breaks no rule of its policy", () =>
    read(async (page) => {
      const codes = new Set(Object.values(operationErrors).flat());
      for (const id of [...Object.keys(operationErrors), ...[...codes].map((code) => `error-${code}`)]) {
        expect([id, await page.locator(`#${id}`).count()]).toEqual([id, 1]);
      }
      for (const code of codes) expect(await page.textContent(`#error-${code}`)).toContain(errors[code].message);
      const ids = await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
      expect(ids.length).toBe(new Set(ids).size);
      const links = await page.evaluate<string[]>(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.hash.slice(1))",
      );
      expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    }));

  test("a link leads to what is folded away", async () => {
    for (const id of [
      "createTicket-404",
      "error-project_required",
      "submitReport-413-header-RateLimit",
      "envelope-tags",
    ]) {
      await read(
        (page) =>
          page
            .waitForFunction(`(() => {
          const { top, bottom } = document.getElementById("${id}").getBoundingClientRect();
          return bottom > top && top >= 0 && top < innerHeight;
        })()`)
            .then(() => {}),
        { at: `${docs}#${id}` },
      );
    }
  });

  test("a link that was mangled leads nowhere, and breaks nothing", () =>
    read(
      async (page) => {
        await page.evaluate("location.hash = '%E2%28'");
        await page.evaluate("location.hash = '#limits'");
        await page.waitForFunction("document.getElementById('limits').getBoundingClientRect().top < innerHeight");
        expect(await page.locator("main [role=alert]").count()).toBe(0);
      },
      { at: `${docs}#%` },
    ));

  test("its documents can be downloaded", () =>
    read(async (page) => {
      for (const name of ["OpenAPI 3.1", "OpenAPI 3.0", "Envelope schema"]) {
        const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text="${name}"`)]);
        const text = await Bun.file(await download.path()).json();
        expect(text).toBeObject();
      }
    }));

  test("text of the document stays text", async () => {
    const hostile = '<img src="x" onerror="document.title = 1"> `<script>document.title = 2</script>`';
    const { page, complaints, close } = await openPage(browser, "about:blank");
    const text = await (await fetch(`${server.url}/openapi.json`)).text();
    const changed = JSON.parse(text, (name, value) =>
      ["description", "summary", "message"].includes(name) ? hostile : value,
    );
    await page.route("**/openapi.json", (route) => route.fulfill({ json: changed }));
    await page.goto(docs);
    await page.waitForSelector("#createTicket");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.textContent("#createTicket h2")).toContain("<img");
    expect(await page.title()).toBe("Intake API");
    expect(complaints).toEqual([]);
    await close();
  });

  test("without JavaScript it names the documents", async () => {
    const { page, close } = await openPage(browser, docs, { javaScriptEnabled: false });
    expect(await page.textContent("main")).toContain("OpenAPI 3.1");
    await close();
  });

  test("holds at 320 px, where a window of 1280 px is at 400 %", () =>
    read(
      async (page) => {
        await page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
      },
      { viewport: { width: 320, height: 256 } },
    ));

  test("is small", async () => {
    const page = await (await fetch(docs)).text();
    const assets = [...page.matchAll(/<(style|script)[^>]*>(.*?)<\/\1>/gs)].map(([, , text = ""]) => text);
    const packed = assets.map((text) => Bun.gzipSync(Buffer.from(text), { level: 9 }).length);
    expect(packed.length).toBe(2);
    expect(packed.reduce((sum, size) => sum + size)).toBeLessThan(25_000);
  });
});

describe("trying it", () => {
  test("creates a ticket; the token is nowhere but in its field", async () => {
    const { token } = await newToken(installation);
    await read(async (page) => {
      expect(await page.getAttribute(`${ticketForm}-credential`, "type")).toBe("password");
      expect(await page.getAttribute(`${ticketForm}-credential`, "autocomplete")).toBe("off");
      await page.fill(`${ticketForm}-credential`, token);
      await page.fill(`${ticketForm}-title`, "It's from the <reference>");
      await page.selectOption(`${ticketForm}-priority`, "high");
      await page.fill(`${ticketForm}-Idempotency-Key`, "docs 1");
      const { status, body } = await sent(page, ticketForm);
      expect([status, body["title"]]).toEqual([201, "It's from the <reference>"]);
      const ticket = await showTicket({ ctx: installation.ctx, input: { id: String(body["id"]) } });
      expect(ticket).toMatchObject({ title: "It's from the <reference>", priority: "high", description: null });

      expect(await sent(page, ticketForm)).toEqual({ status: 201, body });
      await page.click(`${ticketForm} .sent summary`);
      expect(await page.textContent(`${ticketForm} .headers`)).toContain("idempotent-replayedtrue");

      const elsewhere = await page.evaluate<string>(
        "JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])",
      );
      expect(elsewhere).not.toContain(token);
      await page.reload();
      await page.waitForSelector(ticketForm);
      expect(await page.inputValue(`${ticketForm}-credential`)).toBe("");
    });
  });

  test("a refusal leads to what its code means", async () => {
    const { page, close } = await openPage(browser, docs);
    expect((await sent(page, ticketForm)).body).toEqual({ error: "invalid_api_token" });
    await page.click(`${ticketForm} .sent a`);
    expect(new URL(page.url()).hash).toBe("#error-invalid_api_token");
    const { token } = await newToken(installation);
    await page.fill(`${ticketForm}-credential`, token);
    await page.fill(`${ticketForm}-dueAt`, "2026-02-29");
    expect(await sent(page, ticketForm)).toMatchObject({
      status: 400,
      body: { details: [{ path: "/dueAt", code: "bad_format" }] },
    });
    await close();
  });

  test("a value that no header carries is told with its field, and not sent", async () => {
    const { token } = await newToken(installation);
    await read(async (page) => {
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.method()));
      const focused = () => page.evaluate<string>("document.activeElement.id");
      await page.fill(`${ticketForm}-credential`, "itk_abc…");
      await page.click(`${ticketForm} [type=submit]`);
      expect(await page.textContent(`${ticketForm} .answered`)).toContain("API token has “…”");
      expect(await focused()).toBe("createTicket-try-credential");
      await page.fill(`${ticketForm}-credential`, token);
      await page.fill(`${ticketForm}-Idempotency-Key`, "5 €");
      await page.click(`${ticketForm} [type=submit]`);
      expect(await page.textContent(`${ticketForm} .answered`)).toContain("Idempotency-Key has “€”");
      expect(await focused()).toBe("createTicket-try-Idempotency-Key");
      expect(requests).toEqual([]);
      await page.fill(`${ticketForm}-Idempotency-Key`, "5 EUR");
      expect((await sent(page, ticketForm)).status).toBe(201);
    });
  });

  test("submits a report with files, plain and packed", async () => {
    const { key } = await newSdkKey(installation);
    await read(async (page) => {
      await page.fill(`${reportForm}-credential`, key);
      const envelope = JSON.stringify({ type: "bug", title: "Größe <b>" });
      await page.fill(`${reportForm}-envelope`, envelope);
      const picked = [
        { name: 'a "quoted"; one.png', mimeType: "image/png", buffer: screenshot },
        { name: "log.txt", mimeType: "text/plain", buffer: Buffer.from("one\r\ntwo\u0000") },
      ];
      await page.setInputFiles(`${reportForm}-files`, picked);
      await page.check(`${reportForm}-gzip`);
      const { status, body } = await sent(page, reportForm);
      expect([status, body["status"], body["warnings"]]).toEqual([200, "received", undefined]);
      const id = String(body["eventId"]);
      expect(Buffer.from(await storedEnvelope(installation, id)).toString()).toBe(envelope);
      for (const [index, { buffer }] of picked.entries()) {
        expect(Buffer.from(await storedAttachment(installation, id, index)).equals(buffer)).toBe(true);
      }
      expect((await shown(installation, id)).attachments.map(({ part }) => part)).toEqual([
        "attachment_0",
        "attachment_1",
      ]);

      await page.uncheck(`${reportForm}-gzip`);
      expect(await sent(page, reportForm)).toEqual({ status: 200, body: { ...body, idempotent: true } });

      const more = Array.from({ length: 5 }, (_, i) => ({
        name: `${i}.txt`,
        mimeType: "text/plain",
        buffer: Buffer.from(""),
      }));
      await page.setInputFiles(`${reportForm}-files`, more);
      expect(await page.locator(`${reportForm} .files li`).count()).toBe(5);
      expect(await page.textContent(`${reportForm} .field .hint[role=status]`)).toContain("2 left out");
      await page.click(`${reportForm} [aria-label="Remove log.txt"]`);
      expect(await page.locator(`${reportForm} .files li`).count()).toBe(4);
    });
  });

  test("works where it was opened, without https too, and the command can be copied there", async () => {
    const { token } = await newToken(installation);
    const opened = server.url.replace("127.0.0.1", insecureHost);
    await read(
      async (page) => {
        expect(await page.evaluate("[isSecureContext, typeof navigator.clipboard]")).toEqual([false, "undefined"]);
        await page.fill(`${ticketForm}-credential`, token);
        expect((await sent(page, ticketForm)).status).toBe(201);
        await page.click('[aria-label="Copy the path of Create a ticket"]');
        expect(await page.textContent('[aria-label="Copy the path of Create a ticket"]')).toBe("Copied");
        await page.focus("#search");
        await page.keyboard.press("Control+v");
        expect(await page.inputValue("#search")).toBe("/api/v1/tickets");
      },
      { at: `${opened}/docs`, asked: [opened] },
    );
  });

  test("works below a path of a proxy", async () => {
    const { token } = await newToken(installation);
    const proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        if (!pathname.startsWith("/intake/")) return new Response(null, { status: 404 });
        return fetch(new Request(server.url + pathname.slice("/intake".length), request), { decompress: false });
      },
    });
    await read(
      async (page) => {
        await page.fill(`${ticketForm}-credential`, token);
        expect((await sent(page, ticketForm)).status).toBe(201);
      },
      { at: `${proxy.url.origin}/intake/docs`, asked: [proxy.url.origin] },
    );
    await proxy.stop(true);
  });

  test("the command can be copied", () =>
    read(
      async (page) => {
        const copy = '[aria-label="Copy the curl command of Create a ticket"]';
        await page.click(copy);
        await page.waitForSelector(`${copy}:text-is("Copied")`);
        expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
          (await page.textContent(`${ticketForm} > pre`)) ?? "",
        );
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    ));

  test("reports go to their own address, when there is one, and the answer can be read there", async () => {
    const { key } = await newSdkKey(installation);
    const elsewhere = await install();
    const pages = await serve(elsewhere.folder, ["--ingest-url", server.url]);
    try {
      await read(
        async (page) => {
          await page.fill(`${reportForm}-credential`, key);
          expect((await sent(page, reportForm)).status).toBe(200);
          await page.click(`${reportForm} .sent summary`);
          const headers = await page.textContent(`${reportForm} .headers`);
          for (const name of ["ratelimit", "ratelimit-policy", "x-request-id"]) expect(headers).toContain(name);
          expect(await page.textContent(`${reportForm} > pre`)).toContain(`'${server.url}/api/ingest'`);
        },
        { at: `${pages.url}/docs`, asked: [pages.url, server.url] },
      );
    } finally {
      await pages.stop();
      await elsewhere.remove();
    }
  });
});

describe("the command that does the same", () => {
  /** Runs the command as people do: pasted into a shell, with the credential in the environment. */
  async function run(page: Page, form: string, env: Record<string, string>, files: Record<string, Uint8Array> = {}) {
    const folder = temporaryFolder();
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const kept = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString("base64")]);
    const before = kept();
    const command = (await page.textContent(`${form} > pre`)) ?? "";
    for (const secret of Object.values(env)) expect(command).not.toContain(secret);
    const { stdout } = Bun.spawnSync(["sh", "-c", command], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env },
    });
    expect(kept()).toEqual(before);
    rmSync(folder, { recursive: true });
    const [head = "", body = ""] = stdout.toString().split(/\r\n\r\n(?=\{)/);
    return { status: Number(/^HTTP\/1\.1 (?!100)(\d+)/m.exec(head)?.[1]), body: JSON.parse(body) };
  }

  test("creates the same ticket", async () => {
    const { token } = await newToken(installation);
    await read(async (page) => {
      await page.fill(`${ticketForm}-title`, `$HOME isn't \`here\` "at all" \\ `);
      await page.fill(`${ticketForm}-description`, "one\n'two'\n");
      await page.fill(`${ticketForm}-Idempotency-Key`, "it's one");
      const { status, body } = await run(page, ticketForm, { INTAKE_TOKEN: token });
      expect(status).toBe(201);
      await page.fill(`${ticketForm}-credential`, token);
      expect(await sent(page, ticketForm)).toEqual({ status: 201, body });
      await page.click(`${ticketForm} .sent summary`);
      const headers = await page.textContent(`${ticketForm} .headers`);
      expect(headers).toContain("idempotent-replayed");
      expect(headers).not.toContain("idempotency-mismatch");
    });
  });

  const odd = `it's "two"; a,b\\c.png`;
  test.each([
    ["plain", odd],
    ["packed", odd],
    ["plain", "envelope.json"],
    ["packed", "envelope.json"],
    ["packed", "envelope.json.gz"],
  ])("submits the same report, %s, with a file named %s, and writes none", async (envelope, name) => {
    const { key } = await newSdkKey(installation);
    await read(async (page) => {
      await page.fill(
        `${reportForm}-envelope`,
        JSON.stringify({ title: "it's\nEOF\n$HOME", reportId: crypto.randomUUID() }, null, 1),
      );
      await page.setChecked(`${reportForm}-gzip`, envelope === "packed");
      await page.setInputFiles(`${reportForm}-files`, { name, mimeType: "image/png", buffer: screenshot });
      const { status, body } = await run(page, reportForm, { INTAKE_KEY: key }, { [name]: screenshot });
      expect([status, body]).toMatchObject([200, { idempotent: false }]);
      const stored = await storedAttachment(installation, body.eventId, 0);
      expect(Buffer.from(stored).equals(screenshot)).toBe(true);
      await page.fill(`${reportForm}-credential`, key);
      expect(await sent(page, reportForm)).toEqual({ status: 200, body: { ...body, idempotent: true } });
    });
  });
});

describe("by keyboard alone", () => {
  const focused = (page: Page) =>
    page.evaluate<string>("document.activeElement.id || document.activeElement.textContent");

  test("from the search to an error code and back", () =>
    read(async (page) => {
      await page.keyboard.press("/");
      expect(await focused(page)).toBe("search");
      await page.keyboard.type("project_req");
      await page.waitForSelector("#found a");
      await page.keyboard.press("Enter");
      expect(new URL(page.url()).hash).toBe("#error-project_required");
      await page.keyboard.press("/");
      await page.keyboard.type("title");
      await page.keyboard.press("ArrowDown");
      expect(await focused(page)).toStartWith("title");
      await page.keyboard.press("Escape");
      expect([await focused(page), await page.inputValue("#search")]).toEqual(["search", ""]);
      await page.keyboard.type("no such thing at all");
      expect(await page.textContent("#found")).toBe("Nothing found");
    }));

  test("from the top to a ticket", async () => {
    const { token } = await newToken(installation);
    await read(async (page) => {
      await page.keyboard.press("Tab");
      expect(await focused(page)).toBe("Skip to the reference");
      await page.keyboard.press("Enter");
      for (let i = 0; i < 80 && (await focused(page)) !== "createTicket-try-credential"; i++)
        await page.keyboard.press("Tab");
      await page.keyboard.type(token);
      // While somebody types in a field, a slash is an ordinary character.
      for (let i = 0; i < 9 && (await focused(page)) !== "createTicket-try-title"; i++)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Control+a");
      await page.keyboard.type("a/b");
      await page.keyboard.press("Enter");
      expect(await answerOf(page, ticketForm)).toMatchObject({ status: 201, body: { title: "a/b" } });
      expect(await focused(page)).toBe("createTicket-try-title");
    });
  });

  test("whatever has the focus shows it", () =>
    read(async (page) => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const seen = await page.evaluate<boolean>(`(() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
          return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
        })()`);
        expect([await focused(page), seen]).toEqual([expect.anything(), true]);
      }
    }));
});

for (const width of [1440, 390]) {
  test(`${width} px: nothing sticks out, axe finds nothing in either theme`, async () => {
    const { token } = await newToken(installation);
    const { key } = await newSdkKey(installation);
    const options = { viewport: { width, height: width === 1440 ? 900 : 844 }, reducedMotion: "reduce" } as const;
    await read(async (page) => {
      const shot = (name: string) => inBothThemes(page, (theme) => shoot(page, `${name}-${theme}-${width}`));
      await shot("top");
      await page.fill(`${ticketForm}-credential`, token);
      await sent(page, ticketForm);
      await page.locator(`${ticketForm} .answered`).scrollIntoViewIfNeeded();
      await shot("ticket");
      await page.fill(`${reportForm}-credential`, key);
      await page.setInputFiles(`${reportForm}-files`, {
        name: `${"long".repeat(20)}.png`,
        mimeType: "image/png",
        buffer: screenshot,
      });
      await sent(page, reportForm);
      await page.locator(`${reportForm} .files`).scrollIntoViewIfNeeded();
      await shot("report");
      for (const id of ["createTicket-400", "error-project_required", "envelope-attachments", "limits"]) {
        await page.evaluate(`location.hash = "${id}"`);
        await page.locator(`#${id}`).scrollIntoViewIfNeeded();
        await shot(id);
      }
      await page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await page.fill("#search", "id");
      if (width < 760) await page.click(".menu");
      await inBothThemes(page, async (theme) => {
        await shoot(page, `search-${theme}-${width}`);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        expect(await violationsIn(page)).toEqual([]);
      });
    }, options);
  });
}
