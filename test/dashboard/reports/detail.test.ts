import { beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { ReportDetail } from "../../../server/reports/show-report.ts";
import { call } from "../../support/call.ts";
import { attachment, envelope, newSdkKey, received } from "../../support/ingest.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { read, report } from "./pages.ts";

const reportId = "5f0c7f0e-2f0b-4c5e-9a39-0a6f6a3f6c11";
const members = {
  reportId,
  type: "crash",
  title: "<img src=x onerror=alert(1)> `total`\nof undefined",
  level: "fatal",
  message: "Line 1\n\u202eevil",
  occurredAt: "2026-11-21T12:00:00.000Z",
  sentAt: "2020-01-01T00:00:00.000Z",
  app: { version: "4.12.0", environment: "production", name: "shop" },
  tags: { screen: "checkout", odd: 7 },
  exception: { type: "TypeError", message: "no total", stack: "at pay (checkout.js:41:7)" },
  breadcrumbs: [{ at: "2026-11-21T11:59:58.000Z", message: "opened" }],
  dropped: [{ filename: "run.mp4", size: 32_505_856, reason: "over the limit" }],
  attachments: [
    { part: "attachment_0", filename: "screen.png", kind: "screenshot" },
    { part: "absent", filename: "late.log", kind: "log" },
  ],
};
const text = `\ufeff${JSON.stringify(members, null, 2)}\n`;
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describeTargets(
  "a report",
  (target) => {
    let admin = "";
    let member = "";
    let id = "";
    const detail = (cookie = member) => read<ReportDetail>(target(), cookie, `/internal/reports/${id}`);

    beforeAll(async () => {
      admin = (await signIn(target(), "admin")).cookie;
      member = (await signIn(target(), "member")).cookie;
      const { key } = target().installation.made.sdkKey;
      const first = [
        envelope(gzipSync(text)),
        attachment(png, 0, { filename: "screen.png" }),
        attachment("log", 1, { filename: "app.log", type: "text/plain" }),
      ];
      id = (await received(target(), { key, parts: first })).eventId;
    });

    test("is told with its receipt and everything that its envelope says", async () => {
      const { made } = target().installation;
      expect(await detail()).toMatchObject({
        id,
        projectId: made.project.id,
        reportId,
        title: members.title.replace(/\n/, "\n"),
        level: "fatal",
        receipt: {
          key: { id: made.sdkKey.id, end: made.sdkKey.key.slice(-4), state: "active" },
          envelopeBytes: Buffer.byteLength(text),
          files: 2,
          fileBytes: png.length + 3,
          received: 1,
          digest: Bun.SHA256.hash(text, "hex"),
        },
        message: members.message,
        exceptions: [{ type: "TypeError", frames: [{ function: "pay", file: "checkout.js", line: 41 }] }],
        breadcrumbs: { items: [{ message: "opened", beforeMs: 2_000 }], total: 1 },
        dropped: members.dropped,
        tags: { screen: "checkout" },
        attachments: [
          { part: "attachment_0", filename: "screen.png", state: "stored", view: "image", there: true },
          { part: "attachment_1", filename: "app.log", state: "unlisted", view: "text", there: true },
          { part: "absent", filename: "late.log", state: "missing", view: "none", there: false },
        ],
        warnings: expect.arrayContaining([expect.objectContaining({ path: "/tags/odd", code: "wrong_type" })]),
        deliveries: [],
        repeats: [],
        cards: [],
      });
    });

    test("says how far the sender's clock is off", async () => {
      const { receipt, clockDriftSeconds } = await detail();
      expect(clockDriftSeconds).toBe(Math.round((Date.parse(members.sentAt) - Date.parse(receipt.at)) / 1_000));
    });

    test("gives the exact bytes of its envelope, whole and in part, never to be shown by a browser", async () => {
      const path = `/internal/reports/${id}/envelope`;
      const whole = await target().send(path, { headers: { cookie: member } });
      expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.from(text))).toBe(true);
      expect(whole.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(whole.headers.get("content-disposition")).toStartWith("attachment;");
      expect(whole.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      const part = await target().send(path, { headers: { cookie: member, range: "bytes=3-9" } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(Buffer.from(text).subarray(3, 10))).toBe(true);
    });

    test("notes each repeat: when it came, by which key, and what it lacked", async () => {
      const { id: keyId, key } = await newSdkKey(target().installation, { name: "second" });
      const parts = [envelope(text), attachment("log", 0, { filename: "app.log" })];
      const repeat = await received(target(), { key, parts });
      expect(repeat).toMatchObject({ eventId: id, idempotent: true });
      const { receipt, repeats } = await detail();
      expect(receipt.received).toBe(2);
      expect(repeats).toEqual([{ at: expect.any(String), key: "second", lacked: ["screen.png"] }]);
      expect(keyId).not.toBe(receipt.key?.id);
    });

    test("keeps the last hundred repeats", async () => {
      const { key } = await newSdkKey(target().installation, { name: "third" });
      for (let i = 0; i < 100; i++) await received(target(), { key, parts: [envelope(text)] });
      const { receipt, repeats } = await detail();
      expect(receipt.received).toBe(102);
      expect(repeats.map((one) => one.key)).toEqual(Array.from({ length: 100 }, () => "third"));
    }, 180_000);

    describe("becomes a card", () => {
      const op = crypto.randomUUID();
      const make = (body: unknown) => call(target(), "POST", "/internal/reports/card", { cookie: member, body });

      test("once, that leads back to it, with what the sender wrote as code", async () => {
        const { status, body } = await make({ op, reportIds: [id] });
        expect(status).toBe(200);
        expect(await make({ op, reportIds: [id] })).toMatchObject({ status: 200, body });
        const { cards } = await detail();
        expect(cards).toEqual([
          { id: String(body["id"]), title: "<img src=x onerror=alert(1)> `total` of undefined", archived: false },
        ]);
        const card = await read<{ description: string }>(target(), member, `/internal/cards/${body["id"]}`);
        expect(card.description).toContain(`/reports/${id})`);
        expect(card.description).toContain("`<img src=x onerror=alert(1)> 'total' of undefined`");
      });

      test("not from what is none, nor from two projects", async () => {
        const absent = { op: crypto.randomUUID(), reportIds: [crypto.randomUUID()] };
        expect(await make(absent)).toMatchObject({ status: 404, body: { error: "not_found" } });
        expect(await make({ op, reportIds: [] })).toMatchObject({ status: 400 });
      });
    });

    describe("can be deleted", () => {
      test("by admins only", async () => {
        for (const [method, path, body] of [
          ["DELETE", `/internal/reports/${id}`, undefined],
          ["POST", "/internal/reports/delete", { ids: [id] }],
        ] as const) {
          const denied = await call(target(), method, path, { cookie: member, body });
          expect(denied).toMatchObject({ status: 403, body: { error: "permission_denied" } });
        }
        expect((await detail()).id).toBe(id);
      });

      test("with its files, and several at once", async () => {
        const { attachments } = await detail();
        const other = await report(target(), { title: "another" });
        const ids = [id, other, crypto.randomUUID()];
        const gone = await call(target(), "POST", "/internal/reports/delete", { cookie: admin, body: { ids } });
        expect(gone.body).toEqual({ deleted: 2 });
        for (const path of [`reports/${id}`, `reports/${id}/envelope`, `attachments/${attachments[0]?.id}`]) {
          expect((await target().send(`/internal/${path}`, { headers: { cookie: member } })).status).toBe(404);
        }
        const again = await call(target(), "DELETE", `/internal/reports/${id}`, { cookie: admin });
        expect(again).toMatchObject({ status: 404, body: { error: "not_found" } });
      });

      test("with its project, out of sight at once", async () => {
        const { made, ctx } = target().installation;
        const parts = [envelope("{}"), attachment("log", 0, { filename: "app.log", type: "text/plain" })];
        id = (await received(target(), { key: made.sdkKey.key, parts })).eventId;
        const { attachments } = await detail();
        const file = attachments[0]?.id;
        await ctx.store.write(function* (tx) {
          yield* tx.run("update project set deleted_at = $2 where id = $1", [made.project.id, ctx.now()]);
        });
        for (const path of [
          `reports/${id}`,
          `reports/${id}/envelope`,
          `attachments/${file}`,
          `attachments/${file}/text`,
        ]) {
          expect((await target().send(`/internal/${path}`, { headers: { cookie: member } })).status).toBe(404);
        }
      });
    });
  },
  ["in process", "compiled binary"],
);
