import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "../../test/support/installation.ts";
import { StoreUnavailable } from "../core/store.ts";
import { attachmentPath, LocalFiles } from "./local-files.ts";

const day = Date.UTC(2026, 10, 21, 12);
const folders: string[] = [];
const mounted = new Set<string>();
/** Bun makes an error of an open file that is forgotten, so nothing is. */
const opened: unknown[] = [];
let folder: string;
let files: LocalFiles;
beforeEach(() => {
  folder = newFolder();
  files = filesIn(folder);
});
afterAll(() => {
  for (const folder of folders) {
    if (mounted.has(folder)) Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function filesIn(folder: string): LocalFiles {
  const made = new LocalFiles(folder);
  opened.push(made);
  return made;
}

function newFolder(): string {
  const made = temporaryFolder();
  folders.push(made);
  return made;
}

function newId(at = day): string {
  return Bun.randomUUIDv7("hex", at);
}

async function drafted(...contents: (string | Uint8Array)[]) {
  const draft = await files.draft();
  opened.push(draft);
  for (const content of contents) await draft.write(Buffer.from(content as string));
  return draft;
}

async function kept(content: string, id = newId()): Promise<string> {
  await files.keep(await drafted(content), id);
  return id;
}

function isThere(id: string): Promise<boolean> {
  return (files.read(id) as Bun.BunFile).exists();
}

function drafts(): string[] {
  return readdirSync(`${folder}/uploads`);
}

async function all(before: number): Promise<string[][]> {
  const pages: string[][] = [];
  for await (const ids of files.keptBefore(before)) pages.push(ids);
  return pages;
}

test("what was written in pieces is read back whole, before and after it is kept", async () => {
  const draft = await drafted("one, ", "", Buffer.from([0, 255, 10, 13]), ", two");
  const whole = Buffer.concat([Buffer.from("one, "), Buffer.from([0, 255, 10, 13]), Buffer.from(", two")]);
  expect(Buffer.from(await draft.bytes())).toEqual(whole);
  const id = newId();
  await files.keep(draft, id);
  expect(Buffer.from(await files.read(id).bytes())).toEqual(whole);
  expect(files.read(id).size).toBe(whole.length);
});

test("bytes in memory are kept whole, also none, for nobody else to read, and a kept file is not overwritten", async () => {
  for (const size of [0, 1, 100_000, 3_000_000]) {
    const [id, bytes] = [newId(), Buffer.alloc(size, "bytes")];
    await files.keepBytes(bytes, id);
    expect(bytes.equals(Buffer.from(await files.read(id).bytes()))).toBe(true);
    expect(statSync(attachmentPath(folder, id)).mode & 0o777).toBe(0o600);
    await expect(files.keepBytes(Buffer.from("other"), id)).rejects.toThrow("EEXIST");
    expect(files.read(id).size).toBe(size);
  }
  expect(drafts()).toEqual([]);
});

test("bytes in memory go into a folder that went away", async () => {
  await files.keepBytes(Buffer.from("first"), newId());
  rmSync(`${folder}/attachments`, { recursive: true });
  mkdirSync(`${folder}/attachments`);
  const id = newId();
  await files.keepBytes(Buffer.from("second"), id);
  expect(await files.read(id).text()).toBe("second");
});

test("pieces of every size come back in order", async () => {
  const pieces = [0, 1, 4_095, 4_096, 65_537, 3_000_000].map((size, i) => Buffer.alloc(size, i + 1));
  const draft = await drafted(...pieces);
  const id = newId();
  await files.keep(draft, id);
  expect(Buffer.concat(pieces).equals(Buffer.from(await files.read(id).bytes()))).toBe(true);
});

test("bytes that were taken may be changed", async () => {
  const draft = await drafted();
  const bytes = Buffer.from("first");
  await draft.write(bytes);
  bytes.fill("x");
  expect(Buffer.from(await draft.bytes()).toString()).toBe("first");
});

test("an empty file is kept too", async () => {
  const id = newId();
  await files.keep(await drafted(), id);
  expect(await isThere(id)).toBe(true);
  expect(files.read(id).size).toBe(0);
});

test("a file lies in the folder of its id's day, for nobody else to read, and the draft is gone", async () => {
  const id = await kept("x", newId(Date.UTC(2026, 1, 28, 23, 59, 59, 999)));
  const path = `${folder}/attachments/2026-02-28/${id}`;
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const parent of ["attachments", "attachments/2026-02-28", "uploads"]) {
    expect(statSync(`${folder}/${parent}`).mode & 0o777).toBe(0o700);
  }
  expect(drafts()).toEqual([]);
});

test("a draft that is not kept leaves nothing, however often it is thrown away", async () => {
  const draft = await drafted("x");
  expect(drafts()).toHaveLength(1);
  await draft.discard();
  await draft.discard();
  expect(drafts()).toEqual([]);
});

test("throwing away what is kept does not touch it", async () => {
  const draft = await drafted("x");
  const id = newId();
  await files.keep(draft, id);
  await draft.discard();
  expect(await files.read(id).text()).toBe("x");
});

test("removing takes away what is named, and a missing one is no error", async () => {
  const [one, two, three] = [await kept("1"), await kept("2"), await kept("3", newId(0))];
  await files.remove([one, newId(), newId(day + 10 * 86_400_000), three]);
  expect(await isThere(one)).toBe(false);
  expect(await isThere(three)).toBe(false);
  expect(await files.read(two).text()).toBe("2");
  await files.remove([one]);
  await files.remove([]);
});

test("what an earlier process has left goes, and drafts of this one stay", async () => {
  const own = await drafted("own");
  const id = await kept("kept");
  const process = files;
  files = filesIn(folder);
  for (let i = 0; i < 3; i++) await drafted("left");
  files = process;
  writeFileSync(`${folder}/uploads/stray`, "x");
  await files.removeDrafts("earlier");
  expect(drafts()).toHaveLength(1);
  expect(Buffer.from(await own.bytes()).toString()).toBe("own");
  expect(await files.read(id).text()).toBe("kept");
  await files.keep(own, newId());
});

test("another process on the same folder reads what was kept", async () => {
  const id = await kept("x");
  expect(await filesIn(folder).read(id).text()).toBe("x");
});

test("kept files are told by pages of some hundred, over all days, each once", async () => {
  const ids: string[] = [];
  for (const [days, count] of [
    [0, 450],
    [1, 200],
    [2, 1],
  ] as const) {
    mkdirSync(`${folder}/attachments/2026-11-${21 + days}`);
    for (let i = 0; i < count; i++) {
      const id = newId(day + days * 86_400_000);
      writeFileSync(`${folder}/attachments/2026-11-${21 + days}/${id}`, "");
      ids.push(id);
    }
  }
  const pages = await all(Date.now() + 60_000);
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(200);
  expect(pages.flat().sort()).toEqual(ids.sort());
  expect((await all(Date.now() - 60_000)).flat()).toEqual([]);
});

test("a file's age is counted from when it was kept, whatever its id says", async () => {
  const id = await kept("x", newId(0));
  expect((await all(Date.now() - 60_000)).flat()).toEqual([]);
  expect((await all(Date.now() + 60_000)).flat()).toEqual([id]);
});

test("files that go while they are listed are no error", async () => {
  const ids: string[] = [];
  mkdirSync(`${folder}/attachments/2026-11-21`);
  for (let i = 0; i < 500; i++) {
    ids.push(newId());
    writeFileSync(`${folder}/attachments/2026-11-21/${ids[i]}`, "");
  }
  for await (const page of files.keptBefore(Date.now() + 60_000)) {
    expect(page.length).toBeLessThanOrEqual(200);
    await files.remove(ids);
  }
  expect(readdirSync(`${folder}/attachments/2026-11-21`)).toEqual([]);
});

test("without any kept file there is no page", async () => {
  expect(await all(Date.now() + 60_000)).toEqual([]);
});

test("many are kept at once, in one folder that is not there yet and in several", async () => {
  const works = Array.from({ length: 300 }, async (_, i) => {
    const id = newId(day + (i % 3) * 86_400_000);
    await files.keep(await drafted(`content ${i}`), id);
    return id;
  });
  const ids = await Promise.all(works);
  for (const [i, id] of ids.entries()) expect(await files.read(id).text()).toBe(`content ${i}`);
  expect(drafts()).toEqual([]);
});

test("day follows day, and what was opened for those before is closed", async () => {
  for (let days = 0; days < 30; days++) {
    const ids = Array.from({ length: 5 }, () => newId(day + days * 86_400_000));
    await Promise.all(ids.map((id) => kept(id, id)));
    for (const id of ids) expect(await files.read(id).text()).toBe(id);
  }
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = linkOf(`/proc/self/fd/${fd}`);
    return path.startsWith(`${folder}/`) ? [path] : [];
  });
  expect(open.length).toBeLessThan(10);
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

test("one that cannot be kept leaves the others alone", async () => {
  const lost = await drafted("lost");
  rmSync(`${folder}/uploads`, { recursive: true });
  mkdirSync(`${folder}/uploads`);
  const others = await Promise.all(Array.from({ length: 20 }, (_, i) => drafted(`${i}`)));
  const ids = others.map(() => newId());
  const works = others.map((draft, i) => files.keep(draft, ids[i] as string));
  const outcomes = await Promise.allSettled([files.keep(lost, newId()), ...works]);
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([false, ...others.map(() => true)]);
  for (const [i, id] of ids.entries()) expect(await files.read(id).text()).toBe(`${i}`);
});

test("a folder of a day that went away is made again, or the next day is not hurt", async () => {
  await kept("x");
  const id = await kept("y", newId(day + 86_400_000));
  expect(existsSync(`${folder}/attachments/2026-11-22/${id}`)).toBe(true);
});

test("a full disk is storage that is not available; nothing is left of it, and it heals", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = filesIn(folder);
  const id = await kept("kept before");

  const draft = await drafted();
  const writing = draft.write(Buffer.alloc(2 * 1_048_576, 1));
  await expect(writing).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(draft.write(Buffer.alloc(65_536, 1))).rejects.toThrow("disk full");
  expect(drafts()).toHaveLength(1);
  await draft.discard();
  expect(drafts()).toEqual([]);

  const whole = newId();
  await expect(files.keepBytes(Buffer.alloc(2 * 1_048_576, 1), whole)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await isThere(whole)).toBe(false);

  expect(await files.read(id).text()).toBe("kept before");
  expect(await files.read(await kept("kept after")).text()).toBe("kept after");
});

test("a disk without room for another file is storage that is not available", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=8", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = filesIn(folder);
  const open: Awaited<ReturnType<typeof drafted>>[] = [];
  const filling = (async () => {
    for (let i = 0; i < 20; i++) open.push(await drafted());
  })();
  await expect(filling).rejects.toBeInstanceOf(StoreUnavailable);
  // Nor is there any for the folder of a new day.
  const [first] = open;
  await expect(files.keep(first as (typeof open)[number], newId())).rejects.toBeInstanceOf(StoreUnavailable);
  for (const draft of open) await draft.discard();
  expect(drafts()).toEqual([]);
  await kept("x");
});

