import { expect, test } from "bun:test";
import { downloadStream } from "./download.ts";

const endless = (cancelled: string[], name: string) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      cancelled.push(name);
    },
  });

test("whoever stops reading ends the request, also one that went on after a cut", async () => {
  const cancelled: string[] = [];
  const part = { start: 0, end: 1_000, milliseconds: 10_000 };
  const whole = downloadStream(part, endless(cancelled, "first"), async () => endless(cancelled, "second")).getReader();
  await whole.read();
  await whole.cancel();
  expect(cancelled).toEqual(["first"]);

  const cut = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => controller.close() });
  const continued = downloadStream(part, cut, async () => endless(cancelled, "second")).getReader();
  await continued.read();
  await continued.cancel();
  expect(cancelled).toEqual(["first", "second"]);
});

test("bytes beyond what was asked for are never passed on", async () => {
  const cancelled: string[] = [];
  const reader = downloadStream({ start: 5, end: 28, milliseconds: 10_000 }, endless(cancelled, "first"), async () => {
    throw new Error("asked again");
  }).getReader();
  expect((await reader.read()).value?.length).toBe(10);
  expect((await reader.read()).value?.length).toBe(10);
  await expect(reader.read()).rejects.toThrow("more than it was asked for");
});
