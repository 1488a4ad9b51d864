import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { readKeepRule } from "../../server/backup/keep-rule.ts";
import { listBackups } from "../../server/backup/list-backups.ts";
import { type Manifest, readManifest, writeManifest } from "../../server/backup/manifest.ts";
import { pruneBackups } from "../../server/backup/prune-backups.ts";
import { digestOf } from "../../server/backup/stored-object.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { type Filled, fillInstallation } from "../scale/fill-installation.ts";
import { run, serve } from "../support/binary.ts";
import { faultsFound } from "../support/doctor.ts";
import { install } from "../support/installation.ts";
import { contentsOf, create, filesIn, restore, verify } from "./backups.ts";

setDefaultTimeout(120_000);

let scratch: string;
let filled: Filled;
let original: string;
/** A folder with one backup of the original. */
let made: string;
let count = 0;
const folder = () => join(scratch, String(++count));

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-backup-"));
  const installation = await install();
  filled = await fillInstallation(installation);
  original = installation.folder;
  made = folder();
  await create(original, new FolderTarget(made));
});
afterAll(() => {
  for (const path of [scratch, original]) rmSync(path, { recursive: true, force: true });
});

function copyOf(path: string): string {
  const copy = folder();
  cpSync(path, copy, { recursive: true });
  return copy;
}

function manifestIn(target: string): { path: string; manifest: Manifest } {
  const [name = ""] = readdirSync(`${target}/backups`);
  const path = `${target}/backups/${name}`;
  return { path, manifest: readManifest(name.replace(".json", ""), readFileSync(path, "utf8")) };
}

/** Replaces the manifest by one that is whole in itself and says something else. */
function forge(target: string, change: (manifest: Manifest) => Manifest) {
  const { path, manifest } = manifestIn(target);
  writeFileSync(path, writeManifest(change(manifest)));
}

function store(target: string, text: string): { sha256: string; bytes: number } {
  const sha256 = digestOf(text);
  mkdirSync(`${target}/objects/${sha256.slice(0, 2)}`, { recursive: true });
  writeFileSync(`${target}/objects/${sha256.slice(0, 2)}/${sha256}`, text);
  return { sha256, bytes: Buffer.byteLength(text) };
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: Error) => error.message,
  );