test("a disk that can only be read is storage that is not available", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = filesIn(folder);
  const id = await kept("x");
  Bun.spawnSync(["mount", "-o", "remount,ro", folder]);
  await expect(files.draft()).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await files.read(id).text()).toBe("x");
});

test("too many open files are storage that is not available; it heals when they are closed", async () => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { LocalFiles } from ${JSON.stringify(`${import.meta.dir}/local-files.ts`)};
    const files = new LocalFiles(${JSON.stringify(folder)});
    const drafts = [await files.draft(), await files.draft(), await files.draft()];
    const full = [];
    try {
      for (;;) full.push(openSync("/dev/null"));
    } catch {}
    const id = () => Bun.randomUUIDv7("hex", ${day});
    const said = [await files.draft().then(() => "made", (error) => error.name), files.trouble() !== undefined];
    for (const one of full) closeSync(one);
    for (const draft of drafts) said.push(await files.keep(draft, id()).then(() => "kept", (error) => error.name));
    said.push(files.trouble() !== undefined);
    console.log(JSON.stringify(said));
    process.exit(0);
  `;
  const child = Bun.spawn(["prlimit", "--nofile=100", process.execPath, "-e", script], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([stdout.trim(), stderr]).toEqual([
    JSON.stringify(["StoreUnavailable", true, "kept", "kept", "kept", false]),
    "",
  ]);
});
