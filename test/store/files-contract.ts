import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { sha256 } from "../../server/envelope/sha256.ts";
import { bytesOf, type Draft, type Files } from "../../server/store/files.ts";

/** Where a test keeps files. */
interface FilesUnderTest {
  files: Files;
  /** The port as another process opens it on the same place, with the same folder of drafts. */
  another(): Files;
  /** The folder of drafts. */
  uploads: string;
  remove(): Promise<void>;
}

/** The middle of a day, so that ids made a little later are of the same day. */
export const day = Date.UTC(2026, 10, 21, 12);
export const dayMilliseconds = 86_400_000;
/** Far more than any two clocks of one machine differ, and than the steps in which an adapter tells times. */
const minute = 60_000;

/** Bun makes an error of an open file that is forgotten, so nothing is. */
const opened: unknown[] = [];

export function newId(at = day): string {
  return Bun.randomUUIDv7("hex", at);
}

export async function drafted<D extends Draft>(
  files: { draft(): Promise<D> },
  ...contents: (string | Uint8Array)[]
): Promise<D> {
  const draft = await files.draft();
  opened.push(draft);
  for (const content of contents) await draft.write(Buffer.from(content as string));
  return draft;
}

/** Keeps a draft as ingest does, which knows the digest. */
async function keep(files: Files, draft: Draft, id: string): Promise<void> {
  const digest = sha256(await draft.bytes());
  await files.keep(draft, id, () => digest);
}

/** Keeps a text through a draft and returns its id. */
export async function kept(files: Files, content: string, id = newId()): Promise<string> {
  await files.keep(await drafted(files, content), id, () => sha256(Buffer.from(content)));
  return id;
}

export function keepBytes(files: Files, content: string | Uint8Array, id: string): Promise<void> {
  const bytes = Buffer.from(content as string);
  return files.keepBytes(bytes, id, () => sha256(bytes));
}

export async function isThere(files: Files, id: string): Promise<boolean> {
  return (await files.find(id)) !== undefined;
}

/** The whole of a kept file. */
async function contentOf(files: Files, id: string): Promise<Buffer> {
  const file = await files.find(id);
  if (!file) throw new Error(`there is no file ${id}`);
  return Buffer.from(await bytesOf(file));
}

export async function textOf(files: Files, id: string): Promise<string> {
  return (await contentOf(files, id)).toString();
}

export async function pagesBefore(files: Files, moment: number): Promise<string[][]> {
  const pages: string[][] = [];
  for await (const ids of files.keptBefore(moment)) pages.push(ids);
  return pages;
}

