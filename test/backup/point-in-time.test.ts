import { Database } from "bun:sqlite";
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listMoments } from "../../server/backup/find-moment.ts";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { type BackupLog, readManifest, writeManifest } from "../../server/backup/manifest.ts";
import { pruneBackups } from "../../server/backup/prune-backups.ts";
import { inOrder, pathOfSegment, type SegmentName } from "../../server/backup/segment-name.ts";
import { readKeepRule } from "../../server/core/keep-rule.ts";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { openDatabase } from "../../server/store/open-database.ts";
import { run } from "../support/binary.ts";
import { attachment, envelope, eventTools, storeReport } from "../support/ingest.ts";
import { install } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { create, filesIn, restore, verify } from "./backups.ts";
import { KeptLog } from "./kept-log.ts";

setDefaultTimeout(180_000);

const folders: string[] = [];
const folder = () => {
  folders.push(temporaryFolder());
  return folders.at(-1) as string;
};
const scratch = folder();
let kept: KeptLog | undefined;
let target = new FolderTarget(join(scratch, "target"));
afterEach(async () => {
  await kept?.store.close();
  kept = undefined;
  target = new FolderTarget(join(scratch, crypto.randomUUID()));
});
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const out = { note: () => {}, progress: () => {} };

async function messageOf(failing: Promise<unknown>): Promise<string> {
  return failing.then(
    () => "nothing failed",
    (error) => (error as Error).message,
  );
}

/** Restores a moment, and returns the keys that are stored then. */
async function keysAt(time: number): Promise<{ keys: Set<string>; at: number; segments: number; path: string }> {
  const data = join(scratch, crypto.randomUUID());
  const { at, segments } = await restore(target, data, { at: time });
  const db = new Database(databasePath(data), { readonly: true });
  const keys = new Set(
    db
      .query<{ name: string }, []>("select name from setting")
      .all()
      .map(({ name }) => name),
  );
  db.close();
  return { keys, at, segments, path: databasePath(data) };
}

const folderOf = ({ words }: FolderTarget) => words.replace("the folder ", "");

/** Throws unless exactly what was answered before a moment is stored. */
function requireExact(answered: KeptLog["answered"], { keys, at }: { keys: Set<string>; at: number }) {
  for (const [key, times] of answered) {
    if (times.answered < at && !keys.has(key))
      throw new Error(`${key}, answered ${at - times.answered} ms before, is missing`);
    if (times.begun > at && keys.has(key)) throw new Error(`${key}, begun ${times.begun - at} ms later, is there`);
  }
}

test("any moment is restored with exactly what was answered before, while the log starts over many times", async () => {
  kept = await KeptLog.open(folder());
  expect(kept.begun).toMatchObject({ number: 1, continued: false, gap: null });
  await kept.write(40);
  await create(kept.folder, target);
  const since = Date.now();
  const salts = new Set<string>();
  for (let round = 0; round < 8; round++) {
    await kept.write(1_000, 20_000);
    salts.add(readFileSync(`${databasePath(kept.folder)}-wal`).toString("hex", 16, 24));
    if (round === 4) await create(kept.folder, target);
    await kept.ship(target);
  }
  await kept.even();
  await kept.ship(target);
  expect(salts.size).toBeGreaterThan(1);
  expect(kept.events.filter(({ keptLog }) => keptLog === "ended")).toEqual([]);
  const to = Date.now();
  for (let i = 0; i < 8; i++) {
    const found = await keysAt(since + Math.random() * (to - since));
    requireExact(kept.answered, found);
  }
  const last = await keysAt(Date.now());
  requireExact(kept.answered, last);
  expect(last.keys.size).toBe(kept.answered.size);
  // A clean stop leaves the whole database in its file.
  await kept.store.close();
  expect(Bun.SHA256.hash(readFileSync(last.path), "hex")).toBe(
    Bun.SHA256.hash(readFileSync(databasePath(kept.folder)), "hex"),
  );
  expect(await listMoments(target)).toMatchObject({ moments: [{}], gaps: [] });
});

