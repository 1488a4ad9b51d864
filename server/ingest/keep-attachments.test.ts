import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import type { Files } from "../store/files.ts";
import { LocalFiles } from "../store/local-files.ts";
import { keepAttachments } from "./keep-attachments.ts";
import { planAttachments } from "./plan-attachments.ts";
import type { Part } from "./spool.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

function part(text: string): Part {
  const content = Buffer.from(text);
  const headers = { name: text, filename: null, contentType: null };
  return { ...headers, size: content.length, head: content, content, digest: () => new Uint8Array(32) };
}

test("when one cannot be kept, none stays, however late the others come", async () => {
  const { ctx, folder } = installation;
  const local = new LocalFiles(folder);
  const kept: string[] = [];
  const refused = Promise.withResolvers<void>();
  const files = {
    async keepBytes(bytes: Uint8Array, id: string) {
      if (kept.length === 0) {
        kept.push("");
        refused.resolve();
        throw new Error("no room");
      }
      await refused.promise;
      await new Promise((resolve) => setImmediate(resolve));
      await local.keepBytes(bytes, id);
      kept.push(id);
    },
    remove: (ids: readonly string[]) => local.remove(ids),
  } as unknown as Files;
  const parts = ["a", "b", "c"].map(part);
  await expect(keepAttachments(ctx, files, parts, () => planAttachments(parts, null))).rejects.toThrow("no room");
  expect(kept).toHaveLength(3);
  for (const id of kept.slice(1)) expect(await local.find(id)).toBeUndefined();
});

test("when the plan cannot be made, no file stays, and those that are written later neither", async () => {
  const { ctx, folder } = installation;
  const local = new LocalFiles(folder);
  const kept: string[] = [];
  const planning = Promise.withResolvers<never>();
  const files = {
    async keepBytes(bytes: Uint8Array, id: string) {
      planning.reject(new Error("no plan"));
      await new Promise((resolve) => setImmediate(resolve));
      await local.keepBytes(bytes, id);
      kept.push(id);
    },
    remove: (ids: readonly string[]) => local.remove(ids),
  } as unknown as Files;
  await expect(keepAttachments(ctx, files, ["a", "b"].map(part), () => planning.promise)).rejects.toThrow("no plan");
  expect(kept).toHaveLength(2);
  for (const id of kept) expect(await local.find(id)).toBeUndefined();
});
