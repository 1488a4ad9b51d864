import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import {
  type Answer,
  attachment,
  boundary,
  envelope,
  form,
  newSdkKey,
  type PartInput,
  received,
  shown,
  storedAttachment,
  storedEnvelope,
  submit,
} from "../support/ingest.ts";
import { describeTargets, type Target } from "../support/targets.ts";

const off = { rateLimits: false };
const ways = ["in process", "over loopback", "compiled binary"] as const;
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describeTargets(
  "parts of a report",
  (target) => {
    const take = (parts: readonly PartInput[], body?: Uint8Array) => taken(target(), parts, body);
    const stored = async (parts: readonly PartInput[]) =>
      Buffer.from(await storedEnvelope(target().installation, (await take(parts)).eventId)).toString();
    const refused = (parts: readonly PartInput[]) => refusal(target(), form(parts));
    const report = (n: string) => ({ n, id: crypto.randomUUID() });

    test("the envelope may come first, last or in the middle, and attachments have any name", async () => {
      const names = ["screenshot", "upload_file_minidump", "größe", "a b", "attachment_0", "Envelope"];
      for (const at of [0, 2, 5]) {
        const value = report(`at ${at}`);
        const parts: PartInput[] = names.slice(0, 5).map((name, i) => ({ name, body: `content ${at} ${i}` }));
        parts.splice(at, 0, envelope(value));
        const { eventId } = await take(parts);
        const { attachments } = await shown(target().installation, eventId);
        expect(attachments.map(({ part, state, index }) => ({ part, state, index }))).toEqual(
          names.slice(0, 5).map((part, index) => ({ part, state: "stored", index })),
        );
        for (let i = 0; i < 5; i++) {
          const bytes = await storedAttachment(target().installation, eventId, i);
          expect(Buffer.from(bytes).toString()).toBe(`content ${at} ${i}`);
        }
        expect(Buffer.from(await storedEnvelope(target().installation, eventId)).toString()).toBe(
          JSON.stringify(value),
        );
      }
    });

    test("every part that is not the envelope is an attachment, with a file name or without", async () => {
      const parts = [
        envelope(report("x")),
        { name: "comment", body: "no file name" },
        { name: "file", filename: "a.log", type: "text/plain", body: "one" },
      ];
      const { attachments } = await shown(target().installation, (await take(parts)).eventId);
      expect(attachments).toMatchObject([
        { index: 0, part: "comment", filename: null, contentType: null, size: 12 },
        { index: 1, part: "file", filename: "a.log", contentType: "text/plain", size: 3 },
      ]);
    });

    test("the envelope may have a file name and any type", async () => {
      for (const [filename, type] of [
        ["report.json", "application/json"],
        ["blob", "application/octet-stream"],
        ["x.html", "text/html; charset=utf-8"],
        ["e.gz", "application/gzip"],
      ] as const) {
        const value = report(type);
        expect(await stored([{ ...envelope(value), filename, type }])).toBe(JSON.stringify(value));
      }
    });

    test("the name goes before what parts hold", async () => {
      const value = report("the one");
      const other = { name: "other", type: "application/json", body: JSON.stringify(report("no")) };
      expect(await stored([other, envelope(value), { ...other, name: "more" }])).toBe(JSON.stringify(value));
    });

    test("without the name, the only part that holds JSON is the envelope", async () => {
      const value = report("nameless");
      const text = JSON.stringify(value);
      for (const body of [text, `\uFEFF${text}`, ` \n\t${text}\n`]) {
        const parts = [attachment(png), { name: "data", body }, attachment("plain text", 1), attachment("", 2)];
        expect(await stored(parts)).toBe(body);
      }
      // A number and a text are JSON, but not objects.
      const bare = [
        { name: "count", body: "42" },
        { name: "word", body: '"text"' },
        { name: "none", body: "null" },
      ];
      expect(await stored([...bare, { name: "report", body: JSON.stringify(report("beside")) }])).toStartWith("{");
      const broken = { name: "broken", body: '{"not": closed' };
      expect(await stored([broken, { name: "report", body: JSON.stringify(report("whole")) }])).toStartWith("{");
    });

    test("without the name, packed JSON is the envelope too, beside packed files that hold none", async () => {
      const value = report("packed");
      const parts = [
        attachment(gzipSync("a log")),
        { name: "data", body: gzipSync(JSON.stringify(value)) },
        attachment(gzipSync("more"), 1),
      ];
      expect(await stored(parts)).toBe(JSON.stringify(value));
    });

    test("without the name, an array is found and is not an object", async () => {
      expect(await refused([{ name: "list", body: "[1]" }, attachment(png)])).toBe("envelope_not_object");
    });

    test("without the name, no JSON and several are envelope_missing", async () => {
      const json = (name: string) => ({ name, body: "{}" });
      expect(await refused([])).toBe("envelope_missing");
      expect(await refused([attachment(png)])).toBe("envelope_missing");
      expect(await refused([attachment("")])).toBe("envelope_missing");
      expect(await refused([{ name: "a", body: "42" }])).toBe("envelope_missing");
      expect(await refused([{ name: "a", body: "{" }])).toBe("envelope_missing");
      expect(await refused([json("a"), json("b")])).toBe("envelope_missing");
      expect(await refused([json("a"), { name: "b", body: "[]" }])).toBe("envelope_missing");
      expect(await refused([json("ENVELOPE"), json("envelope ")])).toBe("envelope_missing");
    });

    test("two parts of the name are malformed, even when one of them is empty", async () => {
      expect(await refused([envelope({}), envelope({})])).toBe("multipart_malformed");
      expect(await refused([envelope({}), attachment(png), envelope("")])).toBe("multipart_malformed");
    });

    test("one part name may come twice among attachments", async () => {
      const value = {
        ...report("twice"),
        attachments: [
          { part: "log", filename: "a.log", kind: "log" },
          { part: "log", filename: "b.log", kind: "recording" },
        ],
      };
      const answer = await take([envelope(value), { name: "log", body: "one" }, { name: "log", body: "two" }]);
      expect(answer.warnings).toBeUndefined();
      const { attachments } = await shown(target().installation, answer.eventId);
      expect(attachments).toMatchObject([
        { part: "log", filename: "a.log", kind: "log", state: "stored" },
        { part: "log", filename: "b.log", kind: "recording", state: "stored" },
      ]);
      expect(Buffer.from(await storedAttachment(target().installation, answer.eventId, 1)).toString()).toBe("two");
    });

    for (const [name, body] of [
      ["nothing at all", ""],
      ["no boundary in it", "just text"],
      ["another boundary", form([envelope({})], "other").toString()],
      [
        "no closing boundary",
        form([envelope({})])
          .toString()
          .slice(0, -4),
      ],
      [
        "cut within the envelope",
        form([envelope({ long: "x".repeat(100) })])
          .toString()
          .slice(0, 150),
      ],
      ["headers without an end", `--${boundary}\r\nContent-Disposition: form-data; name="envelope"\r\n`],
      ["a part without disposition", withHeaders(["Content-Type: application/json"])],
      ["a part without a name", withHeaders(["Content-Disposition: form-data"])],
      ["a line that is no header", withHeaders(['Content-Disposition: form-data; name="envelope"', "nonsense"])],
      ["base64", withHeaders(['Content-Disposition: form-data; name="envelope"', "Content-Transfer-Encoding: base64"])],
    ] as const) {
      test(`${name}: multipart_malformed`, async () => {
        expect(await refusal(target(), Buffer.from(body))).toBe("multipart_malformed");
      });
    }

    test("a preamble, an epilogue, blanks after boundaries and bare header names are fine", async () => {
      const value = JSON.stringify(report("frame"));
      const body = `preamble\r\n--${boundary}  \r\ncontent-disposition:form-data;name=envelope\r\n\r\n${value}\r\n--${boundary}--  \r\nepilogue`;
      const { eventId } = await take([], Buffer.from(body));
      expect(Buffer.from(await storedEnvelope(target().installation, eventId)).toString()).toBe(value);
    });

    test("bytes that look like a boundary stay content", async () => {
      const tricky = [
        `\r\n--${boundary.slice(0, -1)}\r\n`,
        `x--${boundary}`,
        `\r\n--${boundary}x\r\n`,
        `\r\n-${boundary}--`,
        "\r\n--\r\n\r\n",
        `\n--${boundary}--\n`,
        "\r",
        "\r\n",
      ];
      for (const [i, body] of tricky.entries()) {
        const { eventId } = await take([
          envelope(report(`tricky ${i}`)),
          attachment(body),
          attachment(body.repeat(3), 1),
        ]);
        expect(Buffer.from(await storedAttachment(target().installation, eventId, 0)).toString()).toBe(body);
        expect(Buffer.from(await storedAttachment(target().installation, eventId, 1)).toString()).toBe(body.repeat(3));
      }
    });

    test("a boundary may be quoted, short, long or odd, and stand among other parameters", async () => {
      const { key } = await newSdkKey(target().installation);
      for (const [mark, type] of [
        ["x", "multipart/form-data; boundary=x"],
        ["x", "Multipart/Form-Data;charset=utf-8;BOUNDARY=x"],
        ["a b:c", 'multipart/form-data; boundary="a b:c"; charset=utf-8'],
        ["y".repeat(70), `multipart/form-data; boundary=${"y".repeat(70)}`],
        ["--", "multipart/form-data; boundary=--"],
        ["'()+_,-./:=?", `multipart/form-data; boundary="'()+_,-./:=?"`],
      ] as const) {
        const body = form([envelope(report(mark)), attachment("x")], mark);
        const response = await submit(target(), { key, body, headers: { "content-type": type } });
        expect([type, response.status]).toEqual([type, 200]);
      }
    });
  },
  ways,
  off,
);

