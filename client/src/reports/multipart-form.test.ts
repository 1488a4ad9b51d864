import { describe, expect, test } from "bun:test";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { limits } from "../../../openapi/schema/limits.ts";
import { readForm, readParts } from "../../../test/client/queue/read-form.ts";
import { reactNative } from "../react-native.ts";
import { type AttachmentInput, copyAttachment } from "./attachment.ts";
import { encodeForm, requestOf } from "./multipart-form.ts";
import { pack } from "./pack.ts";

function packed(attachments: AttachmentInput[], report: Record<string, unknown> = {}): Promise<Uint8Array> {
  return pack(
    { reportId: crypto.randomUUID(), at: Date.now(), attachments: attachments.map(copyAttachment), report },
    {},
    {},
  );
}

/** File names as apps have them, and hostile ones. */
const name = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.stringMatching(/^[a-z%0-9"\\/:;\r\n\t. ]{0,20}$/),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.stringMatching(/^[\r\n-]{0,20}$/).map((text) => Buffer.from(text)),
);
const type = fc.oneof(fc.constantFrom("image/png", "text/plain; charset=utf-8", "", undefined), fc.string());

describe("the server's own parser", () => {
  test("reads back what was put in: any name, any bytes, any type", async () => {
    const attachment = fc.record({ filename: name, data: bytes, contentType: type });
    await fc.assert(
      fc.asyncProperty(fc.array(attachment, { maxLength: 5 }), async (given) => {
        const { envelope, attachments } = readForm(await packed(given));
        expect(attachments.map((part) => [...part.bytes])).toEqual(given.map(({ data }) => [...data]));
        const listed = envelope.attachments ?? [];
        expect(attachments.map(({ name }) => name)).toEqual(listed.map(({ part }) => part));
        expect(attachments.map(({ filename }) => filename)).toEqual(listed.map(({ filename }) => filename));
        expect(attachments.map(({ contentType }) => contentType?.trim() ?? "")).toEqual(
          listed.map(({ contentType }) => contentType?.trim() ?? ""),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("finds the name that was given, where it is one that every parser understands", async () => {
    const harmless = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 100 })
      .filter((text) => text.isWellFormed() && text.length <= 200 && !/[\p{Cc}\p{Zl}\p{Zp}"\\/:;%]/u.test(text));
    await fc.assert(
      fc.asyncProperty(harmless, async (filename) => {
        const [part] = readForm(await packed([{ filename, data: "x" }])).attachments;
        expect(part?.filename).toBe(filename);
      }),
    );
  });

  test("never finds a line end, a quote or a separator in a name", async () => {
    await fc.assert(
      fc.asyncProperty(name, async (filename) => {
        const [part] = readForm(await packed([{ filename, data: "x" }])).attachments;
        expect(part?.filename).toBeTruthy();
        expect(part?.filename).not.toMatch(/[\r\n"\\/]/);
      }),
    );
  });

  test.each(["a.txt", "100%25.txt", "a%20b.png", "%2e%2e%2fpasswd", "%0d%0aX: y", "%", "C%3A%5Cboot.ini"])(
    "%p: the same name in the form and in the envelope",
    async (filename) => {
      const { envelope, attachments } = readForm(await packed([{ filename, data: "x" }]));
      expect(attachments[0]?.filename).toBe(envelope.attachments?.[0]?.filename ?? null);
    },
  );

  test("does not take the form of another report, or of the same, for its own", async () => {
    const inner = await packed([{ filename: "a", data: "x" }], { title: "inner" });
    const { envelope, attachments } = readForm(await packed([{ filename: "form", data: inner }], { title: "outer" }));
    expect(envelope.title).toBe("outer");
    expect(attachments.map(({ bytes }) => bytes.equals(inner))).toEqual([true]);
    expect(readParts(inner)).toHaveLength(2);
  });
});

describe("the envelope", () => {
  const attachments: AttachmentInput[] = [];

  test("goes packed from 1 KiB on, by what is sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3_000 }), async (length) => {
        const message = "x".repeat(length);
        const { envelope, head } = readForm(await packed(attachments, { message }));
        expect(envelope["message"]).toBe(message);
        const plain = Buffer.from(JSON.stringify(envelope)).length < 1_024;
        expect([head.filename, head.contentType]).toEqual(
          plain ? ["envelope.json", "application/json"] : ["envelope.json.gz", "application/gzip"],
        );
      }),
    );
  });

  const large = Buffer.from(JSON.stringify({ message: "x".repeat(5_000) }));

  test("is packed by the function that is given, also one that takes its time", async () => {
    for (const gzip of [
      (bytes: Uint8Array) => gzipSync(Buffer.from(bytes)),
      async (bytes: Uint8Array) => gzipSync(Buffer.from(bytes)),
    ]) {
      const [head] = readParts(await encodeForm(large, [], gzip));
      expect(head?.filename).toBe("envelope.json.gz");
      expect(gunzipSync(head?.bytes ?? "")).toEqual(large);
    }
  });

  test("goes plain where packing fails or there is none", async () => {
    const failing = [
      () => {
        throw new Error("no gzip");
      },
      async () => Promise.reject(new Error("no gzip")),
    ];
    for (const gzip of failing) {
      const [head] = readParts(await encodeForm(large, [], gzip));
      expect([head?.filename, head?.contentType]).toEqual(["envelope.json", "application/json"]);
      expect(head?.bytes).toEqual(large);
    }
  });

  test("goes plain where there is no CompressionStream", async () => {
    const { CompressionStream } = globalThis;
    Object.defineProperty(globalThis, "CompressionStream", { value: undefined, configurable: true, writable: true });
    try {
      const { head, envelope } = readForm(await packed(attachments, { message: "x".repeat(5_000) }));
      expect(head.filename).toBe("envelope.json");
      expect(envelope["message"]).toBe("x".repeat(5_000));
    } finally {
      Object.assign(globalThis, { CompressionStream });
    }
  });
});

test("a body is the form alone, whatever its array is a window of", async () => {
  const form = await packed([{ filename: "a", data: "x" }]);
  expect(Buffer.from(requestOf(form)?.body as ArrayBuffer)).toEqual(Buffer.from(form));
});

test("a boundary is one that the server takes, and another each time", async () => {
  const boundaries = new Set<string>();
  for (let i = 0; i < 50; i++) {
    const form = await packed([]);
    boundaries.add(requestOf(form)?.headers["content-type"] ?? "");
    expect(readParts(form)).toHaveLength(1);
  }
  expect(boundaries.size).toBe(50);
  expect(limits.partHeaderBytes).toBeGreaterThan(2_000);
});

describe("where React Native can only name a file", () => {
  const file = { uri: "file:///does/not/exist.png", name: "screen.png", type: "image/png" };

  test("the form goes as its own FormData wants it, with what was read as data", async () => {
    const { FormData, navigator } = globalThis;
    const appended: [string, unknown][] = [];
    class Native {
      append(...pair: [string, unknown]) {
        appended.push(pair);
      }
    }
    Object.defineProperty(globalThis, "navigator", { value: { product: "ReactNative" }, configurable: true });
    const report = { title: "Größe 😀" };
    const draft = { reportId: crypto.randomUUID(), at: Date.now(), report };
    const attachments = [file, { filename: "Größe.log", data: "a\u0000ü" }];
    const form = await pack({ ...draft, attachments: attachments.map(copyAttachment) }, {}, { native: reactNative });
    Object.assign(globalThis, { FormData: Native });
    try {
      expect(requestOf(form, reactNative)?.headers).toEqual({});
    } finally {
      Object.assign(globalThis, { FormData });
      Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
    }
    const [envelope, first, second] = appended;
    expect(envelope?.[0]).toBe("envelope");
    expect(JSON.parse(envelope?.[1] as string)).toMatchObject({
      title: "Größe 😀",
      attachments: [{ filename: "screen.png" }, { filename: "Größe.log" }],
    });
    expect(first).toEqual(["attachment_0", file]);
    const { uri, ...rest } = Object(second?.[1]) as { uri: string };
    expect(rest as unknown).toEqual({ name: "Größe.log", type: "application/octet-stream" });
    expect(await (await fetch(uri)).text()).toBe("a\u0000ü");
  });

  test("elsewhere nothing is fetched and no file is read, whatever a stranger names", async () => {
    const attachments = [file, { uri: import.meta.url, name: "source.ts", type: "text/plain" }];
    const draft = { reportId: crypto.randomUUID(), at: Date.now(), report: { title: "x" } };
    const form = await pack({ ...draft, attachments: attachments.map(copyAttachment) }, {}, { native: reactNative });
    const text = new TextDecoder().decode(form);
    expect(text).toContain(
      '"dropped":[{"filename":"screen.png","reason":"unreadable"},{"filename":"source.ts","reason":"unreadable"}]',
    );
    expect(text).not.toContain("attachment_0");
  });
});
