import { expect, test } from "bun:test";
import { limits } from "../../openapi/schema/limits.ts";
import type { Reference } from "../envelope/index-envelope.ts";
import { sha256 } from "../envelope/sha256.ts";
import { planAttachments } from "./plan-attachments.ts";
import type { Part } from "./spool.ts";

function part(name: string, body: string | Uint8Array = name, more: Partial<Part> = {}): Part {
  const content = Buffer.from(body as string);
  const digest = () => sha256(content);
  return { name, filename: null, contentType: null, size: content.length, head: content, content, digest, ...more };
}

function reference(part: string, more: Partial<Reference> = {}, at = 0): Reference {
  const absent = { filename: null, contentType: null, size: null, sha256: null };
  return { part, ...absent, kind: "other", path: `/attachments/${at}`, ...more };
}

/** Part and state of each attachment, and path and code of the warnings. */
async function planned(parts: Part[], references: Reference[] | null) {
  const { attachments, warnings } = await planAttachments(parts, references);
  return [attachments.map(({ part, state }) => [part, state]), warnings.map(({ path, code }) => [path, code])];
}

test("without a list in the envelope, everything that came is stored and nothing is said", async () => {
  expect(await planned([], null)).toEqual([[], []]);
  expect(await planned([part("b"), part("a")], null)).toEqual([
    [
      ["b", "stored"],
      ["a", "stored"],
    ],
    [],
  ]);
});

test("with a list, what it does not name is unlisted: one warning, however many there are", async () => {
  expect(await planned([part("a"), part("b"), part("c")], [reference("b")])).toEqual([
    [
      ["a", "unlisted"],
      ["b", "stored"],
      ["c", "unlisted"],
    ],
    [["/attachments", "attachment_unlisted"]],
  ]);
  expect(await planned([part("a")], [])).toEqual([[["a", "unlisted"]], [["/attachments", "attachment_unlisted"]]]);
});

test("what is listed and did not come is missing, after those that came", async () => {
  const references = [reference("x", {}, 0), reference("a", {}, 1), reference("y", {}, 2)];
  expect(await planned([part("a")], references)).toEqual([
    [
      ["a", "stored"],
      ["x", "missing"],
      ["y", "missing"],
    ],
    [
      ["/attachments/0", "attachment_missing"],
      ["/attachments/2", "attachment_missing"],
    ],
  ]);
});

test("another size or digest is told, and what came is stored as it came", async () => {
  const body = "content";
  const right = { size: body.length, sha256: sha256(body).toHex() };
  expect(await planned([part("a", body)], [reference("a", right)])).toEqual([[["a", "stored"]], []]);
  for (const wrong of [{ size: 0 }, { size: body.length + 1 }, { sha256: sha256("other").toHex() }]) {
    expect(await planned([part("a", body)], [reference("a", { ...right, ...wrong })])).toEqual([
      [["a", "differs"]],
      [["/attachments/0", "attachment_differs"]],
    ]);
  }
  const { attachments } = await planAttachments([part("a", body)], [reference("a", { size: 0 })]);
  expect(attachments[0]).toMatchObject({ size: body.length, digest: sha256(body) });
});

test("several parts of one name take the references of that name in order", async () => {
  const references = [reference("a", { filename: "one" }, 0), reference("a", { filename: "two" }, 1)];
  const { attachments } = await planAttachments([part("a", "1"), part("a", "2"), part("a", "3")], references);
  expect(attachments.map(({ filename, state }) => [filename, state])).toEqual([
    ["one", "stored"],
    ["two", "stored"],
    [null, "unlisted"],
  ]);
});

test("names of files and types are the part's own, else the reference's", async () => {
  const named = reference("a", { filename: "listed.png", contentType: "image/listed", kind: "screenshot" });
  const own = part("a", "x", { filename: "own.png", contentType: "image/own" });
  const of = async (one: Part) => (await planAttachments([one], [named])).attachments[0];
  expect(await of(own)).toMatchObject({ filename: "own.png", contentType: "image/own", kind: "screenshot" });
  expect(await of(part("a"))).toMatchObject({ filename: "listed.png", contentType: "image/listed" });
  const { attachments } = await planAttachments([], [named]);
  expect(attachments[0]).toMatchObject({
    filename: "listed.png",
    contentType: "image/listed",
    size: null,
    digest: null,
  });
});

test("the type is told by the bytes, whatever is said about them", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154", "hex");
  const { attachments } = await planAttachments(
    [part("a", png, { contentType: "text/html" }), part("b", "text")],
    null,
  );
  expect(attachments.map(({ contentType, sniffedType }) => [contentType, sniffedType])).toEqual([
    ["text/html", "image/png"],
    [null, null],
  ]);
});

test("bytes that only begin like a file of some type never fail", async () => {
  const beginnings = [
    "89504e47",
    "504b0304",
    "504b030414000000",
    "1f8b",
    "1f8b08",
    "ffd8ff",
    "25504446",
    "00000018667479",
  ];
  for (const hex of [
    ...beginnings,
    "52494646",
    "4f676753",
    "494433",
    "494433ffffffffff",
    "1a45dfa3",
    "1a45dfa3ff",
    "3c3f786d6c",
    "",
  ]) {
    for (let extra = 0; extra < 24; extra++) {
      for (const fill of [0, 0xff]) {
        const bytes = Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(extra, fill)]);
        expect((await planAttachments([part("a", bytes)], null)).attachments).toHaveLength(1);
      }
    }
  }
});

test("text is cut and made such as every database holds", async () => {
  const long = "😀".repeat(300);
  const odd = part("a\0", "x", { filename: long, contentType: "\ud800" });
  const [found] = (await planAttachments([odd], null)).attachments;
  expect(found).toMatchObject({ part: "a\ufffd", filename: "😀".repeat(limits.partNameMax), contentType: "\ufffd" });
  const [missing] = (await planAttachments([], [reference(`${long}\ud800`)])).attachments;
  expect(missing?.part).toBe("😀".repeat(limits.partNameMax));
});