describe("a backup", () => {
  test("restores to the same rows, files and key, and a server answers as before", async () => {
    const data = folder();
    await verify(new FolderTarget(made), scratch);
    const { manifest, keyMissing } = await restore(new FolderTarget(made), data);
    expect(keyMissing).toBe(false);
    expect(contentsOf(data)).toEqual(contentsOf(original));
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(`${data}/secret.key`).mode & 0o777).toBe(0o600);
    expect(manifest.attachments.files).toBe(filled.attachments.length);
    expect(await faultsFound(data)).toEqual([]);
    const server = await serve(data);
    for (const { path, headers, body, answer } of filled.tickets) {
      const replay = await fetch(server.url + path, { method: "POST", headers, body });
      if (replay.status === 201 || replay.status === 200) expect(await replay.text()).toBe(answer);
      expect(replay.headers.get("idempotent-replayed")).toBe("true");
    }
    await server.stop();
  });

  test("stores nothing twice: a second one adds only what is new", async () => {
    const target = new FolderTarget(copyOf(made));
    const again = await create(original, target);
    expect(again.addedBytes).toBe(0);
    const { backups } = await listBackups(target);
    expect(backups.map(({ id }) => id)).toEqual([again.id, manifestIn(made).manifest.id]);
  });

  test("is for its owner only, and nothing of the key stands in what is printed", async () => {
    const target = folder();
    const { stdout, stderr, code } = await run(["backup", "create", "--data", original, "--to", target, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain(readFileSync(`${original}/secret.key`, "utf8").trim());
    for (const path of filesIn(target))
      expect(`${path} ${statSync(`${target}/${path}`).mode & 0o077}`).toBe(`${path} 0`);
  });

  test("without secrets has no key: a restore says so, or takes the key from a file", async () => {
    const target = new FolderTarget(folder());
    const { secretKey } = await create(original, target, { secrets: false });
    expect(secretKey).toBe(false);
    await verify(target, scratch);
    const [without, foreign, whole] = [folder(), folder(), folder()];
    expect((await restore(target, without)).keyMissing).toBe(true);
    expect(existsSync(`${without}/secret.key`)).toBe(false);
    const file = `${scratch}/foreign.key`;
    writeFileSync(file, `${"ab".repeat(32)}\n`);
    expect(await messageOf(restore(target, foreign, { secretKey: file }))).toContain("is another key");
    await restore(target, whole, { secretKey: `${original}/secret.key` });
    expect(contentsOf(whole)).toEqual(contentsOf(original));
  });

  test("is not made with a key that is not the database's", async () => {
    const data = copyOf(original);
    const target = new FolderTarget(folder());
    writeFileSync(`${data}/secret.key`, `${"ab".repeat(32)}\n`);
    expect(await messageOf(create(data, target))).toContain("is another key than the one that secrets");
    expect(await target.ids()).toEqual([]);
    await create(data, target, { secrets: false });
  });

  test("is not made of a damaged database", async () => {
    const data = copyOf(original);
    const bytes = readFileSync(databasePath(data));
    bytes.fill(0x5a, 8_192, 60_000);
    writeFileSync(databasePath(data), bytes);
    const target = new FolderTarget(folder());
    expect(await messageOf(create(data, target, { secrets: false }))).toContain("the database is damaged");
    expect(await target.ids()).toEqual([]);
  });

  test("tells of attachments that were lost or changed before, and keeps the rest", async () => {
    const data = copyOf(original);
    const ids = readdirSync(`${data}/attachments`, { recursive: true })
      .map((path) => String(path).slice(-36))
      .filter((id) => /^[0-9a-f-]{36}$/.test(id));
    const [lost = "", changed = ""] = ids;
    rmSync(attachmentPath(data, lost));
    writeFileSync(attachmentPath(data, changed), "other bytes");
    const target = new FolderTarget(folder());
    const { missing, differing, attachments } = await create(data, target);
    expect({ missing, differing, attachments }).toEqual({
      missing: [lost],
      differing: [changed],
      attachments: ids.length - 1,
    });
    await verify(target, scratch);
    const restored = folder();
    await restore(target, restored);
    expect(contentsOf(restored)).toEqual(contentsOf(data));
  });

  test("holds no row whose file was deleted while it was made", async () => {
    const data = copyOf(original);
    let deleted = 0;
    class Deleting extends FolderTarget {
      override async put(...given: Parameters<FolderTarget["put"]>): Promise<void> {
        // The server deletes rows and then their files, here of every third attachment that was not copied yet.
        if (deleted++ === 0) {
          const db = new Database(databasePath(data), { strict: true });
          db.run("pragma foreign_keys = on");
          const events = db
            .query<{ event_id: string; id: string }, []>(
              "select event_id, id from attachment order by sha256 desc limit 4",
            )
            .all();
          for (const { event_id } of events) db.query("delete from event where id = ?1").run(event_id);
          for (const { id } of events) rmSync(attachmentPath(data, id));
          db.close();
        }
        return super.put(...given);
      }
    }
    const target = new Deleting(folder());
    const { attachments, missing } = await create(data, target);
    expect({ attachments, missing }).toEqual({ attachments: filled.attachments.length - 4, missing: [] });
    await verify(target, scratch);
    const restored = folder();
    await restore(target, restored);
    expect(contentsOf(restored)).toEqual(contentsOf(data));
  });
});

describe("damage is told", () => {
  test("of one byte in any file, and of any missing file", async () => {
    const names = filesIn(made).filter((name) => name !== "lock.db");
    expect(names.length).toBeGreaterThan(filled.attachments.length);
    for (const name of names) {
      const target = copyOf(made);
      const path = `${target}/${name}`;
      const bytes = readFileSync(path);
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(Math.random() * 8));
      writeFileSync(path, bytes);
      const told = /is damaged|has other bytes|has another size/;
      expect(`${name} ${at}: ${await messageOf(verify(new FolderTarget(target), scratch))}`).toMatch(told);
      const data = folder();
      expect(`${name} ${at}: ${await messageOf(restore(new FolderTarget(target), data))}`).toMatch(told);
      rmSync(path);
      expect(await messageOf(verify(new FolderTarget(target), scratch))).toMatch(/is missing|there is no backup/);
      for (const used of [target, data]) rmSync(used, { recursive: true, force: true });
    }
  });

  test("and mended by the next backup once the object is removed", async () => {
    const target = copyOf(made);
    const { manifest } = manifestIn(target);
    const { sha256 } = manifest.database.pieces[0] as { sha256: string };
    rmSync(`${target}/objects/${sha256.slice(0, 2)}/${sha256}`);
    await create(original, new FolderTarget(target));
    await verify(new FolderTarget(target), scratch, manifest.id);
  });

  test("a restore that found damage leaves nothing that starts, and goes on with the object in its place", async () => {
    const [target, data] = [copyOf(made), folder()];
    const { manifest } = manifestIn(target);
    const { sha256 } = manifest.attachments.list[0] as { sha256: string };
    const path = `${target}/objects/${sha256.slice(0, 2)}/${sha256}`;
    renameSync(path, `${target}/away`);
    expect(await messageOf(restore(new FolderTarget(target), data))).toContain("is missing");
    for (const command of [
      "serve",
      "doctor",
      "init --org A --admin-email a@example.org",
      "ticket list",
      "migrate up",
    ]) {
      const { code, stderr } = await run([...command.split(" "), "--data", data]);
      expect(`${command}: ${code} ${stderr}`).toMatch(
        /: 1 intake: the data directory .* is being restored from the backup/,
      );
    }
    expect(await messageOf(restore(new FolderTarget(made), data))).toContain("is being restored from the backup");
    renameSync(`${target}/away`, path);
    await restore(new FolderTarget(target), data);
    expect(contentsOf(data)).toEqual(contentsOf(original));
  });
});