test("a stop and a start go on with the chain; a database that was changed in between begins a new one", async () => {
  const data = folder();
  kept = await KeptLog.open(data);
  const { answered } = kept;
  const chain = kept.begun?.chain;
  await create(data, target);
  const middle = Date.now();
  for (let round = 0; round < 3; round++) {
    await kept.write(100, 20_000);
    await kept.store.close();
    kept = await KeptLog.open(data, answered);
    expect(kept.begun).toMatchObject({ chain, continued: true, gap: null });
  }
  await kept.write(20);
  await kept.even();
  await kept.ship(target);
  const first = await keysAt(Date.now());
  requireExact(answered, first);
  const to = new Date(first.at).toISOString();
  const newest = await run(["restore", dirname(target.scratch), "--data", join(scratch, crypto.randomUUID())]);
  expect([newest.code, newest.stderr]).toEqual([0, expect.stringContaining(`the log goes on until ${to}: with --at`)]);
  const moment = await run([
    "restore",
    dirname(target.scratch),
    "--data",
    join(scratch, crypto.randomUUID()),
    "--at",
    to,
  ]);
  expect([moment.code, moment.stderr]).toEqual([0, ""]);
  expect(moment.stdout).toContain(`everything as of ${to}`);
  expect(await listMoments(target)).toMatchObject({ moments: [{}], gaps: [] });
  await kept.store.close();

  const db = openDatabase(databasePath(data), { autocheckpoint: 1_000 });
  db.run("insert into setting (name, value) values ('by a command', '')");
  db.close();
  kept = await KeptLog.open(data, answered);
  expect(kept.begun).toMatchObject({ continued: false, gap: "the database was changed while no server ran" });
  expect(kept.begun?.chain).not.toBe(chain as string);
  await kept.ship(target);
  await kept.write(20);
  const between = Date.now();
  await kept.even();
  await create(data, target);
  await kept.write(20);
  await kept.even();
  await kept.ship(target);
  const last = await keysAt(Date.now());
  requireExact(answered, last);
  expect(last.keys).toContain("by a command");
  requireExact(answered, await keysAt((middle + first.at) / 2));
  const { moments, gaps } = await listMoments(target);
  expect(moments).toHaveLength(2);
  expect(gaps).toEqual([{ from: moments[1]?.to as string, to: moments[0]?.from as string }]);
  expect(await messageOf(keysAt(between))).toMatch(
    /^nothing is known of .*: the log ends at .* and goes on at .* Moments that can be restored: .* to .*, .* to /,
  );
  expect(await messageOf(keysAt(middle - 86_400_000))).toMatch(
    /^no backup of .* from before .* Moments that can be restored: /,
  );
});

test("a moment behind the end of a chain is refused as soon as another chain has begun, also without a backup", async () => {
  const data = folder();
  kept = await KeptLog.open(data);
  const { answered } = kept;
  await create(data, target);
  await kept.write(20);
  await kept.even();
  await kept.store.close();
  const db = openDatabase(databasePath(data), { autocheckpoint: 1_000 });
  db.run("insert into setting (name, value) values ('by a command', '')");
  db.close();
  kept = await KeptLog.open(data, answered);
  const between = Date.now();
  await kept.write(20);
  await kept.even();
  await kept.ship(target);
  expect((await target.segments()).at(-1)).toMatchObject({ chain: kept.begun?.chain });
  expect(await messageOf(keysAt(between))).toMatch(
    /^nothing is known of .*: the log ends at .*, and the one that follows has no backup to begin with/,
  );
  expect(await messageOf(keysAt(Date.now()))).toMatch(/^nothing is known of /);
});

