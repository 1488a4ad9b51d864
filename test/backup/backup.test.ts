import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { listBackups } from "../../server/backup/list-backups.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { run, serve } from "../support/binary.ts";
import { faultsFound } from "../support/doctor.ts";
import { contentsOf, create, filesIn, restore, verify } from "./backups.ts";
import {
  copyOf,
  filled,
  folder,
  made,
  manifestIn,
  messageOf,
  original,
  scratch,
  useMadeBackup,
} from "./made-backup.ts";

setDefaultTimeout(180_000);
useMadeBackup();

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
    const args = ["backup", "create", "--data", copyOf(original), "--to", target, "--json"];
    const { stdout, stderr, code } = await run(args);
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
      override async put(...given: Parameters<FolderTarget["put"]>): Promise<boolean> {
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