describe("what a backup says is not trusted", () => {
  const lines = ["../../../../etc/passwd", "/etc/passwd", "..", "ID\n", "ID ID", "ID".toUpperCase()];
  test.each(lines)("an attachment named %j is refused", async (line) => {
    const [target, data] = [copyOf(made), folder()];
    const object = store(target, "something");
    const id = line.replaceAll("ID", "0199a0aa-aaaa-7aaa-8aaa-aaaaaaaaaaaa");
    const list = store(target, `${object.sha256} ${object.bytes} ${id}\n`);
    forge(target, (manifest) => ({
      ...manifest,
      attachments: { files: 1, bytes: object.bytes, missing: 0, differing: 0, list: [list] },
    }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toMatch(/not written by intake|without a row/);
    expect(await messageOf(restore(new FolderTarget(target), data))).toMatch(/not written by intake|without a row/);
    expect(filesIn(data).filter((name) => /passwd|0199a0aa/.test(name))).toEqual([]);
  });

  test("a digest that is a path is refused", async () => {
    const target = copyOf(made);
    const evil = { sha256: "../../../../etc/passwd", bytes: 10 };
    forge(target, (manifest) => ({ ...manifest, secretKey: evil }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is damaged");
  });

  test.each([
    ["a time", (manifest: Manifest) => ({ ...manifest, asOf: "Nov 23 2026 (\u001b[2J)" })],
    ["a version", (manifest: Manifest) => ({ ...manifest, intake: "\u001b[2J" })],
    ["a count", (manifest: Manifest) => ({ ...manifest, holds: { ...manifest.holds, tickets: "\u001b[2J" as never } })],
    ["an id", (manifest: Manifest) => ({ ...manifest, holds: { ...manifest.holds, newestTicket: "\u001b[2J" } })],
  ])("%s that steers a terminal is refused", async (_, change) => {
    const target = copyOf(made);
    forge(target, change);
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is damaged");
    const { backups, unreadable } = await listBackups(new FolderTarget(target));
    expect({ backups: backups.length, unreadable: unreadable.length }).toEqual({ backups: 0, unreadable: 1 });
  });

  test("symbolic links are not followed", async () => {
    const target = copyOf(made);
    const { sha256 } = manifestIn(target).manifest.database.pieces[0] as { sha256: string };
    const path = `${target}/objects/${sha256.slice(0, 2)}/${sha256}`;
    renameSync(path, `${target}/away`);
    symlinkSync(`${target}/away`, path);
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is a symbolic link");
  });

  test("another key than the database's is refused", async () => {
    const [target, data] = [copyOf(made), folder()];
    const key = store(target, `${"ab".repeat(32)}\n`);
    forge(target, (manifest) => ({ ...manifest, secretKey: key }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is another key");
    expect(await messageOf(restore(new FolderTarget(target), data))).toContain("is another key");
    expect((await run(["serve", "--data", data])).stderr).toContain("is being restored");
  });

  test("a newer backup is refused, and so is one of a newer schema", async () => {
    const [format, schema] = [copyOf(made), copyOf(made)];
    forge(format, (manifest) => ({ ...manifest, format: 2, intake: "9.1.0" }));
    expect(await messageOf(restore(new FolderTarget(format), folder()))).toContain("made by a newer intake (9.1.0)");
    forge(schema, (manifest) => ({ ...manifest, schema: 900, intake: "9.1.0" }));
    expect(await messageOf(restore(new FolderTarget(schema), folder()))).toContain("use intake 9.1.0 or newer");
  });
});

describe("places that cannot be used", () => {
  test("a restore needs a new or an empty directory", async () => {
    const used = folder();
    mkdirSync(used);
    writeFileSync(`${used}/letter.txt`, "mine");
    expect(await messageOf(restore(new FolderTarget(made), used))).toContain("is not empty (letter.txt)");
    expect(readdirSync(used)).toEqual(["letter.txt"]);
    expect(await messageOf(restore(new FolderTarget(made), original))).toContain("is not empty");
  });

  test("a full disk: no backup, no directory that starts, and both go on when there is room", async () => {
    const disk = folder();
    mkdirSync(disk);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
    if (mounted.exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${mounted.stderr}`);
    try {
      const target = new FolderTarget(`${disk}/target`);
      expect(await messageOf(create(original, target))).toMatch(/is full \(ENOSPC\)|make room/);
      expect(await target.ids()).toEqual([]);
      expect(await messageOf(restore(new FolderTarget(made), `${disk}/data`))).toMatch(/make room/);
      Bun.spawnSync(["mount", "-o", "remount,size=64m", disk]);
      await create(original, target);
      await verify(target, scratch);
      await restore(target, `${disk}/data`);
      expect(contentsOf(`${disk}/data`)).toEqual(contentsOf(original));
      Bun.spawnSync(["mount", "-o", "remount,ro", disk]);
      expect(await messageOf(create(original, target))).toContain("cannot be used (");
      await verify(target, scratch);
    } finally {
      Bun.spawnSync(["umount", "--lazy", disk]);
    }
  });

  test("two runs do not write to one target at once", async () => {
    const target = folder();
    const lock = await new FolderTarget(target).lock();
    expect(await messageOf(create(original, new FolderTarget(target)))).toContain(
      "another run of intake backup writes",
    );
    await lock.release();
    await create(original, new FolderTarget(target));
  });

  test.each([
    [["backup", "create"], 2, "--to is missing"],
    [["backup", "create", "--to", "ORIGINAL/backup"], 1, "is in the data directory"],
    [["backup", "create", "--to", "https://bucket"], 1, "must be a folder or s3://"],
    [["backup", "create", "--to", "s3://bucket"], 1, "names no region"],
    [["backup", "create", "--to", "s3://bucket?region=a1"], 1, "object storage needs a key"],
    [["backup", "create", "--to", "/dev/null/x"], 1, "cannot be used (ENOTDIR)"],
    [["backup", "list"], 2, "FROM is missing"],
    [["backup", "verify", "NOWHERE"], 1, "there is no backup in the folder"],
    [["backup", "verify", "NOWHERE", "--id", "../x"], 2, "must be the id of a backup"],
    [["backup", "prune", "NOWHERE", "--keep", "7"], 2, "must be numbers of days"],
  ])("%j says what is wrong", async (args, code, text) => {
    const nowhere = folder();
    const words = args.map((arg) => arg.replace("ORIGINAL", original).replace("NOWHERE", nowhere));
    const found = await run([...words, "--data", original]);
    expect(found.stderr).toContain(text);
    expect(found.code).toBe(code);
    expect(existsSync(nowhere)).toBe(false);
  });

  test("on PostgreSQL, commands name the tools to use", async () => {
    const env = { INTAKE_DATABASE_URL: "postgres://localhost/intake" };
    for (const args of [
      ["backup", "create", "--to", scratch],
      ["restore", made],
    ]) {
      const { code, stderr } = await run([...args, "--data", folder()], { env });
      expect(`${code} ${stderr}`).toMatch(/^1 .*pg_dump.*intake db move --back/);
    }
  });
});

describe("pruning", () => {
  const out = { note: () => {}, progress: () => {} };
  const keep = readKeepRule("1d");

  test("removes backups that the rule does not keep, and only objects that no other needs", async () => {
    const data = copyOf(original);
    const target = new FolderTarget(copyOf(made));
    const [first] = await target.ids();
    const db = new Database(databasePath(data));
    db.run("pragma foreign_keys = on");
    db.run("delete from event where id in (select event_id from attachment order by id limit 3)");
    db.close();
    const second = await create(data, target);
    const tried = await pruneBackups({ target, keep, dryRun: true }, out);
    expect(await target.ids()).toHaveLength(2);
    const pruned = await pruneBackups({ target, keep, dryRun: false }, out);
    expect(pruned).toEqual(tried);
    expect(pruned).toMatchObject({ kept: [second.id], removed: [first] });
    expect(pruned.objectsRemoved).toBeGreaterThanOrEqual(3);
    await verify(target, scratch);
    const restored = folder();
    await restore(target, restored);
    const again = await pruneBackups({ target, keep, dryRun: false }, out);
    expect(again).toMatchObject({ removed: [], objectsRemoved: 0 });
  });

  test("removes nothing where there is no backup, and nobody else's files", async () => {
    const target = copyOf(made);
    mkdirSync(`${target}/unfinished`, { recursive: true });
    writeFileSync(`${target}/unfinished/letter.txt`, "mine");
    rmSync(manifestIn(target).path);
    const before = filesIn(target);
    expect(await messageOf(pruneBackups({ target: new FolderTarget(target), keep, dryRun: false }, out))).toContain(
      "there is no backup in",
    );
    expect(filesIn(target)).toEqual(before);
  });

  test("removes nothing while it cannot read a manifest", async () => {
    const target = copyOf(made);
    const { path } = manifestIn(target);
    const before = filesIn(target);
    writeFileSync(path, readFileSync(path, "utf8").replace('"tickets":', '"tickets" :'));
    expect(await messageOf(pruneBackups({ target: new FolderTarget(target), keep, dryRun: false }, out))).toContain(
      "is damaged",
    );
    expect(filesIn(target)).toEqual(before);
  });
});
