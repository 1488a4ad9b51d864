import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { writeBackMark } from "../../server/app/back-mark.ts";
import { requireDataFolder } from "../../server/app/data-folder.ts";
import { DataLock } from "../../server/app/lock.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { listCopies } from "../../server/store/upgrade-copies.ts";
import { faultOfCopy } from "../../server/store/verify-copy.ts";
import { binaryPath, finished, requireBinary, run, runJson, serve } from "../support/binary.ts";
import { fillOlder, type OlderContents, olderDataFolder } from "../support/older-data-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createSurvivor } from "../support/tickets.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

const newest = migrations.at(-1)?.number ?? 0;
const before = 9;

interface WentBack {
  copy: string;
  kept: string;
  keptAttachments: number;
  schema: { from: number; to: number };
  lost: { tickets: number; reports: number };
  returning: { tickets: number; reports: number };
}

let folder: string;
/** A data directory that was upgraded from the schema 9, with one ticket, one report and its attachment since then. */
let upgraded: string;
let older: OlderContents;
const since = { ticket: Bun.randomUUIDv7(), report: Bun.randomUUIDv7(), attachment: Bun.randomUUIDv7() };

beforeAll(() => {
  requireBinary();
  folder = temporaryFolder();
  upgraded = join(folder, "upgraded");
  const db = olderDataFolder(upgraded, before);
  older = fillOlder(db, upgraded, before);
  db.close();
  migrate(upgraded, migrations);
  change(upgraded, (newer) => {
    newer.run(
      `insert into ticket (id, column_id, position, title, priority, token_id, author_name, created_at)
       values (?, 'c', 99, 'Since', 'none', 't', 'CI', 0)`,
      [since.ticket],
    );
    newer.run(
      `insert into event (id, project_id, key_id, digest, level, title, received_at, envelope_bytes, stored_bytes,
         delivery_count, repeat_count) values (?, 'p', 'k', '', 'error', 'Since', ?, 2, 2, 0, 0)`,
      [since.report, Date.now()],
    );
    newer.run(
      `insert into attachment (event_id, number, id, part, size, kind, state)
       values (?, 0, ?, 'attachment_0', 5, 'other', 'stored')`,
      [since.report, since.attachment],
    );
    newer.run("delete from ticket where title = 'Ticket 3'");
  });
  writeFileSync(attachmentPath(upgraded, since.attachment), "since", { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function change(data: string, work: (db: Database) => void) {
  const db = new Database(databasePath(data));
  db.run("pragma foreign_keys = on");
  work(db);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}

let made = 0;
function ownCopy(): string {
  const data = join(folder, `copy-${++made}`);
  expect(Bun.spawnSync(["cp", "-a", upgraded, data]).exitCode).toBe(0);
  return data;
}

const back = (data: string, ...args: string[]) => ["migrate", "back", ...args, "--data", data];
const goBack = (data: string, ...args: string[]) => runJson<WentBack>(back(data, ...args, "--yes"));

/** The schema of the database, and the titles of its tickets. */
function stateOf(data: string): { schema: number; titles: string[]; reports: number } {
  const db = new Database(databasePath(data), { readonly: true });
  try {
    expect(db.query("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    const [schema] = db.query<{ n: number }, []>("select max(number) as n from migration").all();
    const titles = db.query<{ title: string }, []>("select title from ticket order by title").all();
    const [reports] = db.query<{ n: number }, []>("select count(*) as n from event").all();
    return { schema: schema?.n ?? 0, titles: titles.map(({ title }) => title), reports: reports?.n ?? 0 };
  } finally {
    db.close();
  }
}

/** Names in the folder without the lock, what SQLite keeps beside a database, and the draft of a mark, which the next mark replaces. */
const names = (data: string) =>
  readdirSync(data)
    .filter((name) => !/^(lock\.|uploads$|intake\.db-|going-back\.json\.new$)/.test(name))
    .sort();
const copyIn = (data: string) => listCopies(data).find(({ from }) => from === before)?.path ?? "";

test("the copy takes the place of the database, says what that loses, and the replaced one can be gone back to", async () => {
  const data = ownCopy();
  const now = stateOf(data);
  const asked = await run(back(data));
  expect(asked).toMatchObject({ code: 1, stdout: "" });
  expect(asked.stderr).toMatch(
    /Out of sight afterwards: 1 ticket and 1 report stored since then.*\nThere again: 1 ticket and 0 reports deleted.*\n.*nothing was changed; say --yes/,
  );
  expect(asked.stderr).toContain(`from schema ${newest} to ${before}, as it was on`);
  expect(stateOf(data)).toEqual(now);
  expect(names(data)).toEqual(names(upgraded));

  const went = await goBack(data);
  expect(went).toMatchObject({
    copy: copyIn(data),
    schema: { from: newest, to: before },
    lost: { tickets: 1, reports: 1 },
    returning: { tickets: 1, reports: 0 },
    keptAttachments: 1,
  });
  expect(stateOf(data)).toEqual({
    schema: before,
    titles: Array.from({ length: 20 }, (_, i) => `Ticket ${i}`).sort(),
    reports: 20,
  });
  expect(names(data)).toEqual(names(upgraded));
  const listed = await runJson<{ items: object[] }>(["migrate", "copies", "--verify", "--data", data]);
  expect(listed.items).toMatchObject([
    { schema: newest, nextSchema: before, committed: true, verified: "now", path: went.kept },
    { schema: before, nextSchema: newest, committed: true, verified: "now", path: went.copy },
  ]);

  // This binary upgrades again; its server removes the file of the attachment that no row names now.
  const server = await serve(data);
  const lost = attachmentPath(data, since.attachment);
  await until(() => !existsSync(lost) || undefined);
  for (const [key, answer] of older.answers) {
    const replay = await createSurvivor(server.url, older.token, key);
    expect([replay.headers.get("idempotency-mismatch"), await replay.text()]).toEqual([null, answer]);
  }
  expect((await run(back(data, "--yes"))).stderr).toMatch(/is in use by process \d+ \(intake serve\); stop it first/);
  expect(await server.stop()).toBe(0);

  const again = await goBack(data, basename(went.kept));
  expect(again).toMatchObject({
    schema: { from: newest, to: newest },
    lost: { tickets: 1 },
    returning: { tickets: 1 },
  });
  expect(stateOf(data)).toEqual(now);
  expect(readFileSync(lost, "utf8")).toBe("since");
  const doctor = await runJson<{ checks: { check: string; severity: string }[] }>(["doctor", "--data", data]);
  expect(doctor.checks.find(({ check }) => check === "attachments")).toMatchObject({ severity: "ok" });
});

/** Goes back, while strace does something to the n-th call of a system call; undefined when there are fewer. */
async function goBackWith(data: string, call: string, n: number, what: string) {
  const log = join(folder, "strace.log");
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${what}:when=${n}`];
  const child = Bun.spawn(["strace", "-f", "-qq", "-o", log, ...inject, binaryPath, ...back(data, "--yes")], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const ended = await finished(child);
  return /INJECTED|SIGKILL/.test(readFileSync(log, "utf8")) ? ended : undefined;
}

const calls = ["mkdir", "copy_file_range", "ftruncate", "fsync", "link", "rename", "unlink"];

/** What any other command finds: the old or the new database, whole, and nothing that going back has left. */
function stateAfter(data: string): "old" | "new" {
  requireDataFolder(data);
  const { schema, titles } = stateOf(data);
  expect(names(data)).toEqual(names(upgraded));
  const listed = listCopies(data);
  expect(listed.map(faultOfCopy)).toEqual(listed.map(() => undefined));
  const ownNode = statSync(databasePath(data)).ino;
  expect(listed.map(({ path }) => statSync(path).ino)).not.toContain(ownNode);
  expect(existsSync(attachmentPath(data, since.attachment))).toBe(true);
  const there = listed.map(({ from }) => from);
  const isNew = schema === before;
  expect(titles.includes("Since")).toBe(!isNew);
  expect(there).toEqual(isNew ? [newest, before] : [before]);
  const beside = readdirSync(`${data}/backups`).filter((name) => !name.endsWith(".db"));
  expect(beside).toEqual(isNew ? [`${basename(listed[0]?.path ?? "")}.attachments`] : []);
  return isNew ? "new" : "old";
}

test("a kill at any moment leaves the old database or the new one, and nothing beside it", async () => {
  const seen = new Map<string, number>();
  for (const call of calls) {
    for (let n = 1; ; n++) {
      const data = ownCopy();
      const ended = await goBackWith(data, call, n, "signal=SIGKILL");
      if (!ended) break;
      const marked = existsSync(join(data, "going-back.json"));
      const state = stateAfter(data);
      seen.set(`${state}${marked ? ", marked" : ""}`, n);
      if (marked && state === "old") expect((await goBack(data)).schema.to).toBe(before);
      rmSync(data, { recursive: true });
    }
  }
  expect([...seen.keys()].sort()).toEqual(["new", "new, marked", "old", "old, marked"]);
});

test.each([
  ["ENOSPC", /the disk is full|SQLITE_IOERR/, ["copy_file_range", "pwrite64", "link", "rename"]],
  ["EIO", /EIO|SQLITE_IOERR/, ["fsync"]],
] as const)(
  "an error of the disk at any moment (%s) is told, and leaves a whole database",
  async (code, reason, failing) => {
    for (const call of failing) {
      for (let n = 1; ; n++) {
        const data = ownCopy();
        const ended = await goBackWith(data, call, n, `error=${code}`);
        if (!ended) break;
        const state = stateAfter(data);
        if (ended.code !== 0 && ended.stderr.includes("the database is as it was")) {
          expect(state).toBe("old");
          expect(ended.stderr).toMatch(reason);
        }
        if (ended.code === 0) expect(state).toBe("new");
        rmSync(data, { recursive: true });
      }
    }
  },
);

async function refused(data: string, args: string[], reason: RegExp) {
  const state = stateOf(data);
  const { code, stderr } = await run(back(data, "--yes", ...args));
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  expect(stateOf(data)).toEqual(state);
  expect(names(data)).toEqual(names(upgraded));
}

test("a copy that is damaged, foreign, newer than the binary or not there is refused, and nothing is changed", async () => {
  const data = ownCopy();
  const copy = copyIn(data);
  await refused(data, ["/etc/passwd"], /\/etc\/passwd is no copy that an upgrade of this data directory made/);
  await refused(data, ["../intake.db"], /is no copy/);

  const newer = copy.replace(/before-schema-.*?-from-\d+/, `before-schema-${newest + 2}-from-${newest + 1}`);
  copyFileSync(copy, newer);
  await refused(data, [newer], new RegExp(`it has schema ${newest + 1}, and this binary knows up to ${newest}`));
  rmSync(newer);

  const foreign = copy.replace(/-from-\d+-\d+/, `-from-${newest}-2020`);
  copyFileSync(databasePath(data), foreign);
  changeFile(foreign, (db) => db.run("update organisation set id = 'other'"));
  await refused(data, [foreign], /is of another installation/);
  changeFile(foreign, (db) => {
    db.run("update organisation set id = 'o'");
    db.run("insert into sealing (fingerprint) values ('other')");
  });
  await refused(data, [foreign], /secret\.key is missing, and secrets of subscribers are sealed with it/);
  changeFile(foreign, (db) => {
    db.run("delete from sealing");
    db.run("update migration set checksum = 'x' where number = 5");
  });
  await refused(data, [foreign], /step 5 of the database's schema is not the one this binary knows/);
  rmSync(foreign);

  const bytes = readFileSync(copy);
  writeFileSync(`${copy}-wal`, "changed");
  await refused(data, [], /its log beside it/);
  rmSync(`${copy}-wal`);
  writeFileSync(copy, Buffer.from(bytes).fill(0xff, 8_192, 12_288));
  await refused(data, [], /cannot take the place of the database: it (is damaged|cannot be read)/);
  writeFileSync(copy, bytes.subarray(0, 50_000));
  await refused(data, [], /cannot take the place of the database: it (is damaged|cannot be read)/);
  writeFileSync(copy, "");
  await refused(data, [], /cannot take the place of the database: it has schema 0/);
  rmSync(copy);
  await refused(data, [], /there is no copy to go back to/);
});

function changeFile(path: string, work: (db: Database) => void) {
  const db = new Database(path);
  db.run("pragma journal_mode = delete");
  work(db);
  db.close();
}

test("beside another command, without room and on a read-only disk nothing is changed", async () => {
  const data = ownCopy();
  const reading = new Database(databasePath(data), { readonly: true });
  reading.query("select count(*) from ticket").all();
  await refused(data, [], /another command uses the database; wait until it has ended/);
  reading.close();

  const disk = join(folder, "disk");
  mkdirSync(disk);
  const mount = (options: string) =>
    expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk]).exitCode).toBe(0);
  mount("size=4m");
  try {
    Bun.spawnSync(["cp", "-a", data, join(disk, "data")]);
    await refused(join(disk, "data"), [], /there is no room to go back: that needs \d+ MB/);
    mount("remount,ro");
    await refused(join(disk, "data"), [], /its file system is read-only \(EROFS\)/);
  } finally {
    Bun.spawnSync(["umount", "--lazy", disk]);
  }
});

test("an older binary names the command that goes back, and can go back by itself", async () => {
  const data = ownCopy();
  const copy = `${data}/backups/before-schema-${newest + 1}-from-${newest}-2026-11-23T11-40-51-123Z.db`;
  rmSync(copyIn(data));
  changeFile(databasePath(data), (db) => {
    db.run("vacuum into ?", [copy]);
    db.run("insert into migration values (?, 'later', 'x', 0)", [newest + 1]);
    db.run("alter table event rename column id to event_id");
  });
  for (const words of [
    ["migrate", "status"],
    ["serve", "--port", "0", "--metrics", "off"],
    ["ticket", "list"],
  ]) {
    expect((await run([...words, "--data", data])).stderr).toContain(
      `with this binary, which says first what that loses: intake migrate back ${copy} --data ${data}`,
    );
  }
  expect(await goBack(data, copy)).toMatchObject({ lost: { tickets: 0, reports: null } });
  expect(stateOf(data)).toEqual(stateOf(upgraded));
});

test("an older copy than the newest upgrade's is gone back to by name only", async () => {
  const data = ownCopy();
  const { kept } = await goBack(data);
  expect((await run(back(data, "--yes"))).stderr).toContain(`the newest copy (${kept}, schema ${newest})`);
  migrate(data, migrations);
  expect((await goBack(data)).schema).toEqual({ from: newest, to: before });
});

test("other commands wait for one that goes back, and name the file that says so where it is damaged", async () => {
  const data = ownCopy();
  const mark = join(data, "going-back.json");
  const lock = new DataLock(data, "migrate back");
  writeBackMark(data, { kept: join(data, "backups/kept.db") });
  for (const words of [["migrate", "status"], ["doctor"], ["serve", "--port", "0", "--metrics", "off"]]) {
    const { code, stderr } = await run([...words, "--data", data]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/in use by process \d+ \(intake migrate back\)/)]);
  }
  lock.release();
  expect((await run(["migrate", "status", "--data", data])).code).toBe(0);
  expect(existsSync(mark)).toBe(false);
  writeFileSync(mark, '{"kept":"/etc/passwd"}');
  const { code, stderr } = await run(["doctor", "--data", data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${mark} is damaged`)]);
});