test("segments of two servers on copies of one data directory are not mixed", async () => {
  const [data, copy] = [folder(), folder()];
  kept = await KeptLog.open(data);
  await create(data, target);
  await kept.write(40);
  await kept.even();
  cpSync(data, copy, { recursive: true });
  await kept.write(40);
  await kept.even();
  await kept.ship(target);
  const [, last] = [await kept.store.close(), (await target.segments()).at(-1) as SegmentName];
  const { answered } = kept;
  kept = await KeptLog.open(copy);
  expect(kept.begun).toMatchObject({ chain: last.chain, continued: true });
  for (let round = 0; round < 3; round++) {
    await kept.write(60);
    await kept.even();
  }
  await kept.ship(target);
  const segments = await target.segments();
  expect(segments.at(-1)?.number).toBeGreaterThan(last.number);
  // The copy's segments of the same numbers are gone, as far as a list of names tells.
  for (const name of readdirSync(join(folderOf(target), "log", last.chain))) {
    const path = join(folderOf(target), "log", last.chain, name);
    const number = Number(name.slice(0, 10));
    const original = pathOfSegment(last).endsWith(name);
    if (number === last.number && !original) rmSync(path);
  }
  expect(await messageOf(keysAt(Date.now()))).toContain("another server has shipped to the same place");
  expect(await messageOf(verify(target, scratch))).toContain("another server has shipped to the same place");
  requireExact(answered, await keysAt(last.end));
});

test("of a segment that was stored twice, the same one counts in every list", async () => {
  const one = { chain: "20261123T104922123Z-3fa9c1", number: 1, end: 1, bytes: 1 };
  const [a, b] = ["a", "b"].map((digit) => digit.repeat(64)) as [string, string];
  const without: SegmentName = { ...one, sha256: a, files: false };
  const withFiles: SegmentName = { ...one, sha256: b, files: true };
  const other: SegmentName = { ...one, sha256: a, files: true };
  for (const listed of [
    [without, withFiles, other],
    [other, withFiles, without],
    [withFiles, without, other],
  ]) {
    expect(inOrder(listed)).toEqual([other]);
  }
  expect(inOrder([without, withFiles])).toEqual([withFiles]);
});

test("a checkpoint and a restart of the log by another program lose nothing while a server runs", async () => {
  kept = await KeptLog.open(folder());
  await create(kept.folder, target);
  for (let round = 0; round < 10; round++) {
    await kept.write(40, 20_000);
    const other = openDatabase(databasePath(kept.folder), { autocheckpoint: 1, busyMs: 5_000 });
    const key = crypto.randomUUID();
    const begun = Date.now();
    other.run("insert into setting (name, value) values (?1, '')", [key]);
    kept.answered.set(key, { begun, answered: Date.now() });
    other.run("pragma busy_timeout = 0");
    for (const mode of ["passive", "restart", "truncate"]) other.query(`pragma wal_checkpoint(${mode})`).all();
    other.close();
  }
  await kept.even();
  await kept.ship(target);
  expect(kept.events.filter(({ keptLog }) => keptLog === "ended")).toEqual([]);
  const last = await keysAt(Date.now());
  requireExact(kept.answered, last);
  await verify(target, scratch);
});

