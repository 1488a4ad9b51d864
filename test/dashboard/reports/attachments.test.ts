import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { ReportDetail } from "../../../server/reports/show-report.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { read, report } from "./pages.ts";

const png = readFileSync(`${import.meta.dir}/../../screen.png`);
const script = "<script>alert(document.domain)</script>";
const mp4 = Buffer.concat([Buffer.from("0000001866747970697365736d", "hex"), Buffer.alloc(64)]);
mp4.write("isom", 8, "latin1");
const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex");

describeTargets(
  "attachments",
  (target) => {
    let cookie = "";
    let shown: ReportDetail["attachments"] = [];

    const sent: { name: string; body: string | Uint8Array; type?: string; view: string; inline: boolean }[] = [
      { name: 'Bild "ä".png', body: png, type: "text/html", view: "image", inline: true },
      { name: "video.mp4", body: mp4, view: "video", inline: true },
      { name: "video.webm", body: webm, view: "video", inline: true },
      { name: "page.html", body: script, type: "text/html", view: "text", inline: false },
      { name: "liar.png", body: script, type: "image/png", view: "none", inline: false },
      {
        name: "a.svg",
        body: `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
        type: "image/svg+xml",
        view: "text",
        inline: false,
      },
      { name: "a.pdf", body: "%PDF-1.7\n", type: "application/pdf", view: "none", inline: false },
      {
        name: "app.log",
        body: `\u001b[31mred\u001b[0m ${"ä".repeat(40_000)}`,
        type: "text/plain",
        view: "text",
        inline: false,
      },
      { name: "core.log", body: Buffer.from([1, 0, 2]), type: "text/plain", view: "text", inline: false },
    ];

    beforeAll(async () => {
      cookie = (await signIn(target(), "member")).cookie;
      for (let start = 0; start < sent.length; start += 5) {
        const id = await report(target(), { title: "with files" }, sent.slice(start, start + 5));
        const detail = await read<ReportDetail>(target(), cookie, `/internal/reports/${id}`);
        shown = [...shown, ...detail.attachments];
      }
    });

    const get = (name: string, more = "", headers: Record<string, string> = {}) => {
      const { id } = shown.find(({ filename }) => filename === name) ?? {};
      return target().send(`/internal/attachments/${id}${more}`, { headers: { cookie, ...headers } });
    };

    test("are shown only as what their first bytes are, and otherwise saved", async () => {
      for (const { name, body, view, inline } of sent) {
        expect([name, shown.find(({ filename }) => filename === name)?.view]).toEqual([name, view]);
        const response = await get(name);
        const { headers } = response;
        expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(body as string))).toBe(true);
        expect([name, headers.get("content-disposition")?.split(";")[0]]).toEqual([
          name,
          inline ? "inline" : "attachment",
        ]);
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
        expect(headers.get("cache-control")).toStartWith("private");
        if (inline) expect(headers.get("content-type")).toMatch(/^(image\/png|video\/(mp4|webm))$/);
        expect((await get(name, "?download")).headers.get("content-disposition")).toStartWith("attachment;");
      }
    });

    test("can be read in part, for players", async () => {
      const part = await get("video.mp4", "", { range: "bytes=4-7" });
      expect(part.status).toBe(206);
      expect(part.headers.get("content-range")).toBe(`bytes 4-7/${mp4.length}`);
      expect(await part.text()).toBe("ftyp");
    });

    test("of text: the beginning, without colours, cut between characters", async () => {
      const preview = (await (await get("app.log", "/text")).json()) as { text: string };
      expect(preview as object).toEqual({ text: expect.any(String), cut: true, size: 80_000 + 13 });
      expect(preview.text).toStartWith("red ää");
      expect(preview.text).toMatch(/^red ä+$/);
      expect(await (await get("page.html", "/text")).json()).toEqual({ text: script, cut: false, size: script.length });
    });

    test("that are no text are not shown as such", async () => {
      for (const name of ["core.log", 'Bild "ä".png']) {
        const response = await get(name, "/text");
        expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([409, "conflict"]);
      }
    });

    test("are for whoever is signed in", async () => {
      const { id } = shown[0] ?? {};
      for (const more of ["", "/text"]) {
        expect((await target().send(`/internal/attachments/${id}${more}`)).status).toBe(401);
      }
      const absent = await target().send(`/internal/attachments/${crypto.randomUUID()}`, { headers: { cookie } });
      expect(absent.status).toBe(404);
    });
  },
  ["in process", "compiled binary"],
);
