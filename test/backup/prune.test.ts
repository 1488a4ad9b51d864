import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { pruneBackups } from "../../server/backup/prune-backups.ts";
import { readKeepRule } from "../../server/core/keep-rule.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { create, filesIn, restore, verify } from "./backups.ts";
import { copyOf, folder, made, manifestIn, messageOf, original, scratch, useMadeBackup } from "./made-backup.ts";

setDefaultTimeout(180_000);
useMadeBackup();

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
    const both = await pruneBackups({ target, keep, keepId: first, logDays: 7, dryRun: false }, out);
    expect(both).toMatchObject({ kept: [first, second.id], removed: [], objectsRemoved: 0 });
    const tried = await pruneBackups({ target, keep, logDays: 7, dryRun: true }, out);
    expect(await target.ids()).toHaveLength(2);
    const pruned = await pruneBackups({ target, keep, logDays: 7, dryRun: false }, out);
    expect(pruned).toEqual(tried);
    expect(pruned).toMatchObject({ kept: [second.id], removed: [first] });
    expect(pruned.objectsRemoved).toBeGreaterThanOrEqual(3);
    await verify(target, scratch);
    const restored = folder();
    await restore(target, restored);
    const again = await pruneBackups({ target, keep, logDays: 7, dryRun: false }, out);
    expect(again).toMatchObject({ removed: [], objectsRemoved: 0 });
  });

  test("removes nothing where there is no backup, and nobody else's files", async () => {
    const target = copyOf(made);
    mkdirSync(`${target}/unfinished`, { recursive: true });
    writeFileSync(`${target}/unfinished/letter.txt`, "mine");
    rmSync(manifestIn(target).path);
    const before = filesIn(target);
    expect(
      await messageOf(pruneBackups({ target: new FolderTarget(target), keep, logDays: 7, dryRun: false }, out)),
    ).toContain("there is no backup in");
    expect(filesIn(target)).toEqual(before);
  });

  test("removes nothing while it cannot read a manifest", async () => {
    const target = copyOf(made);
    const { path } = manifestIn(target);
    const before = filesIn(target);
    writeFileSync(path, readFileSync(path, "utf8").replace('"tickets":', '"tickets" :'));
    expect(
      await messageOf(pruneBackups({ target: new FolderTarget(target), keep, logDays: 7, dryRun: false }, out)),
    ).toContain("is damaged");
    expect(filesIn(target)).toEqual(before);
  });
});
