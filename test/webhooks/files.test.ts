import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { openSealing } from "../../server/core/open-sealing.ts";
import { type Linked, Links } from "../../server/files/links.ts";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import { attachment, envelope, eventTools, newSdkKey, type PartInput, received } from "../support/ingest.ts";
import { describeTargets } from "../support/targets.ts";

const png = readFileSync(`${import.meta.dir}/../screen.png`);
const text = '\ufeff{ "type" : "crash",\n "attachments": [{"part": "absent"}] }';
const html = "<script>alert(document.domain)</script>";
const gif = Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1");
const parts: PartInput[] = [
  envelope(text),
  attachment(png, 0, { filename: "Bild ä'(1)*.png", type: "image/png" }),
  attachment(html, 1, { filename: "page.html", type: "text/html" }),
  attachment('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 2, {
    filename: "a.svg",
    type: "image/svg+xml",
  }),
  attachment(html, 3, { filename: "liar.png", type: "image/png" }),
  attachment("", 4, { filename: "..\\..\\..%2Fetc", type: "text/plain\tx; charset=utf-8" }),
];
const absent = 5;

describeTargets(
  "linked files",
  (target) => {
    let eventId: string;
    let links: Links;
    beforeAll(async () => {
      const { installation } = target();
      links = new Links(await openSealing(installation.folder, installation.ctx.store));
      const { key } = await newSdkKey(installation);
      ({ eventId } = await received(target(), { key, parts }));
    });
    const get = (what: Linked, init: RequestInit = {}) => target().send(links.pathOf(eventId, what), init);
    const ranged = (range: string, what: Linked = 0) => get(what, { headers: { range } });

    test("an attachment is what came, and nothing in it can run or be kept", async () => {
      const response = await get(0);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.bytes()).equals(png)).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "image/png",
        "content-disposition": "inline; filename*=UTF-8''Bild%20%C3%A4%27%281%29%2a.png",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "private, no-store",
        "accept-ranges": "bytes",
        "x-request-id": expect.any(String),
      });
      expect(response.headers.has("set-cookie")).toBe(false);
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
    });

    test("what is no picture by its first bytes is saved and not shown, whatever its sender says", async () => {
      const shown = [];
      for (const what of [0, 1, 2, 3, 4, "envelope"] as const) {
        const { headers } = await get(what);
        shown.push([headers.get("content-disposition")?.split(";")[0], headers.get("content-type")]);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
      expect(shown).toEqual([
        ["inline", "image/png"],
        ["attachment", "text/html"],
        ["attachment", "image/svg+xml"],
        ["attachment", "image/png"],
        ["attachment", "application/octet-stream"],
        ["attachment", "application/json"],
      ]);
    });

    test("pictures of other kinds are shown too", async () => {
      const { key } = await newSdkKey(target().installation);
      const other = await received(target(), { key, parts: [envelope(), attachment(gif, 0, { type: "text/html" })] });
      const response = await target().send(links.pathOf(other.eventId, 0));
      expect(response.headers.get("content-type")).toBe("image/gif");
      expect(response.headers.get("content-disposition")).toStartWith("inline");
    });

    test("names of files stay names", async () => {
      const { headers } = await get(4);
      expect(headers.get("content-disposition")).toMatch(/^attachment; filename\*=UTF-8''[\w%.-]+$/);
    });

    test("a name that reads as another kind of file is saved as what it is", async () => {
      const { key } = await newSdkKey(target().installation);
      const parts = [envelope(), attachment("MZ", 0, { filename: "photo\u202egnp.exe" })];
      const { eventId: id } = await received(target(), { key, parts });
      const { headers } = await target().send(links.pathOf(id, 0));
      const name = encodeURIComponent("photo[U+202E]gnp.exe");
      expect(headers.get("content-disposition")).toBe(`attachment; filename*=UTF-8''${name}`);
    });

    test("the envelope is its own text, also when it was packed", async () => {
      expect(Buffer.from(await (await get("envelope")).bytes()).toString()).toBe(text);
      const { key } = await newSdkKey(target().installation);
      const long = JSON.stringify({ text: "long ".repeat(100_000) });
      const packed = await received(target(), { key, parts: [envelope(gzipSync(long))] });
      const response = await target().send(links.pathOf(packed.eventId, "envelope"));
      expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''envelope.json");
      expect(await response.text()).toBe(long);
    });

    test("HEAD is the same without the bytes", async () => {
      for (const what of [0, 4, "envelope"] as const) {
        const [whole, head] = [await get(what), await get(what, { method: "HEAD" })];
        expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
        for (const name of ["content-type", "content-disposition", "content-security-policy"]) {
          expect(head.headers.get(name)).toBe(whole.headers.get(name));
        }
        if (target().way !== "in process") {
          expect(head.headers.get("content-length")).toBe(String((await whole.bytes()).length));
        }
      }
    });

    describe("a part", () => {
      test("is answered where there is one", async () => {
        const parts: [string, number, number][] = [
          ["bytes=0-9", 0, 10],
          [`bytes=${png.length - 3}-`, png.length - 3, png.length],
          ["bytes=-7", png.length - 7, png.length],
          ["bytes=5-999999999", 5, png.length],
        ];
        for (const [range, start, end] of parts) {
          const response = await ranged(range);
          expect([response.status, response.headers.get("content-range")]).toEqual([
            206,
            `bytes ${start}-${end - 1}/${png.length}`,
          ]);
          expect(Buffer.from(await response.bytes()).equals(png.subarray(start, end))).toBe(true);
          expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
        }
        const half = await ranged("bytes=0-3", "envelope");
        expect([half.status, Buffer.from(await half.bytes())]).toEqual([206, Buffer.from(text).subarray(0, 4)]);
      });

      test("is refused where there is none, of an empty file too", async () => {
        for (const [range, what, size] of [
          [`bytes=${png.length}-`, 0, png.length],
          ["bytes=-0", 0, png.length],
          ["bytes=0-", 4, 0],
          ["bytes=-5", 4, 0],
        ] as const) {
          const response = await ranged(range, what);
          expect([range, response.status, response.headers.get("content-range")]).toEqual([
            range,
            416,
            `bytes */${size}`,
          ]);
          expect((await response.bytes()).length).toBe(0);
        }
      });

      test("that is not understood is the whole", async () => {
        for (const range of ["bytes=3-1", "bytes=0-1,4-5", "lines=1-2", "x"]) {
          const response = await ranged(range);
          expect([response.status, (await response.bytes()).length]).toEqual([200, png.length]);
        }
      });
    });

    test("no other link leads anywhere, and all that do not look alike", async () => {
      const code = (what: Linked) => links.pathOf(eventId, what).split("/").at(-1) ?? "";
      const { key } = await newSdkKey(target().installation);
      const other = (await received(target(), { key })).eventId;
      const wrong = [
        `/files/${eventId}/0/${"A".repeat(32)}`,
        `/files/${eventId}/0/${code(1)}`,
        `/files/${eventId}/0/${code(0)}x`,
        `/files/${eventId}/0/${code(0).slice(1)}`,
        `/files/${eventId}/0/%00`,
        `/files/${eventId}/0/%ff`,
        `/files/${eventId}/%ff/${code(0)}`,
        `/files/%E0%A4%A/0/${code(0)}`,
        `/files/${eventId}/0/${"é".repeat(16)}`,
        `/files/${eventId}/1e0/${code(1)}`,
        `/files/${eventId}/-0/${code(0)}`,
        `/files/${eventId}/1234/${code(0)}`,
        `/files/${eventId}/..%2F0/${code(0)}`,
        `/files/${eventId.toUpperCase()}/0/${code(0)}`,
        `/files/${other}/0/${code(0)}`,
        `/files/%00/0/${code(0)}`,
        `/files/${eventId}/envelope/${code(0)}`,
        // Rightly made, and there is nothing.
        links.pathOf(eventId, absent),
        links.pathOf(eventId, 6),
        links.pathOf(other, 0),
        links.pathOf(target().installation.ctx.newId(), "envelope"),
        links.pathOf("../..", 0),
      ];
      const bodies = new Set<string>();
      for (const path of wrong) {
        const response = await target().send(path);
        expect([path, response.status]).toEqual([path, 404]);
        bodies.add(await response.text());
      }
      expect([...bodies].map((body) => JSON.parse(body).error)).toEqual(["not_found"]);
    });

    test("a link lives as long as its event", async () => {
      const { installation } = target();
      const { key } = await newSdkKey(installation);
      const { eventId: id } = await received(target(), { key, parts: [envelope(), attachment("bytes")] });
      const statuses = async () => [
        (await target().send(links.pathOf(id, 0))).status,
        (await target().send(links.pathOf(id, "envelope"))).status,
      ];
      expect(await statuses()).toEqual([200, 200]);
      await deleteEvent({ ctx: installation.ctx, tools: eventTools(installation), input: { id } });
      expect(await statuses()).toEqual([404, 404]);
    });
  },
  ["over loopback", "compiled binary"],
);