test("a missing segment, a flipped byte and another segment's bytes are told, and nothing is restored", async () => {
  kept = await KeptLog.open(folder());
  const { folder: data } = kept;
  await create(data, target);
  for (let round = 0; round < 4; round++) {
    await kept.write(40);
    await kept.even();
  }
  await kept.ship(target);
  const segments = await target.segments();
  expect(segments.length).toBeGreaterThan(3);
  const second = segments[1] as SegmentName;
  const path = join(target.words.replace("the folder ", ""), "log", pathOfSegment(second));
  const bytes = readFileSync(path);
  for (const at of [40, 100, bytes.length - 9]) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    writeFileSync(path, flipped);
    expect(await messageOf(keysAt(Date.now()))).toContain("segment 2 of the log");
    expect(await messageOf(verify(target, scratch))).toContain("has other bytes");
  }
  writeFileSync(path, bytes.subarray(0, bytes.length - 1));
  expect(await messageOf(keysAt(Date.now()))).toContain("has other bytes");
  // A moment before the damage can be restored.
  requireExact(kept.answered, await keysAt((segments[0] as SegmentName).end));
  rmSync(path);
  expect(await messageOf(keysAt(Date.now()))).toMatch(
    /^segment 2 of the log .* is missing in .* Moments that can be restored: /,
  );
  expect(await messageOf(verify(target, scratch))).toContain("segment 2 of the log");
  writeFileSync(path, bytes);
  await verify(target, scratch);
  const data2 = join(scratch, crypto.randomUUID());
  expect(
    await messageOf(restore(target, data2, { at: second.end }).then(() => restore(target, data2, { at: second.end }))),
  ).toContain("is not empty");
});

test("prune keeps the segments of the last days, and of those before only what leads there", async () => {
  kept = await KeptLog.open(folder());
  for (let round = 0; round < 3; round++) {
    await create(kept.folder, target);
    await kept.write(40);
    await kept.even();
    await kept.ship(target);
  }
  const before = await target.segments();
  const [first, , last] = await target.ids();
  const all = { target, keep: readKeepRule("7d"), dryRun: false };
  await pruneBackups({ ...all, logDays: 1 }, out);
  // All of it is of this day: the backup that the log begins with stays as well.
  expect(await target.ids()).toEqual([first as string, last as string]);
  expect(await target.segments()).toEqual(before);
  requireExact(kept.answered, await keysAt((before[2] as SegmentName).end));
  await pruneBackups({ ...all, logDays: 0 }, out);
  expect(await target.ids()).toEqual([last as string]);
  const after = await target.segments();
  expect(after.length).toBeLessThan(before.length);
  expect(before.slice(-after.length)).toEqual(after);
  requireExact(kept.answered, await keysAt(Date.now()));
  await verify(target, scratch);
});

test("prune keeps the segments of the last days also when a backup is from the future", async () => {
  kept = await KeptLog.open(folder());
  await create(kept.folder, target);
  await kept.write(40);
  await kept.even();
  await kept.ship(target);
  const before = await target.segments();
  const [id = ""] = await target.ids();
  const manifest = readManifest(id, (await target.manifest(id)) as string);
  const { log: _, ...future } = { ...manifest, id: "20990101T000000000Z-abcdef", asOf: "2099-01-01T00:00:00.000Z" };
  await target.addManifest(future.id, writeManifest(future));
  await pruneBackups({ target, keep: readKeepRule("7d"), logDays: 7, dryRun: false }, out);
  expect(await target.segments()).toEqual(before);
  requireExact(kept.answered, await keysAt(Date.now()));
});

test("prune takes no moment of the last days away: the backup after the last segment of a chain stays", async () => {
  kept = await KeptLog.open(folder());
  await create(kept.folder, target);
  await kept.write(40);
  await kept.even();
  await kept.ship(target);
  await Bun.sleep(1);
  await create(kept.folder, target);
  // The log could not go on, and a new chain begins a minute later.
  const [, id = ""] = await target.ids();
  const manifest = readManifest(id, (await target.manifest(id)) as string);
  const at = Date.parse(manifest.asOf) + 60_000;
  const stamp = new Date(at).toISOString().replaceAll(/[-:.]/g, "");
  const next = { ...manifest, id: `${stamp}-abcdef`, asOf: new Date(at).toISOString() };
  await target.addManifest(next.id, writeManifest({ ...next, log: { ...next.log, chain: next.id } as BackupLog }));
  const before = await listMoments(target);
  expect(before.gaps).toEqual([{ from: manifest.asOf, to: next.asOf }]);
  await pruneBackups({ target, keep: readKeepRule("7d"), logDays: 7, dryRun: false }, out);
  expect(await listMoments(target)).toEqual(before);
  requireExact(kept.answered, await keysAt(Date.parse(manifest.asOf)));
});

