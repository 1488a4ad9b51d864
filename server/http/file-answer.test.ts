import { afterAll, beforeAll, expect, test } from "bun:test";
import { inTime } from "../../test/support/in-time.ts";
import { fileOfBlob, type KeptFile } from "../store/files.ts";
import { answerFile } from "./file-answer.ts";

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));
let cancelled = Promise.withResolvers<void>();

/** A file that comes in pieces, as from storage that is not on this machine. */
const streamed: KeptFile = {
  size: bytes.length,
  open: async (start, end) => {
    let at = start;
    return new ReadableStream({
      pull(controller) {
        if (at === end) return controller.close();
        const next = Math.min(at + 10_000, end);
        controller.enqueue(new Uint8Array(bytes.subarray(at, next)));
        at = next;
      },
    });
  },
};

/** A file that never ends. */
const endless: KeptFile = {
  size: Number.MAX_SAFE_INTEGER,
  open: async () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => cancelled.resolve(),
    }),
};

/** A file of which storage sends no more than a part. */
const cut: KeptFile = {
  size: bytes.length,
  open: async () => {
    let pulls = 0;
    return new ReadableStream({
      pull(controller) {
        if (pulls++ === 3) throw new Error("storage cuts off its answers");
        controller.enqueue(new Uint8Array(10_000));
      },
    });
  },
};

const files: Record<string, KeptFile> = {
  "/streamed": streamed,
  "/blob": fileOfBlob(new Blob([bytes])),
  "/endless": endless,
  "/cut": cut,
};

let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const file = files[new URL(request.url).pathname] as KeptFile;
      const sent = { file, filename: "a.bin", contentType: "application/octet-stream", sniffedType: null };
      return answerFile({ newId: () => "id" }, sent, request.headers.get("range"), new Set());
    },
  });
});
afterAll(() => server.stop(true));

// Bun sends no Content-Length with a stream (oven-sh/bun#10507).
test.each([
  ["streamed", null, null],
  ["blob", "300000", "99990"],
])("a file is sent whole and in part (%s)", async (name, length, lengthOfPart) => {
  const ask = (range?: string) => fetch(new URL(name, server.url), range ? { headers: { range } } : {});
  const whole = await ask();
  expect([whole.status, whole.headers.get("content-length")]).toEqual([200, length]);
  expect(bytes.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);

  const part = await ask("bytes=10-99999");
  const { headers } = part;
  expect([part.status, headers.get("content-length"), headers.get("content-range")]).toEqual([
    206,
    lengthOfPart,
    "bytes 10-99999/300000",
  ]);
  expect(bytes.subarray(10, 100_000).equals(Buffer.from(await part.arrayBuffer()))).toBe(true);

  const beyond = await ask("bytes=300000-");
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */300000"]);
});

test("a file that storage cuts off is never taken for whole", async () => {
  for (const range of [undefined, "bytes=0-99999"]) {
    const reading = fetch(new URL("cut", server.url), range ? { headers: { range } } : {}).then((response) =>
      response.arrayBuffer(),
    );
    await expect(reading).rejects.toThrow();
  }
  const curl = Bun.spawn(["curl", "-s", "-o", "/dev/null", new URL("cut", server.url).href]);
  expect(await curl.exited).not.toBe(0);
});

test("when the reader leaves, the file is read no further", async () => {
  cancelled = Promise.withResolvers();
  const leaving = new AbortController();
  const response = await fetch(new URL("endless", server.url), { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  await inTime(45_000, cancelled.promise);
});
