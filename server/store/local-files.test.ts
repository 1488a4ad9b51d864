import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import {
  day,
  dayMilliseconds,
  drafted,
  filesContract,
  isThere,
  keepBytes,
  kept,
  newId,
  textOf,
} from "../../test/store/files-contract.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { StoreUnavailable } from "../core/store.ts";
import type { DraftFile } from "./drafts.ts";
import { LocalFiles } from "./local-files.ts";

describe("local files", () => {
  filesContract(() => {
    const folder = temporaryFolder();
    return {
      files: new LocalFiles(folder),
      another: () => new LocalFiles(folder),
      uploads: `${folder}/uploads`,
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  });
});

const folders: string[] = [];
const mounted = new Set<string>();
let folder: string;
let files: LocalFiles;
beforeEach(() => {
  folder = newFolder();
  files = new LocalFiles(folder);
});
afterAll(() => {
  for (const folder of folders) {
    if (mounted.has(folder)) Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function newFolder(): string {
  const made = temporaryFolder();
  folders.push(made);
  return made;
}

function drafts(): string[] {
  return readdirSync(`${folder}/uploads`);
}

test("bytes in memory go into a folder that went away", async () => {
  await keepBytes(files, "first", newId());
  rmSync(`${folder}/attachments`, { recursive: true });
  mkdirSync(`${folder}/attachments`);
  const id = newId();
  await keepBytes(files, "second", id);
  expect(await textOf(files, id)).toBe("second");
});

test("a file lies in the folder of its id's day, for nobody else to read, and the draft is gone", async () => {
  const lastOfDay = Date.UTC(2026, 1, 28, 23, 59, 59, 999);
  const id = await kept(files, "x", newId(lastOfDay));
  const inMemory = newId(lastOfDay);
  await keepBytes(files, "x", inMemory);
  for (const one of [id, inMemory]) {
    expect(statSync(`${folder}/attachments/2026-02-28/${one}`).mode & 0o777).toBe(0o600);
  }
  for (const parent of ["attachments", "attachments/2026-02-28", "uploads"]) {
    expect(statSync(`${folder}/${parent}`).mode & 0o777).toBe(0o700);
  }
  expect(drafts()).toEqual([]);
});

test("day follows day, and what was opened for those before is closed", async () => {
  for (let days = 0; days < 30; days++) {
    const ids = Array.from({ length: 5 }, () => newId(day + days * dayMilliseconds));
    await Promise.all(ids.map((id) => kept(files, id, id)));
    for (const id of ids) expect(await textOf(files, id)).toBe(id);
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
  const lost = await drafted(files, "lost");
  rmSync(`${folder}/uploads`, { recursive: true });
  mkdirSync(`${folder}/uploads`);
  const others = await Promise.all(Array.from({ length: 20 }, (_, i) => drafted(files, `${i}`)));
  const ids = others.map(() => newId());
  const works = others.map((draft, i) => files.keep(draft, ids[i] as string));
  const outcomes = await Promise.allSettled([files.keep(lost, newId()), ...works]);
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([false, ...others.map(() => true)]);
  for (const [i, id] of ids.entries()) expect(await textOf(files, id)).toBe(`${i}`);
});

test("a folder of a day that went away is made again, or the next day is not hurt", async () => {
  await kept(files, "x");
  const id = await kept(files, "y", newId(day + dayMilliseconds));
  expect(existsSync(`${folder}/attachments/2026-11-22/${id}`)).toBe(true);
});

test("a full disk is storage that is not available; nothing is left of it, and it heals", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = new LocalFiles(folder);
  const id = await kept(files, "kept before");

  const draft = await drafted(files);
  const writing = draft.write(Buffer.alloc(2 * 1_048_576, 1));
  await expect(writing).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(draft.write(Buffer.alloc(65_536, 1))).rejects.toThrow("disk full");
  expect(drafts()).toHaveLength(1);
  await draft.discard();
  expect(drafts()).toEqual([]);

  const whole = newId();
  await expect(keepBytes(files, Buffer.alloc(2 * 1_048_576, 1), whole)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await isThere(files, whole)).toBe(false);

  expect(await textOf(files, id)).toBe("kept before");
  expect(await textOf(files, await kept(files, "kept after"))).toBe("kept after");
});

test("a disk without room for another file is storage that is not available", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=8", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = new LocalFiles(folder);
  const open: DraftFile[] = [];
  const filling = (async () => {
    for (let i = 0; i < 20; i++) open.push(await drafted(files));
  })();
  await expect(filling).rejects.toBeInstanceOf(StoreUnavailable);
  // Nor is there any for the folder of a new day.
  const [first] = open;
  await expect(files.keep(first as (typeof open)[number], newId())).rejects.toBeInstanceOf(StoreUnavailable);
  for (const draft of open) await draft.discard();
  expect(drafts()).toEqual([]);
  await kept(files, "x");
});

test("a disk that can only be read is storage that is not available", async () => {
  folder = newFolder();
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounted.add(folder);
  files = new LocalFiles(folder);
  const id = await kept(files, "x");
  Bun.spawnSync(["mount", "-o", "remount,ro", folder]);
  await expect(files.draft()).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await textOf(files, id)).toBe("x");
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