test("a spool that grows too large ends the chain and refuses nobody; a new one begins once it was shipped", async () => {
  kept = await KeptLog.open(folder(), new Map(), { bytesMax: 200_000 });
  await create(kept.folder, target);
  await until(async () => {
    await kept?.write(40, 20_000);
    return kept?.events.some(({ keptLog }) => keptLog === "ended") || undefined;
  });
  expect(kept.events.find(({ keptLog }) => keptLog === "ended")).toMatchObject({
    reason: "more than 200000 bytes wait to be shipped",
  });
  await kept.write(40, 20_000);
  // What was complete is shipped, and can be restored.
  expect(await kept.ship(target)).toBeGreaterThan(0);
  requireExact(kept.answered, await keysAt(Date.now()));
});

test("attachments come with the segments that their rows are in; one that was deleted before is told", async () => {
  const installation = await install();
  folders.push(installation.folder);
  kept = await KeptLog.open(installation.folder);
  await create(installation.folder, target);
  const bytes = [100, 90_000].map((length) => crypto.getRandomValues(new Uint8Array(length)));
  const reports: string[] = [];
  for (const one of bytes) {
    reports.push(
      (await storeReport(installation, [envelope({ reportId: crypto.randomUUID() }), attachment(one)])).eventId,
    );
  }
  await kept.even();
  const both = Date.now();
  const tools = { store: installation.ctx.store, ...eventTools(installation) };
  await deleteEvent({ ctx: installation.ctx, tools, input: { id: reports[0] as string } });
  await kept.even();
  await kept.ship(target);
  const [data, later] = [join(scratch, crypto.randomUUID()), join(scratch, crypto.randomUUID())];
  expect((await restore(target, data, { at: both })).holds).toMatchObject({
    reports: 2,
    attachments: 1,
    attachmentsMissing: 1,
  });
  expect((await restore(target, later, { at: Date.now() })).holds).toMatchObject({
    reports: 1,
    attachments: 1,
    attachmentsMissing: 0,
  });
  for (const restored of [data, later]) {
    const [path] = filesIn(restored).filter((name) => name.startsWith("attachments/"));
    expect(new Uint8Array(readFileSync(join(restored, path as string)))).toEqual(bytes[1] as Uint8Array<ArrayBuffer>);
  }
  // The object of an attachment is needed by the segment alone.
  await pruneBackups({ target, keep: readKeepRule("7d"), logDays: 7, dryRun: false }, out);
  await verify(target, scratch);
  const group = (await Array.fromAsync(target.objects(Bun.SHA256.hash(bytes[1] as Uint8Array, "hex").slice(0, 2))))
    .length;
  expect(group).toBeGreaterThan(0);
});

test("a segment with attachments is not stored once its lock was lost to whoever removes objects", async () => {
  const installation = await install();
  folders.push(installation.folder);
  kept = await KeptLog.open(installation.folder);
  await storeReport(installation, [envelope({ reportId: crypto.randomUUID() }), attachment(new Uint8Array(100))]);
  await kept.even();
  const lost = new FolderTarget(folderOf(target));
  lost.lockObjects = async () => ({
    require: async () => {
      throw new Error("another run has taken over");
    },
    release: async () => {},
  });
  expect(await messageOf(kept.ship(lost))).toBe("another run has taken over");
  expect((await target.segments()).some(({ files }) => files)).toBe(false);
  await kept.ship(target);
  expect((await target.segments()).some(({ files }) => files)).toBe(true);
});

test("while objects are being removed, a segment with attachments waits", async () => {
  const held = await target.lockObjects();
  await expect(target.lockObjects()).rejects.toThrow("another run adds to or removes from");
  await held.release();
  await (await target.lockObjects()).release();
});
