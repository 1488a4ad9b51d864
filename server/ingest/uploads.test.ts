import { expect, test } from "bun:test";
import { Uploads } from "./uploads.ts";

test("uploads of up to 256 KiB are held in memory, 32 MiB in all, and their memory is given back", () => {
  const uploads = new Uploads();
  expect(uploads.hold(262_145)).toBeUndefined();
  const held = Array.from({ length: 128 }, () => uploads.hold(262_144));
  expect(held.every((release) => release !== undefined)).toBe(true);
  expect(uploads.hold(1)).toBeUndefined();
  held[0]?.();
  expect(uploads.hold(262_144)).toBeDefined();
  expect(uploads.hold(1)).toBeUndefined();
});