describeTargets(
  "the envelope",
  (target) => {
    const take = (value: unknown) => taken(target(), [envelope(value)]);
    const refused = (body: string | Uint8Array) => refusal(target(), form([{ body }]));

    test("is kept to the byte, whatever its JSON looks like", async () => {
      for (const text of [
        "{}",
        ' { "b" : 1 ,\n"a":\t[1.0, 1e2, 12345678901234567890, -0] } \r\n',
        '\uFEFF{"bom": true}',
        '{"text": "é \u{1F41E} \\u00e9 \\ud83d\\udc1e \\u0000 \\ud800"}',
        '{"a": 1, "a": 2, "__proto__": {"polluted": true}, "constructor": null, "": 0}',
        `{"deep": ${"[".repeat(500)}${"]".repeat(500)}}`,
        `{"long": "${"ü".repeat(100_000)}"}`,
      ]) {
        for (const body of [Buffer.from(text), gzipSync(text)]) {
          const { eventId } = await take(body);
          expect(Buffer.from(await storedEnvelope(target().installation, eventId)).toString()).toBe(text);
          const event = await shown(target().installation, eventId);
          expect(event.envelopeBytes).toBe(Buffer.byteLength(text));
          expect(event.digest).toBe(Bun.SHA256.hash(text, "hex"));
        }
      }
    });

    test("may be gzip of several members, with NUL bytes after them", async () => {
      const whole = JSON.stringify({ id: crypto.randomUUID(), n: 1 });
      const members = Buffer.concat([gzipSync(whole.slice(0, 10)), gzipSync(whole.slice(10))]);
      for (const body of [members, Buffer.concat([members, Buffer.alloc(600)])]) {
        const { eventId } = await take(body);
        expect(Buffer.from(await storedEnvelope(target().installation, eventId)).toString()).toBe(whole);
      }
    });

    test("that is damaged gzip is envelope_gzip_corrupt", async () => {
      const packed = gzipSync(JSON.stringify({ text: "x".repeat(1_000) }));
      const flipped = (at: number) => {
        const copy = Buffer.from(packed);
        copy[at] = (copy[at] ?? 0) ^ 0xff;
        return copy;
      };
      for (const body of [
        packed.subarray(0, -1),
        packed.subarray(0, 12),
        packed.subarray(0, 2),
        flipped(packed.length - 1),
        flipped(packed.length - 6),
        Buffer.concat([packed, Buffer.from("x")]),
        Buffer.concat([packed, Buffer.alloc(4), Buffer.from("x")]),
        Buffer.concat([packed, packed.subarray(0, 20)]),
      ]) {
        expect(await refused(body)).toBe("envelope_gzip_corrupt");
      }
    });

    test("that is no JSON in UTF-8 is envelope_not_json; one layer of gzip is unwrapped", async () => {
      for (const body of [
        "",
        " ",
        "{",
        "{}x",
        "{'a': 1}",
        "{a: 1}",
        '{"a": 1,}',
        "NaN",
        '{"a": NaN}',
        "undefined",
        '{"a": "\n"}',
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
        Buffer.from('{"a": 1}', "utf16le"),
        gzipSync("{"),
        gzipSync(gzipSync("{}")),
      ]) {
        expect(await refused(body)).toBe("envelope_not_json");
      }
    });

    test("that is no object is envelope_not_object", async () => {
      for (const body of ["[]", '[{"a": 1}]', '"text"', "42", "null", "true", gzipSync("[]")]) {
        expect(await refused(body)).toBe("envelope_not_object");
      }
    });

    test("however deep is a report or a refusal, never a mistake of ours", async () => {
      const { key } = await newSdkKey(target().installation);
      for (const depth of [1_000, 10_000, 100_000, 1_000_000]) {
        for (const text of [
          `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
          `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
        ]) {
          if (text.length > 5_242_880) continue;
          const { status } = await submit(target(), { key, parts: [envelope(text)] });
          expect([200, 400]).toContain(status);
          const withId = `{"reportId":"0198c0de-0000-7000-8000-000000000${String(depth).length}00",${text.slice(1)}`;
          const again = await submit(target(), { key, parts: [envelope(withId)] });
          expect([200, 400]).toContain(again.status);
        }
      }
      expect((await submit(target(), { key })).status).toBe(200);
    }, 180_000);

    test("shows everything that is indexed", async () => {
      const reportId = crypto.randomUUID();
      const answer = await take({
        version: 1,
        reportId,
        type: "crash",
        title: "TypeError: x is undefined",
        message: "kept only",
        level: "fatal",
        occurredAt: "2026-05-01T12:00:00.123+02:00",
        sentAt: "2026-05-01T10:00:05Z",
        sdk: { name: "intake-js", version: "1.0.0" },
        app: { name: "Shop", version: "2.4.1", build: "77", environment: "production" },
        user: { id: "u-1", email: "ada@example.org", name: "Ada" },
        tags: { browser: "Firefox", "größe/~": "XL" },
        unknown: { kept: true },
      });
      expect(answer.warnings).toBeUndefined();
      expect(answer.deliveryCount).toBe(0);
      const event = await shown(target().installation, answer.eventId);
      expect(event).toMatchObject({
        id: answer.eventId,
        projectId: target().installation.made.project.id,
        reportId,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        version: 1,
        type: "crash",
        title: "TypeError: x is undefined",
        level: "fatal",
        environment: "production",
        release: "2.4.1",
        userId: "u-1",
        userEmail: "ada@example.org",
        tags: { browser: "Firefox", "größe/~": "XL" },
        occurredAt: "2026-05-01T12:00:00.123+02:00",
        sentAt: "2026-05-01T10:00:05Z",
        attachments: [],
        deliveryCount: 0,
        repeatCount: 0,
        warnings: [],
      });
      expect(Math.abs(Date.parse(event.receivedAt) - Date.now())).toBeLessThan(120_000);
    });

    test("shows the key, the user agent and the reportId in lower case", async () => {
      const { id, key } = await newSdkKey(target().installation);
      const reportId = crypto.randomUUID();
      const answer = await received(target(), {
        key,
        parts: [envelope({ reportId: reportId.toUpperCase() })],
        headers: { "user-agent": `App/1.0 ${"x".repeat(300)}` },
      });
      const event = await shown(target().installation, answer.eventId);
      expect(event).toMatchObject({ keyId: id, reportId, userAgent: `App/1.0 ${"x".repeat(192)}` });
    });

    for (const [name, value, warnings] of [
      ["version", { version: "1" }, ["/version wrong_type"]],
      ["a fraction as version", { version: 1.5 }, ["/version wrong_type"]],
      ["reportId", { reportId: 7 }, ["/reportId wrong_type"]],
      ["a reportId of another shape", { reportId: "r-1" }, ["/reportId wrong_type"]],
      ["type", { type: ["crash"] }, ["/type wrong_type"]],
      ["title", { title: { a: 1 } }, ["/title wrong_type"]],
      ["level", { level: "catastrophe" }, ["/level wrong_type"]],
      ["a level in capitals", { level: "FATAL" }, ["/level wrong_type"]],
      ["a day that does not exist", { occurredAt: "2026-02-30T10:00:00Z" }, ["/occurredAt wrong_type"]],
      ["an hour that does not exist", { sentAt: "2026-02-28T24:01:00Z" }, ["/sentAt wrong_type"]],
      [
        "a time as a number",
        { occurredAt: 1767225600, sentAt: "yesterday" },
        ["/occurredAt wrong_type", "/sentAt wrong_type"],
      ],
      ["app", { app: "Shop 1.0" }, ["/app wrong_type"]],
      ["app as a list", { app: [] }, ["/app wrong_type"]],
      [
        "members of app",
        { app: { version: 1, environment: false, name: 7 } },
        ["/app/version wrong_type", "/app/environment wrong_type"],
      ],
      ["user", { user: 42 }, ["/user wrong_type"]],
      ["members of user", { user: { id: 42, email: null, name: 1 } }, ["/user/id wrong_type"]],
      ["tags", { tags: ["a"] }, ["/tags wrong_type"]],
      ["a tag", { tags: { "a/b~c": 1, ok: "yes" } }, ["/tags/a~1b~0c wrong_type"]],
      [
        "a long tag",
        { tags: { ["k".repeat(65)]: "v", k: "v".repeat(257), "\u{1F41E}": "v".repeat(256) } },
        [`/tags/${"k".repeat(65)} too_long`, "/tags/k too_long"],
      ],
      [
        "too many tags",
        { tags: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, "v"])) },
        ["/tags too_many"],
      ],
      ["attachments", { attachments: {} }, ["/attachments wrong_type"]],
      ["an entry of attachments", { attachments: [7] }, ["/attachments/0 wrong_type"]],
    ] as const) {
      test(`wrong: ${name} is left out, named, and costs nothing else`, async () => {
        const before = { title: "Stays", unique: crypto.randomUUID() };
        const answer = await take({ ...before, ...value });
        expect(answer.warnings?.map(({ path, code }) => `${path} ${code}`)).toEqual([...warnings]);
        expect(answer.warnings?.every(({ message }) => message.length > 10)).toBe(true);
        const event = await shown(target().installation, answer.eventId);
        expect<unknown>(event.warnings).toEqual(answer.warnings ?? []);
        if (!("title" in value)) expect(event.title).toBe("Stays");
      });
    }

    test("null is simply not indexed", async () => {
      const names = ["version", "reportId", "type", "title", "level", "occurredAt", "sentAt", "app", "user", "tags"];
      const value = Object.fromEntries([...names, "attachments"].map((name) => [name, null]));
      const answer = await take({ ...value, unique: crypto.randomUUID() });
      expect(answer.warnings).toBeUndefined();
      const inner = { app: { version: null }, user: { id: null }, tags: { a: null }, unique: crypto.randomUUID() };
      expect((await take(inner)).warnings).toBeUndefined();
    });

    test("index values are cut at 200 code points without a warning; what no database holds becomes U+FFFD", async () => {
      const answer = await take({
        unique: crypto.randomUUID(),
        title: "\u{1F41E}".repeat(201),
        type: "a\u0000b\ud800c",
        user: { id: "i".repeat(300) },
      });
      expect(answer.warnings).toBeUndefined();
      const event = await shown(target().installation, answer.eventId);
      expect(event).toMatchObject({
        title: "\u{1F41E}".repeat(200),
        type: "a\uFFFDb\uFFFDc",
        userId: "i".repeat(200),
      });
    });

    test("a version of later and members of later are taken without a word", async () => {
      const answer = await take({ version: 99, unique: crypto.randomUUID(), later: [{ deep: [1, 2] }] });
      expect(answer.warnings).toBeUndefined();
    });
  },
  ways,
  off,
);