/** The behaviour that every adapter of the port has to share. */
export function filesContract(open: () => FilesUnderTest | Promise<FilesUnderTest>) {
  let underTest: FilesUnderTest;
  let files: Files;
  beforeEach(async () => {
    underTest = await open();
    opened.push(underTest);
    files = underTest.files;
  });
  afterEach(() => underTest.remove());

  const drafts = () => readdirSync(underTest.uploads);
  const all = (before: number) => pagesBefore(files, before);

  test("what was written in pieces is read back whole, before and after it is kept", async () => {
    const draft = await drafted(files, "one, ", "", Buffer.from([0, 255, 10, 13]), ", two");
    const whole = Buffer.concat([Buffer.from("one, "), Buffer.from([0, 255, 10, 13]), Buffer.from(", two")]);
    expect(Buffer.from(await draft.bytes())).toEqual(whole);
    const id = newId();
    await keep(files, draft, id);
    expect(await contentOf(files, id)).toEqual(whole);
    expect((await files.find(id))?.size).toBe(whole.length);
  });

  test("bytes in memory are kept whole, also none, and a kept file is not overwritten", async () => {
    for (const size of [0, 1, 100_000, 3_000_000]) {
      const [id, bytes] = [newId(), Buffer.alloc(size, "bytes")];
      await keepBytes(files, bytes, id);
      expect(bytes.equals(await contentOf(files, id))).toBe(true);
      await expect(keepBytes(files, "other", id)).rejects.toThrow("EEXIST");
      expect((await files.find(id))?.size).toBe(size);
      expect(bytes.equals(await contentOf(files, id))).toBe(true);
    }
    expect(drafts()).toEqual([]);
  });

  test("pieces of every size come back in order", async () => {
    const pieces = [0, 1, 4_095, 4_096, 65_537, 3_000_000].map((size, i) => Buffer.alloc(size, i + 1));
    const id = newId();
    await keep(files, await drafted(files, ...pieces), id);
    expect(Buffer.concat(pieces).equals(await contentOf(files, id))).toBe(true);
  });

  test("any part of a file is read without the rest", async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));
    const id = newId();
    await keep(files, await drafted(files, bytes), id);
    const file = await files.find(id);
    if (!file) throw new Error("the file is not there");
    for (const [start, end] of [
      [0, 1],
      [0, 200_000],
      [1, 200_000],
      [70_000, 140_001],
      [199_999, 200_000],
      [200_000, 200_000],
      [0, 0],
    ] as const) {
      const read = await bytesOf(file, start, end);
      expect(bytes.subarray(start, end).equals(Buffer.from(read))).toBe(true);
    }
  });

  test("bytes that were taken may be changed", async () => {
    const draft = await drafted(files);
    const bytes = Buffer.from("first");
    await draft.write(bytes);
    bytes.fill("x");
    expect(Buffer.from(await draft.bytes()).toString()).toBe("first");
    const id = newId();
    await keep(files, draft, id);
    expect(await textOf(files, id)).toBe("first");
  });

  test("an empty file is kept too", async () => {
    const id = newId();
    await keep(files, await drafted(files), id);
    expect(await isThere(files, id)).toBe(true);
    expect((await files.find(id))?.size).toBe(0);
    expect(await textOf(files, id)).toBe("");
  });

  test("a kept draft is gone, and a file that was never kept is not there", async () => {
    await kept(files, "x");
    expect(drafts()).toEqual([]);
    expect(await files.find(newId())).toBeUndefined();
  });

  test("a draft that is not kept leaves nothing, however often it is thrown away", async () => {
    const draft = await drafted(files, "x");
    expect(drafts()).toHaveLength(1);
    await draft.discard();
    await draft.discard();
    expect(drafts()).toEqual([]);
    await expect(files.keep(draft, newId(), () => sha256(Buffer.from("x")))).rejects.toThrow();
    expect((await all(Date.now() + minute)).flat()).toEqual([]);
  });

  test("throwing away what is kept does not touch it", async () => {
    const draft = await drafted(files, "x");
    const id = newId();
    await keep(files, draft, id);
    await draft.discard();
    expect(await textOf(files, id)).toBe("x");
  });

  test("removing takes away what is named, and a missing one is no error", async () => {
    const [one, two, three] = [await kept(files, "1"), await kept(files, "2"), await kept(files, "3", newId(0))];
    await files.remove([one, newId(), newId(day + 10 * dayMilliseconds), three]);
    expect(await isThere(files, one)).toBe(false);
    expect(await isThere(files, three)).toBe(false);
    expect(await textOf(files, two)).toBe("2");
    await files.remove([one]);
    await files.remove([]);
  });

  test("what an earlier process has left goes, and drafts of this one stay", async () => {
    const own = await drafted(files, "own");
    const id = await kept(files, "kept");
    const earlier = underTest.another();
    for (let i = 0; i < 3; i++) await drafted(earlier, "left");
    writeFileSync(`${underTest.uploads}/stray`, "x");
    await files.removeDrafts("earlier");
    expect(drafts()).toHaveLength(1);
    expect(Buffer.from(await own.bytes()).toString()).toBe("own");
    expect(await textOf(files, id)).toBe("kept");
    const ownId = newId();
    await keep(files, own, ownId);
    expect(await textOf(files, ownId)).toBe("own");
  });

  test("once no uploads come in any more, all drafts go", async () => {
    await drafted(files, "own");
    await drafted(underTest.another(), "other");
    await files.removeDrafts("all");
    expect(drafts()).toEqual([]);
  });

  test("another process on the same place reads what was kept", async () => {
    const id = await kept(files, "x");
    expect(await textOf(underTest.another(), id)).toBe("x");
  });

  test("kept files are told by pages of some hundred, over all days, each once", async () => {
    const ids: string[] = [];
    for (const [days, count] of [
      [0, 450],
      [1, 200],
      [2, 1],
    ] as const) {
      for (let i = 0; i < count; i++) ids.push(newId(day + days * dayMilliseconds));
    }
    for (let i = 0; i < ids.length; i += 50) {
      await Promise.all(ids.slice(i, i + 50).map((id) => keepBytes(files, "", id)));
    }
    const pages = await all(Date.now() + minute);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(200);
    expect(pages.flat().sort()).toEqual(ids.sort());
    expect((await all(Date.now() - minute)).flat()).toEqual([]);
  });

  test("a file's age is counted from when it was kept, whatever its id says", async () => {
    const id = await kept(files, "x", newId(0));
    expect((await all(Date.now() - minute)).flat()).toEqual([]);
    expect((await all(Date.now() + minute)).flat()).toEqual([id]);
  });

  test("files that go while they are listed are no error", async () => {
    const ids = Array.from({ length: 500 }, () => newId());
    for (let i = 0; i < ids.length; i += 50) {
      await Promise.all(ids.slice(i, i + 50).map((id) => keepBytes(files, "", id)));
    }
    for await (const page of files.keptBefore(Date.now() + minute)) {
      expect(page.length).toBeLessThanOrEqual(200);
      await files.remove(ids);
    }
    expect(await all(Date.now() + minute)).toEqual([]);
  });

  test("without any kept file there is no page", async () => {
    expect(await all(Date.now() + minute)).toEqual([]);
  });

  test("many are kept at once, of one day that has no file yet and of several", async () => {
    const works = Array.from({ length: 300 }, (_, i) => {
      return kept(files, `content ${i}`, newId(day + (i % 3) * dayMilliseconds));
    });
    const ids = await Promise.all(works);
    for (const [i, id] of ids.entries()) expect(await textOf(files, id)).toBe(`content ${i}`);
    expect(drafts()).toEqual([]);
  });

  test("one that cannot be kept leaves the others alone", async () => {
    const lost = await drafted(files, "lost");
    await lost.discard();
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => drafted(files, `${i}`)));
    const ids = others.map(() => newId());
    const works = others.map((draft, i) => files.keep(draft, ids[i] as string, () => sha256(Buffer.from(`${i}`))));
    const losing = files.keep(lost, newId(), () => sha256(Buffer.from("lost")));
    const outcomes = await Promise.allSettled([losing, ...works]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([false, ...others.map(() => true)]);
    for (const [i, id] of ids.entries()) expect(await textOf(files, id)).toBe(`${i}`);
  });

  test("a probe leaves nothing and finds no trouble", async () => {
    await files.probe();
    expect(files.trouble()).toBeUndefined();
    expect(drafts()).toEqual([]);
    expect(await all(Date.now() + minute)).toEqual([]);
  });
}