describeTargets(
  "attachments",
  (target) => {
    const view = async (answer: Answer) => (await shown(target().installation, answer.eventId)).attachments;
    const bytesOf = (answer: Answer, index: number) => storedAttachment(target().installation, answer.eventId, index);

    test("of every size are read back to the byte, also empty ones", async () => {
      const contents = [0, 1, 65_535, 65_536, 65_537].map((size) =>
        Buffer.from(crypto.getRandomValues(new Uint16Array(32_769)).buffer, 0, size),
      );
      const answer = await taken(target(), [
        ...contents.map((content, i) => attachment(content, i)),
        envelope({ id: crypto.randomUUID() }),
      ]);
      const stored = await view(answer);
      for (const [i, content] of contents.entries()) {
        expect(Buffer.from(await bytesOf(answer, i)).equals(content)).toBe(true);
        expect(stored[i]).toMatchObject({ index: i, size: content.length, sha256: Bun.SHA256.hash(content, "hex") });
      }
    });

    test("of 2 MB arrive whole, whatever pieces the network makes of them", async () => {
      const content = Buffer.concat(Array.from({ length: 40 }, () => crypto.getRandomValues(new Uint8Array(50_000))));
      const whole = form([envelope({ id: crypto.randomUUID() }), attachment(content)]);
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const size = 1 + ((at * 7_919) % 60_000);
          controller.enqueue(new Uint8Array(whole.subarray(at, at + size)));
          at += size;
          if (at >= whole.length) controller.close();
        },
      });
      const { key } = await newSdkKey(target().installation);
      const answer = await received(target(), { key, body });
      expect(Buffer.compare(await bytesOf(answer, 0), content)).toBe(0);
    });

    test("are listed by part name; kind, name and type come from the list when the part has none", async () => {
      const answer = await taken(target(), [
        envelope({
          id: crypto.randomUUID(),
          attachments: [
            { part: "b", filename: "b.txt", contentType: "text/plain", kind: "log" },
            { part: "a", filename: "ignored.png", contentType: "image/x", kind: "screenshot", size: png.length },
          ],
        }),
        { name: "a", filename: "shot.png", type: "image/png", body: png },
        { name: "b", body: "text" },
      ]);
      expect(answer.warnings).toBeUndefined();
      expect(await view(answer)).toMatchObject([
        { index: 0, part: "a", filename: "shot.png", contentType: "image/png", kind: "screenshot", state: "stored" },
        { index: 1, part: "b", filename: "b.txt", contentType: "text/plain", kind: "log", state: "stored" },
      ]);
    });

    test("that did not come, are not listed or differ are stored with their state and a warning", async () => {
      const answer = await taken(target(), [
        envelope({
          id: crypto.randomUUID(),
          attachments: [
            { part: "gone", filename: "gone.log", kind: "log", size: 5 },
            { part: "size", size: 5 },
            { part: "digest", sha256: "0".repeat(64) },
            { part: "right", size: 5, sha256: Bun.SHA256.hash("right", "hex").toUpperCase() },
          ],
        }),
        { name: "digest", body: "digest" },
        { name: "extra", body: "extra" },
        { name: "right", body: "right" },
        { name: "size", body: "others" },
      ]);
      expect(answer.warnings?.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
        "/attachments attachment_unlisted",
        "/attachments/0 attachment_missing",
        "/attachments/1 attachment_differs",
        "/attachments/2 attachment_differs",
      ]);
      expect((await view(answer)).map(({ index, part, state, size }) => ({ index, part, state, size }))).toEqual([
        { index: 0, part: "digest", state: "differs", size: 6 },
        { index: 1, part: "extra", state: "unlisted", size: 5 },
        { index: 2, part: "right", state: "stored", size: 5 },
        { index: 3, part: "size", state: "differs", size: 6 },
        { index: 4, part: "gone", state: "missing", size: null },
      ]);
      expect(Buffer.from(await bytesOf(answer, 0)).toString()).toBe("digest");
      await expect(bytesOf(answer, 4)).rejects.toThrow("did not come");
      await expect(bytesOf(answer, 5)).rejects.toThrow("no attachment 5");
    });

    test("are not unlisted where the envelope has no list, and are where the list is empty", async () => {
      const plain = await taken(target(), [envelope({ id: crypto.randomUUID() }), attachment("x")]);
      expect([plain.warnings, (await view(plain))[0]?.state]).toEqual([undefined, "stored"]);
      const empty = await taken(target(), [envelope({ id: crypto.randomUUID(), attachments: [] }), attachment("x")]);
      expect(empty.warnings).toMatchObject([{ path: "/attachments", code: "attachment_unlisted" }]);
      expect((await view(empty))[0]?.state).toBe("unlisted");
    });

    test("have the type that their first bytes say, whatever is claimed", async () => {
      const answer = await taken(target(), [
        envelope({ id: crypto.randomUUID() }),
        { name: "a", filename: "a.html", type: "text/html", body: png },
        { name: "b", filename: "b.png", type: "image/png", body: "<script>alert(1)</script>" },
        { name: "c", filename: "c", body: gzipSync("x") },
        { name: "d", filename: "d", body: "" },
      ]);
      expect((await view(answer)).map(({ contentType, sniffedType }) => [contentType, sniffedType])).toEqual([
        ["text/html", "image/png"],
        ["image/png", null],
        [null, "application/gzip"],
        [null, null],
      ]);
    });

    test("may have a file name of any kind; it names no file of ours", async () => {
      for (const filename of [
        "../../etc/passwd",
        "..\\..\\x",
        "/abs",
        "größe 日本.png",
        "a;b,c.png",
        "n".repeat(300),
      ]) {
        const answer = await taken(target(), [
          envelope({ id: crypto.randomUUID() }),
          { name: "a", filename, body: filename },
        ]);
        expect((await view(answer))[0]?.filename).toBe(filename.slice(0, 255));
        expect(Buffer.from(await bytesOf(answer, 0)).toString()).toBe(filename);
      }
    });
  },
  ways,
  off,
);

function withHeaders(headers: string[]): string {
  return form([{ headers, body: "{}" }]).toString();
}

/** Sends with a new SDK key each time, so that nothing is a repeat or limited. */
async function taken(to: Target, parts: readonly PartInput[], body?: Uint8Array): Promise<Answer> {
  const { key } = await newSdkKey(to.installation);
  return received(to, { key, parts, ...(body ? { body } : {}) });
}

/** The only code in the `details` of a 400. */
async function refusal(to: Target, body: Uint8Array): Promise<string | undefined> {
  const { key } = await newSdkKey(to.installation);
  const response = await submit(to, { key, body });
  const answer = (await response.json()) as {
    error: string;
    details?: { path: string; code: string; message: string }[];
  };
  expect([response.status, answer.error]).toEqual([400, "invalid_input"]);
  expect(answer.details).toEqual([{ path: "", code: expect.any(String), message: expect.any(String) }]);
  return answer.details?.[0]?.code;
}
